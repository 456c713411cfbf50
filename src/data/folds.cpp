#include "data/folds.hpp"

#include <algorithm>
#include <utility>

#include "core/index.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

std::vector<int> deal_folds(const DatasetView& data, Index n_folds, std::uint64_t seed) {
  std::vector<std::vector<std::pair<std::uint64_t, Index>>> shuffled(at(data.n_classes()));
  for (Index i = 0; i < data.n_rows(); ++i)
    if (data.is_labeled(i) && data.weight(i) > 0.0)
      shuffled[static_cast<std::size_t>(data.labels[at(i)])].emplace_back(
          derive_seed(seed, RandomPurpose::fold, static_cast<std::uint64_t>(data.number(i))), i);
  std::vector<int> fold(at(data.n_rows()), -1);
  for (auto& rows : shuffled) {
    std::sort(rows.begin(), rows.end());
    for (std::size_t rank = 0; rank < rows.size(); ++rank)
      fold[at(rows[rank].second)] = static_cast<int>(static_cast<Index>(rank) % n_folds);
  }
  return fold;
}

} // namespace lacuna
