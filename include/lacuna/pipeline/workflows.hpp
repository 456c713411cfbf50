#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/data/table.hpp"
#include "lacuna/evaluation/calibrators.hpp"
#include "lacuna/evaluation/evaluator.hpp"
#include "lacuna/features/fit_features.hpp"
#include "lacuna/learning/learner.hpp"
#include "lacuna/pipeline/model.hpp"

namespace lacuna {

/// From a table with missing labels to a model.
struct FitRequest {
  std::string path;
  std::string label_column; ///< empty when table.labels is given
  std::vector<std::string> classes;
  TableOptions table;
  FeatureOptions features{{FeatureSpec{}}, {}}; ///< standardize, unless told otherwise
  LearningOptions learning;
};
/// Whether categories reach the densities as numbers: where they know what to do with them, and no map mixes
/// columns. Otherwise they are one-hot encoded.
bool takes_codes(const FitRequest& request);
/// Whether features may be missing.
bool takes_gaps(const FitRequest& request);

struct FitOutcome {
  Model model;
  FitSummary summary;
  std::vector<std::string> notes;
};
FitOutcome fit_table(const FitRequest& request, Observer& observer);

/// The same for rows in memory, which are not copied; `schema` says which table columns they are. Of
/// `request` only features, learning and what the record tells count. `family` replaces the one that
/// request.learning.density names; a model with a family that cannot save its densities cannot be saved
/// either.
FitOutcome fit_dataset(const FitRequest& request, const DatasetView& data, const TableSchema& schema,
                       const DensityFamily* family, Observer& observer);
/// The same for several methods; what they share is fitted once.
std::vector<FitOutcome> fit_dataset(const FitRequest& request, std::span<const Method> methods,
                                    const DatasetView& data, const TableSchema& schema,
                                    const DensityFamily* family, Observer& observer);

/// Scores a table block by block and hands finished CSV text, header first, to `write`. Returns the number of
/// rows.
Index predict_table(const Model& model, const std::string& path, const TableOptions& table, int threads,
                    const std::function<void(std::string_view)>& write, Observer& observer);

/// A calibrator, and the labeled rows it is fitted to before the test rows are looked at.
struct CalibrationRequest {
  CalibrationMethod method = CalibrationMethod::platt;
  std::string path;        ///< a table with the same columns; never the test table itself
  std::string labels_path; ///< its labels, when those of the test table come from a file too
};

/// Compares predictions with a table's labels; rows without a label are counted and skipped.
struct EvaluateRequest {
  std::string path;
  std::string label_column;
  std::string stratum_column; ///< may be empty
  TableOptions table;
  int threads = 0;
  CurveOptions curve{};
  std::optional<CalibrationRequest> calibration{};
  std::vector<std::string>
      classes{};                   ///< for a table of probabilities: its class columns; empty: found by name
  bool wants_report = false;       ///< make the HTML page as well
  std::string train_path{};        ///< for the page: the table the model was fitted to; may be empty
  std::string train_labels_path{}; ///< its labels, when they come from a file
};

/// What calibration did. `before` are the predictions as they came, on the same test rows.
struct CalibrationOutcome {
  CalibrationMethod method = CalibrationMethod::platt;
  Index n_rows = 0; ///< that the calibrator was fitted to
  std::vector<std::pair<std::string, double>> parameters;
  Evaluation before;
};

struct EvaluateOutcome {
  std::vector<std::string> class_names;
  Evaluation evaluation;   ///< after calibration, when there was one; so is everything below
  Diagnostics diagnostics; ///< over all rows
  ScoredRows rows;
  Index n_unlabeled = 0; ///< rows that were skipped
  std::optional<CalibrationOutcome> calibration;
  std::string report; ///< the HTML page, when it was asked for
};
EvaluateOutcome evaluate_table(const Model& model, const EvaluateRequest& request, Observer& observer);
/// The same for a table of probabilities that any tool may have written (docs/metrics.md describes it).
EvaluateOutcome evaluate_probabilities(const EvaluateRequest& request, Observer& observer);

/// The documents the CLI writes with --json, and later tools read. The first is the model's record and how
/// long the fit took: the record itself holds no time, so that a seed has one model file.
std::string fit_json(const FitOutcome& outcome, double seconds);
std::string evaluation_json(const EvaluateOutcome& outcome, const Model& model);
/// For predictions of which no model is at hand.
std::string evaluation_json(const EvaluateOutcome& outcome);

} // namespace lacuna
