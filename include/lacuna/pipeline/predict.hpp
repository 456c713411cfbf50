#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/core/options.hpp"
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
      ///< number of its class, from 0, and a set as 0 or 1 for each class
};

/// What a file of this name holds: what its ending says, and CSV where it has none. Throws Error(usage) that
/// lists the endings there are. `option` is what the name was given by.
PredictionFormat prediction_format(const std::string& path, const std::string& option);

/// What is promised beside an error probability; each brings columns of its own
/// (lacuna/learning/guarantees.hpp).
struct PromiseOptions {
  std::optional<double> sets;        ///< coverage of the column `set`
  std::optional<double> risk;        ///< of accepted rows
  double confidence = 0.95;          ///< that the risk is kept
  std::optional<double> sensitivity; ///< by how much odds may differ between labeled and unlabeled rows
};

/// What a file of predictions has beside or instead of what the model says; of CSV alone, but for `abstain`.
struct PredictionColumns {
  std::string id = {};                ///< a column of the table that comes first, byte for byte
  std::vector<std::string> keep = {}; ///< columns of the table that come last, byte for byte
  std::optional<double> abstain = {}; ///< rows of a larger error probability get no prediction (CSV: an empty
                                      ///< cell, NPY: NaN)
  std::optional<int> digits = {}; ///< significant ones of every number; empty: as many as the double needs

  static const OptionTable<PredictionColumns>& table();
};

struct PredictOptions {
  int threads = 0; ///< 0: all cores
  CsvCells cells = CsvCells::exact;
  PredictionFormat format = PredictionFormat::csv;
  PromiseOptions promises = {};
  PredictionColumns columns = {};
};

/// How many rows a table had, how many of them were accepted, and how many got no prediction.
struct PredictedRows {
  Index n_rows = 0;
  Index n_accepted = 0;
  Index n_abstained = 0;
};

/// Scores a table piece by piece and hands the bytes of the file to `write`, in order and from the caller's
/// thread. Memory does not grow with the rows. Warns where a risk was asked for that labels do not show.
PredictedRows predict_table(const Model& model, const std::string& path, const TableOptions& table,
                            const PredictOptions& options, const std::function<void(std::string_view)>& write,
                            Observer& observer);

/// The first bytes of PredictionFormat::npy, as many for any number of rows. That number is known when the
/// last row is written; what predict_table begins with says 0.
std::string npy_prediction_header(const Model& model, const PredictOptions& options, Index n_rows);

} // namespace lacuna
