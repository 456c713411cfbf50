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

/// How predictions are written down.
enum class PredictionFormat {
  csv,
  csv_gz, ///< the same in gzip
  npy ///< an array of float64 with a row for each row and the columns of the CSV file, the prediction as the
      ///< number of its class, from 0
};

/// What a file of this name holds: what its ending says, and CSV where it has none. Throws Error(usage) that
/// lists the endings there are. `option` is what the name was given by.
PredictionFormat prediction_format(const std::string& path, const std::string& option);

/// Scores a table piece by piece, on up to `threads` threads (0: all cores), and hands the bytes of the file
/// to `write`, in order and from the caller's thread. Memory does not grow with the rows. Returns their
/// number.
Index predict_table(const Model& model, const std::string& path, const TableOptions& table, int threads,
                    const std::function<void(std::string_view)>& write, Observer& observer,
                    CsvCells cells = CsvCells::exact, PredictionFormat format = PredictionFormat::csv);

/// The first bytes of PredictionFormat::npy, as many for any number of rows. That number is known when the
/// last row is written; what predict_table begins with says 0.
std::string npy_prediction_header(const Model& model, Index n_rows);

} // namespace lacuna
