#pragma once

#include <span>
#include <vector>

#include "lacuna/evaluation/scored_rows.hpp"

namespace lacuna {

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

} // namespace lacuna
