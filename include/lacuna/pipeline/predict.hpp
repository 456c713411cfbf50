#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "lacuna/core/observer.hpp"
#include "lacuna/pipeline/model.hpp"

namespace LACUNA_API lacuna {

/// What a cell of text may begin with in a CSV file.
enum class CsvCells {
  exact,
  no_formulas ///< an apostrophe, before a text that a spreadsheet would take for a formula
};

/// Scores a table block by block and hands finished CSV text, header first, to `write`. Returns the number of
/// rows.
Index predict_table(const Model& model, const std::string& path, const TableOptions& table, int threads,
                    const std::function<void(std::string_view)>& write, Observer& observer,
                    CsvCells cells = CsvCells::exact);

} // namespace lacuna
