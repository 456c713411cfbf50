#pragma once

#include <span>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/evaluation/reliability.hpp"

namespace lacuna {

/// Calibration of the probability of each class, over all rows: gathered row by row, because the
/// probabilities of all classes are too many to keep.
class ClasswiseAccumulator {
public:
  explicit ClasswiseAccumulator(Index n_classes);
  /// The true class and the probabilities of all classes, in [0, 1].
  void add(int label, std::span<const double> probabilities);
  /// Per class, the mean distance between its probability and its frequency, over n_reliability_bins equal
  /// bins of its probability. NaN without rows.
  std::vector<double> calibration_errors() const;
  /// Their mean over the classes: classwise_calibration_error.
  double mean_calibration_error() const;

private:
  struct Sums {
    double probability = 0.0;
    double hits = 0.0;
  };
  Index n_rows_ = 0;
  Index n_classes_ = 0;
  std::vector<Sums> bins_; ///< n_reliability_bins per class
};

/// How often each class was taken for which.
class ConfusionMatrix {
public:
  ConfusionMatrix() = default;
  explicit ConfusionMatrix(Index n_classes);
  void add(int label, int prediction) { ++counts_[place(label, prediction)]; }
  Index n_classes() const { return n_classes_; }
  /// Rows of this true class with this prediction.
  Index count(int label, int prediction) const { return counts_[place(label, prediction)]; }

private:
  std::size_t place(int label, int prediction) const {
    return static_cast<std::size_t>(label * n_classes_ + prediction);
  }
  Index n_classes_ = 0;
  std::vector<Index> counts_;
};

} // namespace lacuna
