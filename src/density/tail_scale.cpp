#include "density/tail_scale.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "core/order.hpp"

// Derived in docs/math/columns.md.

namespace lacuna {

namespace {

/// Nats per row. A scale is taken when it gains more.
constexpr double clear_gain = 0.1;
/// Of the distance that half of the points keep from the anchor.
constexpr std::array scale_parts = {1.0, 1.0 / 4.0, 1.0 / 16.0, 1.0 / 64.0};
/// Where two normals begin: this share of the points belongs to the lower one.
constexpr std::array lower_shares = {0.5, 0.1, 0.9};
constexpr int n_two_normal_steps = 40;
/// A component is no narrower than this share of the whole: ties of rounded numbers are no evidence.
constexpr double least_deviation = 0.05;

double mean_of(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

double deviation_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0.0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return std::sqrt(sum / static_cast<double>(values.size()));
}

/// Mean log likelihood of points under the normal density with their mean and deviation.
double normal_fit(std::span<const double> points) {
  return -0.5 * std::log(2.0 * std::numbers::pi) - 0.5 - std::log(deviation_of(points));
}

struct Normal {
  double share;
  double mean;
  double variance;

  double log_joint(double z) const {
    return std::log(share) -
           0.5 * (std::log(2.0 * std::numbers::pi * variance) + (z - mean) * (z - mean) / variance);
  }
};

/// One step of EM; returns the mean log likelihood before it.
double step(std::span<const double> z, Normal& a, Normal& b) {
  double log_likelihood = 0.0;
  std::array<double, 3> sums_a{};
  std::array<double, 3> sums_b{};
  for (const double value : z) {
    const double log_a = a.log_joint(value);
    const double log_b = b.log_joint(value);
    const double larger = std::max(log_a, log_b);
    const double total = std::exp(log_a - larger) + std::exp(log_b - larger);
    log_likelihood += larger + std::log(total);
    const double of_a = std::exp(log_a - larger) / total;
    const double powers[] = {1.0, value, value * value};
    for (std::size_t p = 0; p < 3; ++p) {
      sums_a[p] += of_a * powers[p];
      sums_b[p] += (1.0 - of_a) * powers[p];
    }
  }
  const auto n = static_cast<double>(z.size());
  const auto update = [n](const std::array<double, 3>& sums, Normal& normal) {
    constexpr double hardly_any = 1e-9;
    if (!(sums[0] > hardly_any)) return;
    normal.share = sums[0] / n;
    normal.mean = sums[1] / sums[0];
    normal.variance =
        std::max(sums[2] / sums[0] - normal.mean * normal.mean, least_deviation * least_deviation);
  };
  update(sums_a, a);
  update(sums_b, b);
  return log_likelihood / n;
}

/// The same under two normal densities: clusters are no tails, and a mixture tells them apart by itself. The
/// points must be increasing.
double two_normal_fit(std::span<const double> points) {
  const double mean = mean_of(points);
  const double deviation = deviation_of(points);
  std::vector<double> z;
  for (const double point : points) z.push_back((point - mean) / deviation);
  double best = normal_fit(points);
  for (const double share : lower_shares) {
    const auto n_lower = static_cast<std::size_t>(share * static_cast<double>(z.size()));
    const std::span<const double> all(z);
    const auto begin = [](std::span<const double> part, double of_all) {
      const double width = std::max(deviation_of(part), least_deviation);
      return Normal{of_all, mean_of(part), width * width};
    };
    Normal lower = begin(all.first(n_lower), share);
    Normal upper = begin(all.subspan(n_lower), 1.0 - share);
    double reached = 0.0;
    for (int i = 0; i < n_two_normal_steps; ++i) reached = step(z, lower, upper);
    best = std::max(best, reached - std::log(deviation));
  }
  return best;
}

/// Points on another scale, and what the change costs each of them on average.
struct Scaled {
  TailScale scale;
  std::vector<double> points;
  double log_jacobian = 0.0;

  Scaled(const TailScale& by, std::span<const double> given) : scale(by) {
    for (const double x : given) {
      const double z = (x - by.anchor) / by.scale;
      points.push_back(std::asinh(z));
      log_jacobian -= std::log(by.scale) + std::log(std::hypot(1.0, z));
    }
    log_jacobian /= static_cast<double>(given.size());
  }
};

/// The distance that half of the points keep.
double typical_distance(std::span<const double> points, double anchor) {
  std::vector<double> distances;
  for (const double x : points) distances.push_back(std::abs(x - anchor));
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end(), NanLast{});
  return *middle;
}

} // namespace

std::optional<TailScale> choose_tail_scale(std::span<const double> points, double low, double middle,
                                           double high) {
  const double plain = normal_fit(points);
  std::optional<Scaled> best;
  double best_fit = plain + clear_gain;
  for (const double anchor : {low, middle, high}) {
    const double distance = typical_distance(points, anchor);
    for (const double part : scale_parts) {
      const TailScale scale{anchor, part * distance};
      if (!(scale.scale > 0.0 && std::isfinite(1.0 / scale.scale))) continue;
      Scaled candidate(scale, points);
      const double fit = normal_fit(candidate.points) + candidate.log_jacobian;
      if (!(fit > best_fit)) continue;
      best_fit = fit;
      best = std::move(candidate);
    }
  }
  if (!best || !std::isfinite(best_fit)) return std::nullopt;
  const double gain = two_normal_fit(best->points) + best->log_jacobian - two_normal_fit(points);
  return gain > clear_gain ? std::optional(best->scale) : std::nullopt;
}

} // namespace lacuna
