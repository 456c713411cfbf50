#pragma once

#include <vector>

#include "data/large_table.hpp"
#include "lacuna/core/observer.hpp"

namespace lacuna {

/// Numbers of the rows that stay in memory, rising: those that have a label, and those that draws take.
std::vector<Index> kept_rows(const std::vector<RowDraw>& draws, const std::vector<Index>& labeled,
                             Index n_rows, const Observer& observer);

} // namespace lacuna
