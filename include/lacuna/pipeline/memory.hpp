#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/data/dataset.hpp"
#include "lacuna/pipeline/workflows.hpp"

namespace lacuna {

/// Test rows in memory with what is known about them; everything is borrowed. Rows without a label are
/// counted and skipped.
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

/// Compares predictions with labels, as `lacuna evaluate --probabilities` does. Throws Error(data) when sizes
/// disagree, the numbers of a row are no probabilities of its classes, or no row has a label.
EvaluateOutcome evaluate_rows(const LabeledRows& rows, const Predictions& predictions,
                              const CurveOptions& curve);

/// One classifier on a page about rows in memory.
struct PagedClassifier {
  std::string name;
  Predictions predictions;      ///< for the test rows
  const Model* model = nullptr; ///< lacuna's own, or null: nothing is known but its predictions
};

struct RowsPageRequest {
  std::string title;
  LabeledRows rows;
  MatrixView features; ///< the test rows as the models take them; counts when there is a model
  std::optional<DatasetView> training;      ///< what the models were fitted to
  std::vector<PagedClassifier> classifiers; ///< the last one with a model shows its informative region
  int threads = 0;
};

/// One self-contained HTML page, as `lacuna evaluate --report` writes it. Throws as evaluate_rows does, and
/// when there is no classifier or the features are not those of the labels or of the model.
std::string rows_page(const RowsPageRequest& request, Observer& observer);

} // namespace lacuna
