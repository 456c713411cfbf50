#pragma once

#include <span>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/evaluation/diagnostics.hpp"

namespace LACUNA_API lacuna {

/// Held-out probabilities of all classes, and what the rows were.
struct HeldOutProbabilities {
  MatrixView probability;          ///< one row per label, one column per class
  std::span<const int> labels;     ///< class numbers
  std::span<const double> weights; ///< above zero
};

/// The usual isotonic calibration of a classifier: per class, its frequency as a rising function of its
/// probability (one class against the rest, pool adjacent violators); then the classes are made to sum to
/// one.
class ClassIsotonic {
public:
  /// Changes nothing.
  ClassIsotonic() = default;
  /// Without rows it changes nothing.
  explicit ClassIsotonic(const HeldOutProbabilities& rows);

  /// Replaces the probabilities of one row. Where every class gets zero, all are alike.
  void apply(std::span<double> probabilities) const;

private:
  std::vector<std::vector<IsotonicBlock>> of_class_;
};

} // namespace lacuna
