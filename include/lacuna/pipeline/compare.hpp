#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/pipeline/evaluate.hpp"
#include "lacuna/pipeline/fit.hpp"

namespace LACUNA_API lacuna {

/// All methods on the same data, with the same densities and the same seed.
struct CompareRequest : FitRequest { ///< its method counts for nothing: all are fitted
  std::string test;                  ///< a table with the columns of the training table, and labels
  std::string test_labels;           ///< a file with the test labels, when `labels` is given
  std::string stratum;               ///< a column of the test table; may be empty

  static const OptionTable<CompareRequest>& table(); ///< what it has beside a FitRequest
};

/// One method with its model and how it did.
struct ComparedMethod {
  std::string name;
  Model model;
  EvaluateOutcome outcome;
};

/// The order in which methods are compared: ours comes last.
std::vector<Method> all_methods();

/// supervised, mcar-sampling, mcar-em, mar; the outcomes keep rows for a report. Throws what fit_table and
/// evaluate throw.
std::vector<ComparedMethod> compare_methods(const CompareRequest& request, Observer& observer);

} // namespace lacuna
