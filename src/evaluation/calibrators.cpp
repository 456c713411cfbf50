#include "lacuna/evaluation/calibrators.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "evaluation/calibrator_fits.hpp"
#include "evaluation/checks.hpp"
#include "evaluation/groups.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

void ErrorCalibrator::apply(int prediction, double& error_probability,
                            std::span<double> probabilities) const {
  if (probabilities.size() < 2) return; // one class: nothing can go wrong
  error_probability = std::clamp(calibrated(error_probability), 0.0, 1.0);
  const auto chosen = static_cast<std::size_t>(prediction);
  double others = 0.0;
  for (std::size_t k = 0; k < probabilities.size(); ++k)
    if (k != chosen) others += probabilities[k];
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    if (k == chosen) continue;
    const double share =
        others > 0.0 ? probabilities[k] / others : 1.0 / static_cast<double>(probabilities.size() - 1);
    probabilities[k] = std::min(1.0, share * error_probability);
  }
  probabilities[chosen] = 1.0 - error_probability;
}

CalibrationSet::CalibrationSet(CalibrationMethod method, Index n_classes)
    : method_(method), n_classes_(n_classes) {}

void CalibrationSet::add(int label, int prediction, double error_probability,
                         std::span<const double> probabilities) {
  const Index row = n_rows() + 1;
  check_n_probabilities(row, probabilities.size(), n_classes_);
  check_scored_row(row, label, prediction, error_probability, probabilities);
  rows_.push_back({error_probability, label, label != prediction});
  if (method_ != CalibrationMethod::temperature) return;
  for (const double p : probabilities) log_probabilities_.push_back(floored_log(p));
}

std::unique_ptr<Calibrator> CalibrationSet::fit() const {
  if (rows_.empty())
    throw Error(ErrorKind::data, "there is no labeled row to fit the calibration to; give it some");
  if (method_ == CalibrationMethod::temperature) {
    std::vector<int> labels;
    labels.reserve(rows_.size());
    for (const Row& row : rows_) labels.push_back(row.label);
    return fit_temperature(labels, log_probabilities_);
  }
  std::vector<ErrorOutcome> outcomes;
  outcomes.reserve(rows_.size());
  for (const Row& row : rows_) outcomes.push_back({row.error_probability, row.is_error});
  const std::vector<ErrorGroup> groups = grouped(std::move(outcomes));
  if (method_ == CalibrationMethod::platt) return fit_platt(groups);
  return method_ == CalibrationMethod::isotonic ? fit_isotonic(groups) : fit_bbq(groups);
}

} // namespace lacuna
