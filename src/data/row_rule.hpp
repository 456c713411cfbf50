#pragma once

#include <string>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/data/table.hpp"

namespace LACUNA_API lacuna {

/// Which rows of a table a rule holds for, such as `age < 38 and job = clerk or "years worked" >= 5`: columns
/// are compared with numbers by < <= > >= = !=, or with words by = and !=; `and` binds more tightly than
/// `or`. A comparison with a missing cell does not hold. Throws Error(usage) for a text that is no rule of
/// this table, and for one about `options.label`, and Error(data) for a cell that is no number where one is
/// compared.
std::vector<char> rows_by_rule(const std::string& path, const TableOptions& options, const std::string& rule,
                               Observer& observer);

} // namespace lacuna
