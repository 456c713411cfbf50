#include <algorithm>
#include <cmath>

#include "lacuna/report/page.hpp"

namespace lacuna {

namespace {

// Fine enough for a slider of any width; the counts of all positions stay a few kilobytes.
constexpr double wanted_steps = 360.0;
constexpr double max_steps_per_side = 1500.0;

/// The smallest of 1, 2 and 5 times a power of ten that is not below `value`.
double round_step(double value) {
  const double power = std::pow(10.0, std::floor(std::log10(value)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (factor * power >= value) return factor * power;
  return 10.0 * power;
}

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
  const double step =
      std::max({round_step(std::max(high - low, 0.1) / wanted_steps), 1e-9 * std::abs(kappa)});
  const auto n_steps = [&](double distance) {
    return static_cast<Index>(std::min(std::ceil(distance / step) + 1.0, max_steps_per_side));
  };
  std::vector<double> positions;
  const Index n_above = n_steps(high - kappa);
  for (Index i = -n_steps(kappa - low); i <= n_above; ++i)
    positions.push_back(i == 0 ? kappa : kappa + static_cast<double>(i) * step);
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
