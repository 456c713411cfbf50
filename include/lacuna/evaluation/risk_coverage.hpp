#pragma once

#include <span>
#include <vector>

#include "lacuna/evaluation/scored_rows.hpp"

namespace lacuna {

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

} // namespace lacuna
