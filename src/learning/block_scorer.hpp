#pragma once

#include <span>
#include <vector>

#include "lacuna/learning/classifier.hpp"
#include "learning/evidence.hpp"

namespace lacuna {

/// Everything a classifier says about one block of rows. Equation numbers refer to docs/math/classifier.md.
class BlockScorer {
public:
  /// `first` is the place of the block's first row in `scores`.
  BlockScorer(const GenerativeClassifier::Parts& parts, MatrixView rows, Index first, Scores& scores);

  /// Writes the scores of all rows of the block, and what is behind them to `anatomy`, unless that is empty.
  void score_rows(std::span<Anatomy> anatomy = {});

private:
  void set_joint_parts(Index y);
  void set_product_parts(Index y);
  double common_part(Index b) const;
  void add_common_part();
  double outside_weight(Index b) const;
  double background_weight(Index b) const;
  void set_prediction(Index b, Index guess);
  void set_region(Index b, double background_share);
  double log_ratio(Index b) const;
  double class_probability(Index y) const;
  void set_anatomy(std::span<Anatomy> anatomy);
  template <class Value>
  std::span<const double> means_over_draws(const Value& value);

  const GenerativeClassifier::Parts& parts_;
  MatrixView rows_;
  Index n_classes_;
  Index first_;
  Scores& scores_;
  ClassEvidence initial_;
  std::vector<ClassEvidence> draws_;
  std::vector<double> uninformative_;
  std::vector<double> unlabeled_;
  std::vector<double> background_; ///< log of its weight and density; empty without one
  Matrix terms_;                   ///< a line per draw
  std::vector<double> means_;      ///< over draws
  double log_weight_;
  double log_rest_;
  double log_classes_;
  double log_draws_;
};

} // namespace lacuna
