#pragma once

#include <cstdint>
#include <vector>

#include "lacuna/data/dataset.hpp"

namespace lacuna {

/// Deals the labeled rows of every class out to the folds, as evenly as they go: the fold of each row, -1 for
/// a row without a label or weight. A row's turn is keyed by its number.
std::vector<int> deal_folds(const DatasetView& data, Index n_folds, std::uint64_t seed);

} // namespace lacuna
