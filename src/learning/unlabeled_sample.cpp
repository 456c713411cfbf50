#include "learning/unlabeled_sample.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/index.hpp"
#include "data/large_table.hpp"
#include "data/whole_table.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

std::uint64_t labeling_seed(std::uint64_t seed) {
  return derive_seed(seed, RandomPurpose::labeling);
}

RowList sample_unlabeled(const DensityFitter& fitter, Index most, std::uint64_t seed) {
  const DatasetView& data = fitter.data();
  std::vector<std::pair<std::uint64_t, Index>> keyed;
  double total = 0.0;
  for (Index i = 0; i < data.n_rows(); ++i) {
    if (!fitter.is_unlabeled(i)) continue;
    keyed.emplace_back(draw_key(seed, data.number(i)), i);
    total += data.weight(i);
  }
  if (data.whole != nullptr) total = static_cast<double>(data.whole->n_unlabeled());
  if (static_cast<Index>(keyed.size()) > most) {
    std::nth_element(keyed.begin(), keyed.begin() + most, keyed.end());
    keyed.resize(at(most));
  }
  std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  RowList sample;
  for (const auto& [key, row] : keyed) sample.add(row, data.weight(row));
  const double scale = sample.empty() ? 1.0 : total / sample.total_weight();
  for (double& weight : sample.weights) weight *= scale;
  return sample;
}

} // namespace lacuna
