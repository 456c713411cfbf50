#pragma once

#include <string>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/pipeline/workflows.hpp"

namespace lacuna {

/// All methods on the same data, with the same densities and the same seed.
struct CompareRequest {
  FitRequest fit;               ///< its method counts for nothing: all are fitted
  std::string test_path;        ///< a table with the columns of the training table, and labels
  std::string test_labels_path; ///< a file with the test labels, when fit.table.labels is given
  std::string stratum_column;   ///< of the test table; may be empty
};

/// One method with its model and how it did.
struct ComparedMethod {
  std::string name;
  Model model;
  EvaluateOutcome outcome;
};

struct CompareOutcome {
  std::vector<ComparedMethod> methods; ///< supervised, mcar-sampling, mcar-em, mar
  std::vector<std::string> notes;      ///< about the training table
  std::string report;                  ///< one HTML page
};

/// Throws what fit_table and evaluate_table throw.
CompareOutcome compare_methods(const CompareRequest& request, Observer& observer);

/// metrics.json: for each method the document of `lacuna evaluate --json`.
std::string comparison_json(const CompareOutcome& outcome);

} // namespace lacuna
