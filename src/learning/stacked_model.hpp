#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "conditional/stack.hpp"
#include "lacuna/learning/classifier.hpp"
#include "learning/column_ranges.hpp"
#include "learning/hardly_labeled.hpp"
#include "learning/held_out_answers.hpp"
#include "learning/label_distance.hpp"
#include "learning/label_share.hpp"
#include "learning/ratio_model.hpp"
#include "learning/trust.hpp"

namespace lacuna {

/// What a classifier with a stack knows beside its densities: p(y|x) where labels speak, where that is, and
/// what it is worth elsewhere. Immutable.
struct StackedModel {
  std::shared_ptr<const Stack> conditional;
  RatioModel ratio;
  std::shared_ptr<const LabelShare> share;
  std::shared_ptr<const LabelDistance> distance;
  std::vector<Trust> trust; ///< the least counts; empty: none
  HardlyLabeled hardly_labeled;
  double usual_strangeness = 0.0; ///< the log odds of the background that rows of the table themselves show
  ColumnRanges ranges;
  std::optional<HeldOutAnswers> held_out = {}; ///< of labeled rows inside; older files have none

  /// The class densities among the members; empty when there are none.
  std::vector<ClassModel> class_models() const;

  void save(Archive& archive, const std::string& prefix) const;
  /// `parts` are the classifier's densities, which are read already. Throws Error(data).
  static std::shared_ptr<const StackedModel> load(const Archive& archive, const std::string& prefix,
                                                  const GenerativeClassifier::Parts& parts);
};

/// The region ends softly: a row whose log ratio is this much above kappa is inside, this much below outside.
inline constexpr double region_edge = 0.6;

/// rho: how far a row is outside.
double outside_share(double log_ratio, double kappa);

/// How much members disagree about each row: the mean distance (total variation) of their calibrated answers,
/// which are logs, from their mean. Members of little weight have a say too; those of none have not.
std::vector<double> disagreements(const std::vector<Matrix>& by_member, const std::vector<double>& weights);

/// What a stack says about some rows, before anything is said about the region.
struct StackAnswers {
  StackAnswers(const Stack& stack, MatrixView rows);

  std::vector<double> log_p;        ///< one line per row
  std::vector<double> disagreement; ///< of the members, weighted
};

} // namespace lacuna
