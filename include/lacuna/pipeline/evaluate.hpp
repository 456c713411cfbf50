#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/data/table.hpp"
#include "lacuna/evaluation/calibrators.hpp"
#include "lacuna/evaluation/evaluator.hpp"
#include "lacuna/pipeline/model.hpp"

namespace LACUNA_API lacuna {

class RowSample;

/// Compares predictions with a table's labels; rows without a label are counted and skipped.
struct EvaluateRequest : TableOptions, CurveOptions {
  std::string path;
  std::string stratum;              ///< a column whose values are evaluated apart; may be empty
  std::vector<std::string> classes; ///< for a table of probabilities: its class columns; empty: found by name
  std::optional<CalibrationMethod> calibrate; ///< recalibrate first
  std::string calibration_data;               ///< a table with the same columns; never the test table itself
  std::string calibration_labels;             ///< its labels, when those of the test table come from a file
  std::string train;        ///< for a report: the table the model was fitted to; may be empty
  std::string train_labels; ///< its labels, when they come from a file
  int threads = 0;
  bool keeps_rows = false; ///< whether the outcome keeps what a report draws

  static const OptionTable<EvaluateRequest>& table();
};

/// What calibration did. `before` are the predictions as they came, on the same test rows.
struct CalibrationOutcome {
  CalibrationMethod method = CalibrationMethod::platt;
  Index n_rows = 0; ///< that the calibrator was fitted to
  std::vector<std::pair<std::string, double>> parameters;
  Evaluation before;
};

/// What a model's promises came to on the test rows (lacuna/learning/guarantees.hpp).
struct PromiseCheck {
  struct Rows {
    Index n = 0;
    Index n_covered = 0;          ///< whose set has the true class
    std::vector<Index> n_of_size; ///< rows by the size of their set
    Index n_answered = 0;         ///< accepted
    Index n_wrong = 0;            ///< of them
  };
  double coverage = 0.9; ///< that was promised of sets
  double risk = 0.05;    ///< that was promised of accepted rows
  double confidence = 0.95;
  Rows inside; ///< informative rows
  Rows outside;
};

struct EvaluateOutcome {
  std::vector<std::string> class_names;
  Evaluation evaluation;   ///< after calibration, when there was one; so is everything below
  Diagnostics diagnostics; ///< over all rows
  ScoredRows rows;
  Index n_unlabeled = 0; ///< rows that were skipped
  std::optional<CalibrationOutcome> calibration;
  std::optional<PromiseCheck> promises; ///< of a model that keeps held-out answers, not calibrated
  // For a report, when the request asks to keep rows.
  std::shared_ptr<const RowSample> test_rows;
  std::shared_ptr<const RowSample> train_rows;
};
EvaluateOutcome evaluate(const Model& model, const EvaluateRequest& request, Observer& observer);
/// The same for a table of probabilities that any tool may have written (docs/metrics.md describes it).
EvaluateOutcome evaluate_probabilities(const EvaluateRequest& request, Observer& observer);

/// Test rows in memory with what is known about them; everything is borrowed.
struct LabeledRows {
  std::vector<std::string> class_names;
  std::span<const int> labels;            ///< class numbers, or missing_label
  std::span<const int> strata;            ///< places in stratum_names; empty: no strata
  std::vector<std::string> stratum_names; ///< each once
};
/// What any classifier said about rows; everything is borrowed.
struct Predictions {
  MatrixView probabilities;                  ///< one row per row and one column per class
  std::span<const int> prediction;           ///< class numbers; empty: the likeliest classes
  std::span<const double> error_probability; ///< empty: one minus the probability of the prediction
};
/// The same for rows in memory. Throws Error(data) when sizes disagree, the numbers of a row are no
/// probabilities of its classes, or no row has a label.
EvaluateOutcome evaluate(const LabeledRows& rows, const Predictions& predictions,
                         const CurveOptions& curve = {});

} // namespace lacuna
