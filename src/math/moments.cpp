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

RowMomentsSum::RowMomentsSum(Index n_features) {
  const auto d = static_cast<std::size_t>(n_features);
  sums_ = {0.0, std::vector<double>(d), std::vector<double>(d), std::vector<double>(d)};
}

void RowMomentsSum::add(const WeightedRows& rows) {
  for (Index i = 0; i < rows.size(); ++i)
    if (rows.weight(i) > 0.0) add_row(rows.row(i), rows.weight(i));
}

void RowMomentsSum::add_row(const double* row, double weight) {
  const std::size_t d = sums_.mean.size();
  if (!has_gaps_ && has_missing({row, d})) { // up to here all features had the same weight
    has_gaps_ = true;
    sums_.present.assign(d, sums_.weight);
  }
  sums_.weight += weight;
  const double share = weight / sums_.weight;
  for (std::size_t j = 0; j < d; ++j) {
    if (!has_gaps_) {
      add_value(row[j], weight, share, sums_.mean[j], sums_.variance[j]);
    } else if (!std::isnan(row[j])) {
      sums_.present[j] += weight;
      add_value(row[j], weight, weight / sums_.present[j], sums_.mean[j], sums_.variance[j]);
    }
  }
}

RowMoments RowMomentsSum::result() const {
  RowMoments result = sums_;
  if (!has_gaps_) result.present.assign(result.mean.size(), result.weight);
  for (std::size_t j = 0; j < result.mean.size(); ++j)
    if (result.present[j] > 0.0) result.variance[j] = std::max(0.0, result.variance[j] / result.present[j]);
  return result;
}

RowMoments row_moments(const WeightedRows& rows) {
  RowMomentsSum sum(rows.n_features());
  sum.add(rows);
  return sum.result();
}

bool has_missing(std::span<const double> values) {
  bool found = false;
  for (const double value : values) found |= std::isnan(value);
  return found;
}

} // namespace lacuna
