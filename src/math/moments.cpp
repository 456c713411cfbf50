#include "math/moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lacuna {

RowMomentsSum::RowMomentsSum(Index n_features) {
  const auto d = static_cast<std::size_t>(n_features);
  sums_ = {0.0, std::vector<double>(d), std::vector<double>(d), std::vector<double>(d),
           std::vector<double>(d)};
  low_.assign(d, std::numeric_limits<double>::infinity());
  high_.assign(d, -std::numeric_limits<double>::infinity());
}

/// West's update: one pass, and no cancellation however far the data lie from zero.
void RowMomentsSum::add_value(std::size_t j, double x, double weight, double share) {
  const double difference = x - sums_.mean[j];
  sums_.mean[j] += share * difference;
  sums_.variance[j] += weight * difference * (x - sums_.mean[j]);
  low_[j] = std::min(low_[j], x);
  high_[j] = std::max(high_[j], x);
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
      add_value(j, row[j], weight, share);
    } else if (!std::isnan(row[j])) {
      sums_.present[j] += weight;
      add_value(j, row[j], weight, weight / sums_.present[j]);
    }
  }
}

RowMoments RowMomentsSum::result() const {
  RowMoments result = sums_;
  if (!has_gaps_) result.present.assign(result.mean.size(), result.weight);
  for (std::size_t j = 0; j < result.mean.size(); ++j)
    if (result.present[j] > 0.0) {
      result.variance[j] = std::max(0.0, result.variance[j] / result.present[j]);
      result.range[j] = high_[j] - low_[j];
    }
  return result;
}

RowMoments row_moments(const WeightedRows& rows) {
  RowMomentsSum sum(rows.n_features());
  sum.add(rows);
  return sum.result();
}

bool has_missing(std::span<const double> values) {
  const auto any = [](std::span<const double> some) {
    bool found = false;
    for (const double value : some) found |= std::isnan(value);
    return found;
  };
  // A sum with NaN in it is NaN, and adding up is quicker than asking one by one. Infinities may give NaN as
  // well.
  constexpr std::size_t step = 8;
  std::size_t i = 0;
  for (; i + step <= values.size(); i += step) {
    const double* const v = values.data() + i;
    const double sum = ((v[0] + v[1]) + (v[2] + v[3])) + ((v[4] + v[5]) + (v[6] + v[7]));
    if (std::isnan(sum) && any(values.subspan(i, step))) return true;
  }
  return any(values.subspan(i));
}

} // namespace lacuna
