#pragma once

#include <span>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// p(y|x) = (1 - epsilon) s_y + epsilon / K with s_y proportional to exp(b_y + tau log q(y|x)): a slope for
/// what q got too sure or too unsure of, an intercept per class for shares it got wrong, and a share of
/// labels that no score foretells (docs/math/conditional.md, section 5).
struct Calibration {
  double slope = 1.0;             ///< tau > 0
  std::vector<double> intercepts; ///< b, one per class
  double lapse = 0.0;             ///< epsilon, from 0 to below 1

  static Calibration identity(Index n_classes);

  /// Turns the scores of one row, log q(y|x) up to a constant, into log p(y|x). A score of minus infinity
  /// marks a class that cannot be judged; it gets the least probability.
  void apply(std::span<double> scores) const;

  void save(Archive& archive, const std::string& prefix) const;
  /// Throws Error(data).
  static Calibration load(const Archive& archive, const std::string& prefix, Index n_classes);
};

/// Scored rows whose classes are known.
struct ScoredLabels {
  MatrixView scores;               ///< one row per label, one column per class
  std::span<const int> labels;     ///< class numbers
  std::span<const double> weights; ///< of the rows; one with weight 0 does not count
};

/// The penalised likelihood that fit_calibration maximises.
double calibration_objective(const Calibration& calibration, const ScoredLabels& rows);

/// How likely it is that a model with so many more parameters is better, when it makes the rows more likely
/// by this gain (of log likelihood): Schwarz's approximation, both models being as likely before.
double probability_of_gain(double gain, Index n_parameters, double n_rows);

/// The slope, intercepts and lapse of the highest penalised likelihood, as far as rows are many enough to say
/// that they are better than none. The penalty pulls towards the identity as well, so that few rows change
/// little.
Calibration fit_calibration(const ScoredLabels& rows, int threads = 1);

} // namespace lacuna
