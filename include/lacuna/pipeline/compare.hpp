#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/pipeline/evaluate.hpp"
#include "lacuna/pipeline/fit.hpp"

namespace LACUNA_API lacuna {

/// All methods on the same data, with the same densities and the same seed, beside plain models.
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

/// A plain model: an ordinary classifier, fitted to the labeled rows alone, without a region.
struct ComparedPlain {
  std::string name; ///< logistic, logistic-isotonic, boosting, boosting-isotonic
  EvaluateOutcome outcome;
};

/// Somebody who takes part in a comparison.
struct Competitor {
  std::string name;
  bool is_plain = false; ///< not one of lacuna's methods
  double brier_error = 0.0;
};
/// Who has the smallest brier_error; of several, the first.
struct Winner : Competitor {
  std::string words; ///< a sentence that says so, and who comes next on the other side
};
/// `competitors` are not empty.
Winner find_winner(const std::vector<Competitor>& competitors);

/// Methods and plain models on the same rows.
struct Comparison {
  std::vector<ComparedMethod> methods; ///< supervised, mcar-sampling, mcar-em, mar
  std::vector<ComparedPlain> plain_models;
  std::string left_out; ///< which plain models are not there, and why; empty: all are

  Winner winner() const;
};

/// The order in which methods are compared: ours comes last.
std::vector<Method> all_methods();

/// Fits and judges all of them; the outcomes of methods keep rows for a report. Throws what fit_table and
/// evaluate throw.
Comparison compare_methods(const CompareRequest& request, Observer& observer);

} // namespace lacuna
