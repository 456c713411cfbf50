#pragma once

#include <memory>
#include <string>
#include <vector>

#include "conditional/stack.hpp"
#include "lacuna/learning/classifier.hpp"
#include "learning/label_distance.hpp"
#include "learning/label_share.hpp"
#include "learning/ratio_model.hpp"
#include "learning/trust.hpp"

namespace lacuna {

/// Classes that are hardly labeled must live somewhere, and mostly outside (docs/math/trust.md, section 4).
struct HardlyLabeled {
  std::vector<double> hardness; ///< per class: 0 for enough labels, 1 for none
  double share = 0.0;           ///< m: how much of what lies outside they can be

  /// From labels per class and the share of all rows that lies outside.
  static HardlyLabeled of(const std::vector<double>& labels_of_class, double outside);
  /// What lies outside and is not extrapolated: the probability of class y.
  double probability(std::size_t y) const;
  /// How much of an extrapolation to class y is kept: what looks like a class with enough labels may be one
  /// that has hardly any, but not the other way round.
  double kept(std::size_t y) const { return hardness[y] > 0.0 ? 1.0 : 1.0 - share; }
};

/// What a classifier with a stack knows beside its densities: p(y|x) where labels speak, where that is, and
/// what it is worth elsewhere. Immutable.
struct StackedModel {
  std::shared_ptr<const Stack> conditional;
  RatioModel ratio;
  std::shared_ptr<const LabelShare> share;
  std::shared_ptr<const LabelDistance> distance;
  std::vector<Trust> trust; ///< the least counts; empty: none
  HardlyLabeled hardly_labeled;

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
