#include "lacuna/math/moments.hpp"

#include <algorithm>
#include <cmath>

namespace lacuna {

namespace {

/// West's update: one pass, and no cancellation however far the data lie from zero.
void add_value(double x, double weight, double share, double& mean, double& variance) {
  const double difference = x - mean;
  mean += share * difference;
  variance += weight * difference * (x - mean);
}

} // namespace

RowMoments row_moments(const WeightedRows& rows) {
  const auto d = static_cast<std::size_t>(rows.n_features());
  RowMoments result{0.0, std::vector<double>(d), std::vector<double>(d), std::vector<double>(d)};
  bool has_gaps = false;
  for (Index i = 0; i < rows.size(); ++i) {
    const double w = rows.weight(i);
    if (w <= 0.0) continue;
    const double* const x = rows.row(i);
    if (!has_gaps && has_missing({x, d})) { // up to here all features had the same weight
      has_gaps = true;
      result.present.assign(d, result.weight);
    }
    result.weight += w;
    const double share = w / result.weight;
    for (std::size_t j = 0; j < d; ++j) {
      if (!has_gaps) {
        add_value(x[j], w, share, result.mean[j], result.variance[j]);
      } else if (!std::isnan(x[j])) {
        result.present[j] += w;
        add_value(x[j], w, w / result.present[j], result.mean[j], result.variance[j]);
      }
    }
  }
  if (!has_gaps) result.present.assign(d, result.weight);
  for (std::size_t j = 0; j < d; ++j)
    if (result.present[j] > 0.0) result.variance[j] = std::max(0.0, result.variance[j] / result.present[j]);
  return result;
}

bool has_missing(std::span<const double> values) {
  bool found = false;
  for (const double value : values) found |= std::isnan(value);
  return found;
}

} // namespace lacuna
