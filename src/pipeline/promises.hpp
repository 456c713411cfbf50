#pragma once

#include <optional>
#include <vector>

#include "lacuna/learning/guarantees.hpp"
#include "lacuna/pipeline/predict.hpp"

namespace lacuna {

/// What is promised about some rows. What was not asked for is empty.
struct Promises {
  std::vector<double> worst_error_probability;
  std::vector<double> flip_odds;
  std::vector<char> sets;     ///< rows x classes
  std::vector<char> accepted; ///< per row
};

/// Finds out once what holds for all rows. Safe to use from many threads at once.
class PromiseMaker {
public:
  /// `classifier` is borrowed. Throws Error(usage) where it cannot promise.
  PromiseMaker(const GenerativeClassifier& classifier, const PredictOptions& options);

  Promises of(const Scores& scores) const;
  /// Whether some error probability is small enough to be accepted.
  bool accepts_any() const { return acceptance_ && acceptance_->threshold >= 0.0; }

private:
  const GenerativeClassifier& classifier_;
  const PromiseOptions options_;
  std::optional<Acceptance> acceptance_;
};

} // namespace lacuna
