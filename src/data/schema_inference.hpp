#pragma once

#include <string>
#include <vector>

#include "data/column_profile.hpp"
#include "lacuna/data/table.hpp"

namespace lacuna {

/// Decides which columns become features, and how. Says in `notes` what the user did not ask for. Throws
/// Error(data) when a column of numbers holds something else, a column has too many categories, or no column
/// is left.
std::vector<TableColumn> infer_columns(const std::vector<ColumnProfile>& profiles, const TableSource& table,
                                       const TableOptions& options, std::vector<std::string>& notes);

} // namespace lacuna
