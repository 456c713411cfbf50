#pragma once

#include <span>
#include <vector>

#include "lacuna/learning/classifier.hpp"
#include "learning/stacked_model.hpp"

namespace lacuna {

/// What is known about one row before it is decided.
struct StackedRow {
  std::span<const double> log_p; ///< log p(y|x) where labels speak
  double log_ratio = 0.0;
  double disagreement = 0.0;
  double log_share = 0.0;
  double distance = 0.0;
};

/// The posterior q(y|x) of docs/math/trust.md, eq. 1, without the background.
struct StackedAnswer {
  double outside = 0.0;  ///< rho
  double trust = 0.0;    ///< how much of the extrapolation is kept
  double believed = 0.0; ///< how much of its certainty it keeps, for which classes with few labels take some
};
/// The class with the largest posterior; where rounding leaves ties, that which p(y|x) prefers.
std::size_t best_class(std::span<const double> posterior, std::span<const double> log_p);

StackedAnswer answer_row(const StackedModel& model, double kappa, const StackedRow& row,
                         std::span<double> posterior);

/// Writes everything a classifier with a stack says about one block of rows to `scores`, from place `first`
/// on, and what is behind it to `anatomy`, unless that is empty.
void score_stacked(const GenerativeClassifier::Parts& parts, MatrixView rows, Index first, Scores& scores,
                   std::span<Anatomy> anatomy = {});

} // namespace lacuna
