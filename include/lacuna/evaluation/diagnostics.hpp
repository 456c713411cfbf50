#pragma once

#include <span>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/evaluation/reliability.hpp"
#include "lacuna/evaluation/scored_rows.hpp"

namespace LACUNA_API lacuna {

/// One observation of a quantity that is to rise with x.
struct IsotonicPoint {
  double x = 0.0;
  double y = 0.0;
  double weight = 1.0; ///< > 0; weight 2 is the point twice
};

/// A stretch on which the rising fit is constant.
struct IsotonicBlock {
  double low = 0.0; ///< smallest x
  double high = 0.0;
  double mean_x = 0.0;
  double value = 0.0; ///< the weighted mean of y
  double weight = 0.0;
};

/// Weighted least squares among all functions that never fall (pool adjacent violators). The points come in
/// rising order of x; those that share one x are pooled first. The values of the blocks rise strictly.
std::vector<IsotonicBlock> isotonic_fit(std::span<const IsotonicPoint> points);

/// The fit at x: constant within blocks, a straight line between them, constant beyond the ends. `blocks`
/// must not be empty.
double isotonic_value(std::span<const IsotonicBlock> blocks, double x);

/// The reliability curve without bins: the error rate as a rising function of the error probability, and what
/// it says about brier_error = miscalibration - discrimination + uncertainty. NaN without rows.
struct CorpCurve {
  std::vector<IsotonicBlock> blocks; ///< x: error_probability, value: error rate, weight: number of rows
  double miscalibration = 0.0;       ///< what recalibration by the curve would save; 0 is best
  double discrimination = 0.0;       ///< what knowing the rows apart is worth; large is good
  double uncertainty = 0.0;          ///< of the outcome itself
};
CorpCurve corp_curve(std::span<const ErrorGroup> groups);

/// At most `max_blocks` blocks, for drawing: neighbours merged, weights and sums kept.
std::vector<IsotonicBlock> thinned(std::span<const IsotonicBlock> blocks, Index max_blocks);

/// Accept only rows up to this error probability: how many are these, and how often are they wrong?
struct RiskCoveragePoint {
  double error_probability = 0.0;
  double coverage = 0.0; ///< share of the rows that are accepted
  double risk = 0.0;     ///< error rate among them
};

/// What the error probability is worth for deciding which predictions to use. NaN without rows.
struct RiskCoverage {
  std::vector<RiskCoveragePoint> curve; ///< one point per different error probability, by rising coverage
  double aurc = 0.0;                    ///< area under the curve: mean risk over all coverages
  double augrc = 0.0; ///< area under the generalised curve, whose risk counts errors per row, accepted or not
  double coverage_at_5_percent_risk = 0.0;  ///< the largest coverage with risk <= 0.05; 0 when there is none
  double risk_at_80_percent_coverage = 0.0; ///< at the smallest coverage >= 0.8 that a threshold can give
};
RiskCoverage risk_coverage(std::span<const ErrorGroup> groups);

/// At most `max_points` >= 2 of the points, for drawing: the first, the last, and others evenly over
/// coverage.
std::vector<RiskCoveragePoint> thinned(std::span<const RiskCoveragePoint> curve, Index max_points);

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
