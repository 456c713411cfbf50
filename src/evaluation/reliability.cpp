#include "lacuna/evaluation/reliability.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

double bin_edge(int edge) {
  return static_cast<double>(edge) / n_reliability_bins;
}

int bin_of(double error_probability) {
  int bin = std::min(static_cast<int>(error_probability * n_reliability_bins), n_reliability_bins - 1);
  // The product rounds: the largest number below 0.15 becomes exactly 3. The edges decide, not the product.
  if (error_probability < bin_edge(bin)) --bin;
  if (bin + 1 < n_reliability_bins && error_probability >= bin_edge(bin + 1)) ++bin;
  return bin;
}

// NaN is no probability: the comparison is false.
bool is_probability(double value) {
  return value >= 0.0 && value <= 1.0;
}

[[noreturn]] void fail(Index row, const std::string& what) {
  throw Error(ErrorKind::data, fmt::format("row {} of the scored rows: {}", row, what));
}

void check_row(Index row, int label, int prediction, double error_probability,
               std::span<const double> probabilities) {
  const auto n_classes = static_cast<Index>(probabilities.size());
  if (label < 0 || label >= n_classes)
    fail(row, fmt::format("the true class is {}, expected 0 to {}; leave out rows without a label", label,
                          n_classes - 1));
  if (prediction < 0 || prediction >= n_classes)
    fail(row, fmt::format("the predicted class is {}, expected 0 to {}", prediction, n_classes - 1));
  if (!is_probability(error_probability))
    fail(row, fmt::format("the error probability is {}, expected a number from 0 to 1", error_probability));
  for (Index k = 0; k < n_classes; ++k) {
    const double p = probabilities[static_cast<std::size_t>(k)];
    if (!is_probability(p))
      fail(row, fmt::format("the probability of class {} is {}, expected a number from 0 to 1", k, p));
  }
}

} // namespace

void ReliabilityAccumulator::add(int label, int prediction, double error_probability,
                                 std::span<const double> probabilities) {
  Index row = 1;
  for (const Sums& bin : bins_) row += bin.n;
  check_row(row, label, prediction, error_probability, probabilities);

  const double error = prediction == label ? 0.0 : 1.0;
  Sums& bin = bins_[static_cast<std::size_t>(bin_of(error_probability))];
  bin.n += 1;
  bin.errors += error;
  bin.error_probability += error_probability;
  brier_error_ += (error - error_probability) * (error - error_probability);
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    const double truth = static_cast<int>(k) == label ? 1.0 : 0.0;
    brier_ += (probabilities[k] - truth) * (probabilities[k] - truth);
  }
  // Probability 0 for what happened costs infinitely much, and one such row makes the mean infinite.
  nll_ -= std::log(probabilities[static_cast<std::size_t>(label)]);
}

Metrics ReliabilityAccumulator::metrics() const {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  Metrics result;
  Sums total;
  for (int b = 0; b < n_reliability_bins; ++b) {
    const Sums& sums = bins_[static_cast<std::size_t>(b)];
    const auto n = static_cast<double>(sums.n);
    result.bins[static_cast<std::size_t>(b)] = {bin_edge(b), bin_edge(b + 1), sums.n,
                                                sums.n > 0 ? sums.error_probability / n : nan,
                                                sums.n > 0 ? sums.errors / n : nan};
    total.n += sums.n;
    total.errors += sums.errors;
    total.error_probability += sums.error_probability;
    // n_b times (mean e - mean q), so that the bin's size needs no division and no multiplication.
    const double excess = sums.errors - sums.error_probability;
    (excess > 0.0 ? result.overconfidence : result.underconfidence) += std::abs(excess);
  }
  result.n = total.n;
  // No rows, no mean: everything becomes NaN.
  const double n = total.n > 0 ? static_cast<double>(total.n) : nan;
  result.error_rate = total.errors / n;
  result.mean_error_probability = total.error_probability / n;
  result.overconfidence /= n;
  result.underconfidence /= n;
  result.ece = result.overconfidence + result.underconfidence;
  result.brier_error = brier_error_ / n;
  result.brier = brier_ / n;
  result.nll = nll_ / n;
  return result;
}

} // namespace lacuna
