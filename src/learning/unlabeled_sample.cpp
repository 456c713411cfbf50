#include "learning/unlabeled_sample.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "core/index.hpp"
#include "core/parallel.hpp"
#include "data/large_table.hpp"
#include "data/whole_table.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

std::uint64_t labeling_seed(std::uint64_t seed) {
  return derive_seed(seed, RandomPurpose::labeling);
}

RowList sample_unlabeled(const DensityFitter& fitter, Index most, std::uint64_t seed) {
  const DatasetView& data = fitter.data();
  using Keyed = std::vector<std::pair<std::uint64_t, Index>>;
  const auto keep_first = [&](Keyed& keyed) {
    if (static_cast<Index>(keyed.size()) <= most) return;
    std::nth_element(keyed.begin(), keyed.begin() + most, keyed.end());
    keyed.resize(at(most));
  };
  const RowBlocks blocks(data.n_rows(), {.min_rows = 65536, .max_blocks = 64});
  std::vector<Keyed> of_block(at(blocks.n_blocks));
  parallel_for(blocks.n_blocks, fitter.threads(), [&](Index block) {
    Keyed& keyed = of_block[at(block)];
    for (Index i = blocks.first(block); i < blocks.first(block + 1); ++i)
      if (fitter.is_unlabeled(i)) keyed.emplace_back(draw_key(seed, data.number(i)), i);
    keep_first(keyed);
  });
  Keyed keyed;
  for (const Keyed& some : of_block) keyed.insert(keyed.end(), some.begin(), some.end());
  keep_first(keyed);
  double total = 0.0;
  if (data.whole != nullptr)
    total = static_cast<double>(data.whole->n_unlabeled());
  else
    for (Index i = 0; i < data.n_rows(); ++i)
      if (fitter.is_unlabeled(i)) total += data.weight(i);
  std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  RowList sample;
  for (const auto& [key, row] : keyed) sample.add(row, data.weight(row));
  const double scale = sample.empty() ? 1.0 : total / sample.total_weight();
  for (double& weight : sample.weights) weight *= scale;
  return sample;
}

} // namespace lacuna
