#pragma once

#include <array>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/evaluation/reliability_curve.hpp"
#include "lacuna/pipeline/fit.hpp"

namespace LACUNA_API lacuna {

/// Whether somebody should act upon a finding.
enum class Concern { none, note, warning };
constexpr auto choice_names(Concern) {
  return std::array{ChoiceName{Concern::none, "none"}, ChoiceName{Concern::note, "note"},
                    ChoiceName{Concern::warning, "warning"}};
}

/// One answer of a diagnosis, in words; options are mentioned.
struct Finding {
  std::string topic; ///< labeling, columns, overlap, error, classes, limits
  Concern concern = Concern::none;
  std::string found = {};
  std::string why = {}; ///< it matters
  std::string remedy = {};
};

/// Some rows and how many of them have a label.
struct LabeledPart {
  std::string where; ///< "at most 38", "clerk", "missing", "age is above 38 and job is 'clerk'"
  Index n_rows = 0;
  Index n_labeled = 0;
};

/// A column by which labeled rows can be told from the others.
struct LabelingColumn {
  std::string name;
  double importance = 0.0;        ///< what is lost of the auc when the column is shuffled
  std::vector<LabeledPart> parts; ///< all rows, by the column's values
};

/// What a table with missing labels allows to say before anybody trusts a model of it
/// (docs/math/diagnosis.md).
struct Diagnosis {
  std::vector<std::string> classes;
  std::vector<Index> class_counts; ///< labeled rows of each
  Index n_labeled = 0;
  Index n_unlabeled = 0;

  // Are labels missing by lot? NaN: too few rows to tell.
  double auc = std::numeric_limits<double>::quiet_NaN(); ///< of labeled against unlabeled rows, held out
  double p_value = std::numeric_limits<double>::quiet_NaN();
  Index n_permutations = 0;
  std::vector<LabelingColumn> columns; ///< the strongest first; empty where lots are plausible
  std::optional<LabeledPart> gap;      ///< where labels are missing most

  // What the labels can say about the rows without one.
  double outside_share = 0.0;    ///< of the unlabeled rows: labels say nothing about them
  double effective_labels = 0.0; ///< how many labels those inside the region count for
  double error_inside = std::numeric_limits<double>::quiet_NaN(); ///< estimated; NaN: no label can tell
  Interval inside;                                                ///< 95 %, of the same
  Interval error; ///< of all unlabeled rows: inside as estimated, outside anything

  std::vector<Finding> findings;
};

/// The options count as in a fit, but for method, conditional and trust.
Diagnosis diagnose(const FitPlan& plan, const FitTask& task, Observer& observer = silent_observer());
Diagnosis diagnose(const DatasetView& data, const FitOptions& options = {},
                   Observer& observer = silent_observer());
/// The same for a table. Throws what fit_table throws.
Diagnosis diagnose_table(const FitRequest& request, Observer& observer = silent_observer());

} // namespace lacuna
