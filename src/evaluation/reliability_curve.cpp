#include "lacuna/evaluation/reliability_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "evaluation/bins.hpp"
#include "lacuna/core/errors.hpp"
#include "math/special.hpp"

namespace lacuna {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The groups of one bin, as a range.
struct Part {
  std::size_t first = 0;
  std::size_t last = 0; ///< behind the end
};

std::vector<Part> equal_width_parts(std::span<const ErrorGroup> groups, Index n_bins) {
  std::vector<Part> parts;
  std::size_t g = 0;
  for (Index b = 0; b < n_bins; ++b) {
    const std::size_t first = g;
    while (g < groups.size() && equal_width_bin(groups[g].error_probability, n_bins) == b) ++g;
    parts.push_back({first, g});
  }
  return parts;
}

std::vector<Part> equal_mass_parts(std::span<const ErrorGroup> groups, Index n_bins) {
  std::vector<Part> parts;
  for (const Index first : EqualMassCuts(groups).first_groups(n_bins)) {
    if (!parts.empty()) parts.back().last = static_cast<std::size_t>(first);
    parts.push_back({static_cast<std::size_t>(first), groups.size()});
  }
  return parts;
}

/// Fills in the bin what its groups say, and adds its share to the curve's sums (equation 3 of
/// docs/math/evaluation.md).
CurveBin make_bin(std::span<const ErrorGroup> groups, double error_rate, ReliabilityCurve& curve) {
  CurveBin bin;
  double sum = 0.0;
  for (const ErrorGroup& group : groups) {
    bin.n += group.n;
    bin.n_errors += group.n_errors;
    sum += static_cast<double>(group.n) * group.error_probability;
  }
  bin.interval = clopper_pearson(bin.n, bin.n_errors, interval_level);
  if (bin.n == 0) {
    bin.mean_error_probability = bin.error_rate = nan;
    return bin;
  }
  const auto n = static_cast<double>(bin.n);
  const auto n_errors = static_cast<double>(bin.n_errors);
  bin.mean_error_probability = sum / n;
  bin.error_rate = n_errors / n;
  curve.calibration_error += std::abs(n_errors - sum);
  const double gap = bin.mean_error_probability - bin.error_rate;
  const double step = bin.error_rate - error_rate;
  curve.murphy.reliability += n * gap * gap;
  curve.murphy.resolution += n * step * step;
  for (const ErrorGroup& group : groups) {
    const auto size = static_cast<double>(group.n);
    const double away = group.error_probability - bin.mean_error_probability;
    const double excess = static_cast<double>(group.n_errors) - size * bin.error_rate;
    curve.murphy.within_bins += away * (size * away - 2.0 * excess);
  }
  return bin;
}

Index bin_of_row(const ReliabilityCurve& curve, double error_probability) {
  if (curve.bin_kind == BinKind::equal_width) return equal_width_bin(error_probability, curve.n_bins);
  const auto above = std::ranges::upper_bound(curve.bins, error_probability, {}, &CurveBin::low);
  return above - curve.bins.begin() - 1;
}

[[noreturn]] void fail_option(const std::string& option, const std::string& found,
                              const std::string& expected) {
  ErrorParts parts;
  parts.option = option;
  parts.found = found;
  parts.expected = expected;
  throw Error(ErrorKind::usage, std::move(parts));
}

void add_contributions(const ScoredRows& rows, ReliabilityCurve& curve) {
  if (rows.stratum_names.empty()) return;
  if (rows.stratum.size() != rows.label.size())
    throw Error(ErrorKind::data, fmt::format("{} rows have {} strata: there must be one per row",
                                             rows.label.size(), rows.stratum.size()));
  for (CurveBin& bin : curve.bins) bin.contributions.assign(rows.stratum_names.size(), 0.0);
  for (std::size_t i = 0; i < rows.stratum.size(); ++i) {
    if (rows.stratum[i] == no_stratum || rows.label[i] == rows.prediction[i]) continue;
    CurveBin& bin = curve.bins[static_cast<std::size_t>(bin_of_row(curve, rows.error_probability[i]))];
    bin.contributions.at(static_cast<std::size_t>(rows.stratum[i])) += 1.0;
  }
  for (CurveBin& bin : curve.bins)
    for (double& errors : bin.contributions) errors = bin.n > 0 ? errors / static_cast<double>(bin.n) : nan;
}

} // namespace

Interval clopper_pearson(Index n, Index n_errors, double level) {
  Interval interval;
  const double tail = (1.0 - level) / 2.0;
  const auto hits = static_cast<double>(n_errors);
  const auto misses = static_cast<double>(n - n_errors);
  if (n_errors > 0) interval.low = beta_quantile(tail, hits, misses + 1.0);
  if (n_errors < n) interval.high = beta_quantile(1.0 - tail, hits + 1.0, misses);
  return interval;
}

ReliabilityCurve reliability_curve(const ScoredRows& rows, BinKind kind, Index n_bins) {
  if (n_bins < 1 || n_bins > max_curve_bins)
    fail_option("bins", std::to_string(n_bins), fmt::format("1 to {}", max_curve_bins));
  const std::vector<ErrorGroup> groups = error_groups(rows);
  Index n_errors = 0;
  for (const ErrorGroup& group : groups) n_errors += group.n_errors;
  const double n = rows.n_rows() > 0 ? static_cast<double>(rows.n_rows()) : nan;
  const double error_rate = static_cast<double>(n_errors) / n;

  ReliabilityCurve curve;
  curve.bin_kind = kind;
  curve.n_bins = n_bins;
  const bool is_equal_width = kind == BinKind::equal_width;
  for (const Part& part :
       is_equal_width ? equal_width_parts(groups, n_bins) : equal_mass_parts(groups, n_bins)) {
    const auto inside = std::span(groups).subspan(part.first, part.last - part.first);
    CurveBin bin = make_bin(inside, error_rate, curve);
    const auto b = static_cast<Index>(curve.bins.size());
    bin.low = is_equal_width ? equal_width_edge(b, n_bins) : inside.front().error_probability;
    bin.high = is_equal_width ? equal_width_edge(b + 1, n_bins) : inside.back().error_probability;
    curve.bins.push_back(std::move(bin));
  }
  curve.calibration_error /= n;
  curve.murphy.reliability /= n;
  curve.murphy.resolution /= n;
  curve.murphy.within_bins /= n;
  curve.murphy.uncertainty = error_rate * (1.0 - error_rate);
  add_contributions(rows, curve);
  return curve;
}

} // namespace lacuna
