#include <algorithm>
#include <cmath>

#include "report/page.hpp"

namespace lacuna {

namespace {

// Fine enough for a slider of any width; the counts of all positions stay a few kilobytes.
constexpr double n_steps = 360.0;

} // namespace

std::vector<double> kappa_positions(double kappa, std::vector<double> log_ratios) {
  std::erase_if(log_ratios, [](double ratio) { return !std::isfinite(ratio); });
  if (!std::isfinite(kappa) || log_ratios.empty()) return {};
  std::sort(log_ratios.begin(), log_ratios.end());
  // Far outliers would leave no room for the bulk.
  const auto quantile = [&](double share) {
    return log_ratios[static_cast<std::size_t>(share * static_cast<double>(log_ratios.size() - 1))];
  };
  const double reach = 1e9 * std::max(1.0, std::abs(kappa)); // keeps all sums finite
  const double low = std::max(std::min(quantile(0.02), kappa), kappa - reach);
  const double high = std::min(std::max(quantile(0.998), kappa), kappa + reach);
  // Within a nat of kappa the steps are equal; beyond, where rows lie far and wide, they grow.
  const double below = std::asinh(kappa - low);
  const double above = std::asinh(high - kappa);
  const double step = std::max(below + above, 0.1) / n_steps;
  std::vector<double> positions;
  const auto last = static_cast<Index>(std::ceil(above / step)) + 1;
  for (Index i = -static_cast<Index>(std::ceil(below / step)) - 1; i <= last; ++i) {
    const double position = i == 0 ? kappa : kappa + std::sinh(static_cast<double>(i) * step);
    // A large kappa may swallow the smallest steps; kappa itself always stays.
    if (i < 0 && !(position < kappa)) continue;
    if (positions.empty() || position > positions.back()) positions.push_back(position);
  }
  return positions;
}

ReportRowCounts count_informative(std::string rows_name, std::vector<double> log_ratios,
                                  const std::vector<double>& positions) {
  ReportRowCounts counts{std::move(rows_name), static_cast<Index>(log_ratios.size()), {}};
  std::erase_if(log_ratios, [](double ratio) { return std::isnan(ratio); });
  std::sort(log_ratios.begin(), log_ratios.end());
  for (const double position : positions)
    counts.n_informative.push_back(log_ratios.end() -
                                   std::upper_bound(log_ratios.begin(), log_ratios.end(), position));
  return counts;
}

} // namespace lacuna
