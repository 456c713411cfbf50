#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/data/dataset.hpp"
#include "lacuna/pipeline/workflows.hpp"

namespace lacuna {

/// Test rows in memory with what is known about them; everything is borrowed. Rows without a label are counted
/// and skipped.
struct LabeledRows {
  std::vector<std::string> class_names;
  std::span<const int> labels;            ///< class numbers, or missing_label
  std::span<const int> strata;            ///< places in stratum_names; empty: no strata
  std::vector<std::string> stratum_names; ///< each once
};

/// Compares the probabilities that any classifier gave to these rows (one row and class each) with their
/// labels. Throws Error(data) when sizes disagree, a number is no probability, or no row has a label.
EvaluateOutcome evaluate_rows(const LabeledRows& rows, MatrixView probabilities, const CurveOptions& curve);

/// One classifier on a page about rows in memory.
struct PagedClassifier {
  std::string name;
  MatrixView probabilities;     ///< of the test rows
  const Model* model = nullptr; ///< lacuna's own, or null: nothing is known but its probabilities
};

struct RowsPageRequest {
  std::string title;
  LabeledRows rows;
  MatrixView features;                ///< the test rows as the models take them; counts when there is a model
  std::optional<DatasetView> training; ///< what the models were fitted to
  std::vector<PagedClassifier> classifiers; ///< the last one with a model shows its informative region
  int threads = 0;
};

/// One self-contained HTML page, as `lacuna evaluate --report` writes it.
std::string rows_page(const RowsPageRequest& request, Observer& observer);

} // namespace lacuna
