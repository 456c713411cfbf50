#pragma once

#include <optional>
#include <string>
#include <vector>

#include "data/large_table.hpp"
#include "lacuna/pipeline/fit.hpp"

namespace lacuna {

/// What stays in memory of a table when a fit may take request.memory bytes: nothing is said when all rows
/// do. Depends on neither threads nor the machine, so that models do not either. Warns when so little memory
/// is not enough in any case.
std::optional<std::vector<RowDraw>> rows_to_keep(const FitRequest& request, const DensityFamily& family,
                                                 const TableSize& size, Observer& observer);

/// The same for a fit in which all rows pass by in any case; the request has a memory.
std::vector<RowDraw> draws_within(const FitRequest& request, const DensityFamily& family,
                                  const TableSize& size, Observer& observer);

/// "2G", "512M", "all"; nothing for a text that says no size.
std::optional<std::optional<double>> read_memory(const std::string& text);
std::string memory_text(const std::optional<double>& bytes);

} // namespace lacuna
