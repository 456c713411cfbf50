#include "lacuna/evaluation/diagnostics.hpp"

#include <algorithm>
#include <limits>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

/// The sum of E_i / i over the rows of a group that comes after n rows with e errors. Within a group the
/// order is nobody's choice: errors count as spread evenly, their mean over all orders (equation 7 of
/// docs/math/evaluation.md).
double sum_of_risks(const ErrorGroup& group, Index n, Index e) {
  const double step = static_cast<double>(group.n_errors) / static_cast<double>(group.n);
  double sum = 0.0;
  for (Index j = 1; j <= group.n; ++j)
    sum += (static_cast<double>(e) + static_cast<double>(j) * step) / static_cast<double>(n + j);
  return sum;
}

} // namespace

RiskCoverage risk_coverage(std::span<const ErrorGroup> groups) {
  RiskCoverage result;
  Index n_rows = 0;
  for (const ErrorGroup& group : groups) n_rows += group.n;
  const double total = n_rows > 0 ? static_cast<double>(n_rows) : std::numeric_limits<double>::quiet_NaN();
  Index n = 0;
  Index e = 0;
  double area = 0.0;
  double generalised_area = 0.0;
  bool is_at_80_percent = false;
  result.curve.reserve(groups.size());
  for (const ErrorGroup& group : groups) {
    area += sum_of_risks(group, n, e);
    generalised_area += static_cast<double>(group.n) * static_cast<double>(2 * e + group.n_errors) / 2.0;
    n += group.n;
    e += group.n_errors;
    const RiskCoveragePoint point{group.error_probability, static_cast<double>(n) / total,
                                  static_cast<double>(e) / static_cast<double>(n)};
    result.curve.push_back(point);
    // Compared in whole numbers: 0.05 and 0.8 are no binary fractions.
    if (20 * e <= n) result.coverage_at_5_percent_risk = point.coverage;
    if (!is_at_80_percent && 10 * n >= 8 * n_rows) {
      is_at_80_percent = true;
      result.risk_at_80_percent_coverage = point.risk;
    }
  }
  result.aurc = area / total;
  result.augrc = generalised_area / (total * total);
  if (n_rows == 0) result.coverage_at_5_percent_risk = result.risk_at_80_percent_coverage = total;
  return result;
}

std::vector<RiskCoveragePoint> thinned(std::span<const RiskCoveragePoint> curve, Index max_points) {
  if (max_points < 2) throw Error(ErrorKind::usage, "a curve needs at least two points");
  if (static_cast<Index>(curve.size()) <= max_points) return {curve.begin(), curve.end()};
  const double first = curve.front().coverage;
  const double step = (curve.back().coverage - first) / static_cast<double>(max_points - 1);
  std::vector<RiskCoveragePoint> result{curve.front()};
  auto from = curve.begin();
  for (Index k = 1; k < max_points - 1; ++k) {
    const auto next = std::ranges::lower_bound(from, curve.end(), first + static_cast<double>(k) * step, {},
                                               &RiskCoveragePoint::coverage);
    if (next == curve.end()) break;
    if (next != from && next + 1 != curve.end()) result.push_back(*next);
    from = next;
  }
  result.push_back(curve.back());
  return result;
}

} // namespace lacuna
