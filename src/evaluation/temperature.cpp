#include <algorithm>
#include <cmath>
#include <limits>

#include "evaluation/calibrator_fits.hpp"

namespace lacuna {

namespace {

/// The temperature stays within these limits: rows without an error would pull it to zero.
constexpr double largest_temperature = 1e3;
constexpr double smallest_temperature = 1e-3;

class TemperatureCalibrator : public Calibrator {
public:
  explicit TemperatureCalibrator(double temperature) : temperature_(temperature) {}

  void apply(int prediction, double& error_probability, std::span<double> probabilities) const override {
    double largest = -std::numeric_limits<double>::infinity();
    for (double& p : probabilities) {
      p = floored_log(p) / temperature_;
      largest = std::max(largest, p);
    }
    double total = 0.0;
    for (double& p : probabilities) total += p = std::exp(p - largest);
    double others = 0.0; // summed, because one minus a probability near one has few digits
    for (std::size_t k = 0; k < probabilities.size(); ++k) {
      probabilities[k] /= total;
      if (static_cast<int>(k) != prediction) others += probabilities[k];
    }
    error_probability = std::min(1.0, others);
  }

  std::vector<std::pair<std::string, double>> parameters() const override {
    return {{"temperature", temperature_}};
  }

private:
  double temperature_;
};

/// The slope of the mean negative log likelihood over the inverse temperature, and its own slope
/// (equation 12 of
/// docs/math/evaluation.md).
struct Slopes {
  double first = 0.0;
  double second = 0.0;
};

Slopes slopes_at(double inverse, std::span<const int> labels, std::span<const double> logs) {
  const std::size_t n_classes = logs.size() / labels.size();
  Slopes sum;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const std::span<const double> row = logs.subspan(i * n_classes, n_classes);
    const double largest = *std::ranges::max_element(row);
    double total = 0.0;
    double mean = 0.0;
    double square = 0.0; // both about the largest, where the weight is
    for (const double value : row) {
      const double weight = std::exp(inverse * (value - largest));
      total += weight;
      mean += weight * (value - largest);
      square += weight * (value - largest) * (value - largest);
    }
    mean /= total;
    sum.first += mean + largest - row[static_cast<std::size_t>(labels[i])];
    sum.second += square / total - mean * mean;
  }
  const auto n = static_cast<double>(labels.size());
  return {sum.first / n, sum.second / n};
}

/// Finds where the slope, which never falls, crosses zero: Newton's method in the log of the inverse
/// temperature, and bisection where a step leaves the bracket.
double best_inverse(std::span<const int> labels, std::span<const double> logs) {
  constexpr int max_iterations = 200;
  constexpr double tolerance = 1e-14;
  double low = -std::log(largest_temperature);
  double high = -std::log(smallest_temperature);
  double at = 0.0;
  if (slopes_at(1.0, labels, logs).first == 0.0) return 1.0; // nothing to mend, or nothing that could
  // At a limit the slope may have vanished altogether, for example when no row is wrong.
  if (slopes_at(std::exp(low), labels, logs).first >= 0.0) return std::exp(low);
  if (slopes_at(std::exp(high), labels, logs).first <= 0.0) return std::exp(high);
  for (int i = 0; i < max_iterations; ++i) {
    const Slopes slopes = slopes_at(std::exp(at), labels, logs);
    if (slopes.first == 0.0) break;
    (slopes.first < 0.0 ? low : high) = at;
    double next = at - slopes.first / (slopes.second * std::exp(at));
    if (!(next > low && next < high)) next = low + (high - low) / 2.0; // also where it is NaN
    const bool is_done = std::abs(next - at) < tolerance || high - low < tolerance;
    at = next;
    if (is_done) break;
  }
  return std::exp(at);
}

} // namespace

double floored_log(double probability) {
  constexpr double smallest = 1e-300;
  return std::log(std::max(probability, smallest));
}

std::unique_ptr<Calibrator> fit_temperature(std::span<const int> labels,
                                            std::span<const double> log_probabilities) {
  return std::make_unique<TemperatureCalibrator>(1.0 / best_inverse(labels, log_probabilities));
}

} // namespace lacuna
