#include "lacuna/evaluation/reliability.hpp"

#include <cmath>
#include <limits>

#include "evaluation/bins.hpp"
#include "evaluation/checks.hpp"

namespace lacuna {

void ReliabilityAccumulator::add(int label, int prediction, double error_probability,
                                 std::span<const double> probabilities) {
  Index row = 1;
  for (const Sums& bin : bins_) row += bin.n;
  check_scored_row(row, label, prediction, error_probability, probabilities);

  const double error = prediction == label ? 0.0 : 1.0;
  Sums& bin = bins_[static_cast<std::size_t>(equal_width_bin(error_probability, n_reliability_bins))];
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
    result.bins[static_cast<std::size_t>(b)] = {
        equal_width_edge(b, n_reliability_bins), equal_width_edge(b + 1, n_reliability_bins), sums.n,
        sums.n > 0 ? sums.error_probability / n : nan, sums.n > 0 ? sums.errors / n : nan};
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
