#pragma once

#include <optional>
#include <span>

#include "lacuna/learning/guarantees.hpp"
#include "lacuna/pipeline/evaluate.hpp"

namespace LACUNA_API lacuna {

/// Counts on rows with labels what a classifier's promises come to.
class PromiseTally {
public:
  /// `classifier` is borrowed. Counts nothing where it keeps no held-out answers.
  explicit PromiseTally(const GenerativeClassifier& classifier);

  /// One label per scored row; rows without one do not count.
  void add(const Scores& scores, std::span<const int> labels);
  /// Nothing where nothing is promised.
  const std::optional<PromiseCheck>& found() const { return found_; }

private:
  const GenerativeClassifier& classifier_;
  Acceptance acceptance_;
  std::optional<PromiseCheck> found_;
};

} // namespace lacuna
