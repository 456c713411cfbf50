#pragma once

#include <optional>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/learning/guarantees.hpp"

namespace lacuna {

/// What a model said about labeled rows inside the region before it saw their labels. Immutable.
class HeldOutAnswers {
public:
  struct Row {
    double true_probability = 0.0; ///< that the true class got
    double error_probability = 0.0;
    bool is_wrong = false;
    double log_share = 0.0; ///< of labels among rows like it, over that among all rows
    double weight = 1.0;    ///< the user's
  };

  /// Without rows nothing is promised: sets have all classes, and no row is accepted.
  explicit HeldOutAnswers(const std::vector<Row>& rows = {});

  /// The largest 1 - p(y|x) of a class in the set of a row with this share of labels (eq. 2); infinite: all.
  double set_threshold(double log_share, const SetRequest& request) const;
  /// Section 3.
  Acceptance acceptance(const RiskRequest& request) const;

  void save(Archive& archive, const std::string& prefix) const;
  /// Nothing for a model that was saved without them. Throws Error(data).
  static std::optional<HeldOutAnswers> load(const Archive& archive, const std::string& prefix);

private:
  void add_up();

  // By rising score, 1 - the probability of the true class.
  std::vector<double> scores_;
  std::vector<double> error_probabilities_;
  std::vector<double> wrong_; ///< 0 or 1
  std::vector<double> log_weights_;
  std::vector<double> user_weights_;
  std::vector<double> lots_; ///< uniform numbers that know nothing of the labels
  // What follows.
  double largest_log_weight_ = 0.0;
  std::vector<double> weights_up_to_; ///< sums over rows from the first on, over the largest weight
};

} // namespace lacuna
