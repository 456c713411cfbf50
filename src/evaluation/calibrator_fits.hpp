#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lacuna/evaluation/calibrators.hpp"
#include "lacuna/evaluation/scored_rows.hpp"

namespace lacuna {

/// Recalibrates the error probability and leaves the other classes their proportions.
class ErrorCalibrator : public Calibrator {
public:
  /// The new error probability for an old one, both in [0, 1].
  virtual double calibrated(double error_probability) const = 0;
  void apply(int prediction, double& error_probability, std::span<double> probabilities) const final;
};

/// All take at least one group (docs/math/evaluation.md, section 6).
std::unique_ptr<ErrorCalibrator> fit_platt(std::span<const ErrorGroup> groups);
std::unique_ptr<ErrorCalibrator> fit_isotonic(std::span<const ErrorGroup> groups);
std::unique_ptr<ErrorCalibrator> fit_bbq(std::span<const ErrorGroup> groups);

/// The log of a probability, for `fit_temperature`: that of zero is finite, so that a class called impossible
/// can be raised again.
double floored_log(double probability);
/// `log_probabilities` has one row of n_classes per label.
std::unique_ptr<Calibrator> fit_temperature(std::span<const int> labels,
                                            std::span<const double> log_probabilities);

} // namespace lacuna
