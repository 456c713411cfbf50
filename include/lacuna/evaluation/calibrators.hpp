#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/core/options.hpp"

namespace LACUNA_API lacuna {

/// Ways to mend probabilities after the fact, on labeled rows that the model did not see. The first three
/// recalibrate the error probability of the prediction; the prediction stays, and the other classes share the
/// new error probability in their old proportions. The last acts on all classes.
enum class CalibrationMethod {
  platt,       ///< logistic regression on the log odds of the error probability
  isotonic,    ///< the error rate as a rising function of the error probability
  bbq,         ///< Bayesian binning into quantiles: an average over many equal-mass binnings
  temperature, ///< all log probabilities divided by one number
};

constexpr auto choice_names(CalibrationMethod) {
  return std::array{
      ChoiceName{CalibrationMethod::platt, "platt"}, ChoiceName{CalibrationMethod::isotonic, "isotonic"},
      ChoiceName{CalibrationMethod::bbq, "bbq"}, ChoiceName{CalibrationMethod::temperature, "temperature"}};
}

/// A fitted calibrator: immutable, safe to use from many threads at once.
class Calibrator {
public:
  virtual ~Calibrator() = default;
  /// Replaces the error probability and the probabilities of one row.
  virtual void apply(int prediction, double& error_probability, std::span<double> probabilities) const = 0;
  /// What was fitted, by name: "slope" and "intercept", "temperature", "n_blocks", "n_binnings".
  virtual std::vector<std::pair<std::string, double>> parameters() const = 0;
};

/// Held-out labeled rows to fit a calibrator to. Only `temperature` keeps the probabilities of all classes.
class CalibrationSet {
public:
  CalibrationSet(CalibrationMethod method, Index n_classes);
  /// Arguments as for Evaluator::add, and the same errors.
  void add(int label, int prediction, double error_probability, std::span<const double> probabilities);
  Index n_rows() const { return static_cast<Index>(rows_.size()); }
  /// Throws Error(data) when there is no row.
  std::unique_ptr<Calibrator> fit() const;

private:
  struct Row {
    double error_probability = 0.0;
    int label = 0;
    bool is_error = false;
  };
  CalibrationMethod method_;
  Index n_classes_ = 0;
  std::vector<Row> rows_;
  std::vector<double> log_probabilities_; ///< row by row; for `temperature` only
};

} // namespace lacuna
