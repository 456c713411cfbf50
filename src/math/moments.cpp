#include "math/moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace lacuna {

RowMomentsSum::RowMomentsSum(Index n_features) {
  const auto d = static_cast<std::size_t>(n_features);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  sums_ = {.present = std::vector<double>(d),
           .mean = std::vector<double>(d),
           .variance = std::vector<double>(d),
           .low = std::vector<double>(d, infinity),
           .high = std::vector<double>(d, -infinity)};
}

/// West's update: one pass, and no cancellation however far the data lie from zero.
void RowMomentsSum::add_value(std::size_t j, double x, double weight, double share) {
  const double difference = x - sums_.mean[j];
  sums_.mean[j] += share * difference;
  sums_.variance[j] += weight * difference * (x - sums_.mean[j]);
  sums_.low[j] = std::min(sums_.low[j], x);
  sums_.high[j] = std::max(sums_.high[j], x);
}

void RowMomentsSum::add(const WeightedRows& rows) {
  for (Index i = 0; i < rows.size(); ++i)
    if (rows.weight(i) > 0.0) add_row(rows.row(i), rows.weight(i));
}

void RowMomentsSum::add_row(const double* row, double weight) {
  const std::size_t d = sums_.mean.size();
  if (!has_gaps_ && has_missing({row, d})) tell_gaps();
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

/// Up to here all features had the same weight.
void RowMomentsSum::tell_gaps() {
  has_gaps_ = true;
  sums_.present.assign(sums_.mean.size(), sums_.weight);
}

/// Chan's update, which loses no digits either.
void RowMomentsSum::add(const RowMomentsSum& other) {
  if (other.has_gaps_ && !has_gaps_) tell_gaps();
  for (std::size_t j = 0; j < sums_.mean.size(); ++j) {
    const double here = has_gaps_ ? sums_.present[j] : sums_.weight;
    const double there = other.has_gaps_ ? other.sums_.present[j] : other.sums_.weight;
    if (!(there > 0.0)) continue;
    const double share = there / (here + there);
    const double difference = other.sums_.mean[j] - sums_.mean[j];
    sums_.mean[j] += share * difference;
    sums_.variance[j] += other.sums_.variance[j] + here * share * difference * difference;
    sums_.low[j] = std::min(sums_.low[j], other.sums_.low[j]);
    sums_.high[j] = std::max(sums_.high[j], other.sums_.high[j]);
    if (has_gaps_) sums_.present[j] += there;
  }
  sums_.weight += other.sums_.weight;
}

RowMoments RowMomentsSum::result() const {
  RowMoments result = sums_;
  if (!has_gaps_) result.present.assign(result.mean.size(), result.weight);
  for (std::size_t j = 0; j < result.mean.size(); ++j)
    if (result.present[j] > 0.0) result.variance[j] = std::max(0.0, result.variance[j] / result.present[j]);
  return result;
}

void RowMomentsSum::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "weight", sums_.weight);
  archive.put(prefix + "mean", sums_.mean);
  archive.put(prefix + "squares", sums_.variance);
  archive.put(prefix + "low", sums_.low);
  archive.put(prefix + "high", sums_.high);
  if (has_gaps_) archive.put(prefix + "present", sums_.present);
}

RowMomentsSum RowMomentsSum::load(const Archive& archive, const std::string& prefix, Index n_features) {
  RowMomentsSum sum(n_features);
  sum.sums_.weight = archive.number(prefix + "weight");
  sum.sums_.mean = archive.vector(prefix + "mean", n_features);
  sum.sums_.variance = archive.vector(prefix + "squares", n_features);
  sum.sums_.low = archive.vector(prefix + "low", n_features);
  sum.sums_.high = archive.vector(prefix + "high", n_features);
  sum.has_gaps_ = archive.has(prefix + "present");
  if (sum.has_gaps_) sum.sums_.present = archive.vector(prefix + "present", n_features);
  return sum;
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
