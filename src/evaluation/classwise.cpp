#include "lacuna/evaluation/diagnostics.hpp"

#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>

#include "evaluation/bins.hpp"
#include "evaluation/checks.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

ClasswiseAccumulator::ClasswiseAccumulator(Index n_classes)
    : n_classes_(n_classes), bins_(static_cast<std::size_t>(n_classes * n_reliability_bins)) {}

void ClasswiseAccumulator::add(int label, std::span<const double> probabilities) {
  check_n_probabilities(n_rows_ + 1, probabilities.size(), n_classes_);
  check_scored_row(n_rows_ + 1, label, label, 0.0, probabilities);
  ++n_rows_;
  for (Index k = 0; k < n_classes_; ++k) {
    const double p = probabilities[static_cast<std::size_t>(k)];
    Sums& bin =
        bins_[static_cast<std::size_t>(k * n_reliability_bins + equal_width_bin(p, n_reliability_bins))];
    bin.probability += p;
    bin.hits += k == label ? 1.0 : 0.0;
  }
}

std::vector<double> ClasswiseAccumulator::calibration_errors() const {
  const double n = n_rows_ > 0 ? static_cast<double>(n_rows_) : std::numeric_limits<double>::quiet_NaN();
  std::vector<double> errors(static_cast<std::size_t>(n_classes_));
  for (std::size_t i = 0; i < bins_.size(); ++i)
    errors[i / n_reliability_bins] += std::abs(bins_[i].hits - bins_[i].probability) / n;
  return errors;
}

double ClasswiseAccumulator::mean_calibration_error() const {
  const std::vector<double> errors = calibration_errors();
  return std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
}

ConfusionMatrix::ConfusionMatrix(Index n_classes)
    : n_classes_(n_classes), counts_(static_cast<std::size_t>(n_classes * n_classes)) {}

} // namespace lacuna
