#include <algorithm>
#include <array>
#include <cmath>

#include "evaluation/calibrator_fits.hpp"

namespace lacuna {

namespace {

/// Error probabilities this close to 0 and 1 have no larger log odds.
constexpr double closest_to_certain = 1e-12;

double log_odds(double probability) {
  const double p = std::clamp(probability, closest_to_certain, 1.0 - closest_to_certain);
  return std::log(p) - std::log1p(-p);
}

double logistic(double z) {
  return z >= 0.0 ? 1.0 / (1.0 + std::exp(-z)) : std::exp(z) / (1.0 + std::exp(z));
}

/// log(1 + exp(z)).
double softplus(double z) {
  return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z)));
}

class PlattCalibrator : public ErrorCalibrator {
public:
  PlattCalibrator(double slope, double intercept) : slope_(slope), intercept_(intercept) {}
  double calibrated(double error_probability) const override {
    return logistic(slope_ * log_odds(error_probability) + intercept_);
  }
  std::vector<std::pair<std::string, double>> parameters() const override {
    return {{"slope", slope_}, {"intercept", intercept_}};
  }

private:
  double slope_;
  double intercept_;
};

/// Logistic regression of the smoothed targets on one standardised input, in the groups' order.
class PlattFit {
public:
  explicit PlattFit(std::span<const ErrorGroup> groups) {
    double n_errors = 0.0;
    for (const ErrorGroup& group : groups) {
      n_rows_ += static_cast<double>(group.n);
      n_errors += static_cast<double>(group.n_errors);
    }
    // Platt's targets: as if one more row of each kind had been seen, so that the fit stays finite.
    const double if_error = (n_errors + 1.0) / (n_errors + 2.0);
    const double if_right = 1.0 / (n_rows_ - n_errors + 2.0);
    for (const ErrorGroup& group : groups) {
      const auto n = static_cast<double>(group.n);
      const auto e = static_cast<double>(group.n_errors);
      rows_.push_back({log_odds(group.error_probability), n, e * if_error + (n - e) * if_right});
      target_ += rows_.back().target;
    }
    standardise();
  }

  std::unique_ptr<ErrorCalibrator> fit() const {
    const double start = std::log(target_) - std::log(n_rows_ - target_);
    // One error probability only says nothing about the slope: keep it, and shift.
    if (spread_ == 0.0) return std::make_unique<PlattCalibrator>(1.0, start - centre_);
    const auto [slope, intercept] = newton({0.0, start});
    return std::make_unique<PlattCalibrator>(slope / spread_, intercept - slope * centre_ / spread_);
  }

private:
  struct Row {
    double x;
    double n;
    double target; ///< sum over the rows of the group
  };
  using Pair = std::array<double, 2>; ///< of the slope, of the intercept

  void standardise() {
    for (const Row& row : rows_) centre_ += row.n * row.x / n_rows_;
    double variance = 0.0;
    for (const Row& row : rows_) variance += row.n * (row.x - centre_) * (row.x - centre_) / n_rows_;
    if (rows_.front().x == rows_.back().x) return; // the mean's rounding is no spread
    spread_ = std::sqrt(variance);
    for (Row& row : rows_) row.x = (row.x - centre_) / spread_;
  }

  double loss(const Pair& at) const {
    double sum = 0.0;
    for (const Row& row : rows_) {
      const double z = at[0] * row.x + at[1];
      sum += row.n * softplus(z) - row.target * z;
    }
    return sum;
  }

  /// The Newton step from here.
  Pair step(const Pair& at) const {
    Pair gradient{};
    double hxx = 0.0;
    double hx = 0.0;
    double h = 0.0;
    for (const Row& row : rows_) {
      const double p = logistic(at[0] * row.x + at[1]);
      const double slack = row.n * p - row.target;
      const double curvature = row.n * p * (1.0 - p);
      gradient[0] += slack * row.x;
      gradient[1] += slack;
      hxx += curvature * row.x * row.x;
      hx += curvature * row.x;
      h += curvature;
    }
    const double ridge = 1e-12 * (hxx + h) + 1e-300; // keeps a flat corner from a division by zero
    hxx += ridge;
    h += ridge;
    const double determinant = hxx * h - hx * hx;
    return {-(h * gradient[0] - hx * gradient[1]) / determinant,
            -(hxx * gradient[1] - hx * gradient[0]) / determinant};
  }

  /// The loss is convex and has one minimum: Newton's method, with halved steps where a whole one overshoots.
  Pair newton(Pair at) const {
    constexpr int max_iterations = 200;
    double best = loss(at);
    for (int i = 0; i < max_iterations; ++i) {
      const Pair direction = step(at);
      const double length = std::max(std::abs(direction[0]), std::abs(direction[1]));
      bool is_better = false;
      for (double scale = 1.0; scale > 1e-10 && !is_better; scale /= 2.0) {
        const Pair next{at[0] + scale * direction[0], at[1] + scale * direction[1]};
        const double value = loss(next);
        is_better = value < best;
        if (!is_better) continue;
        at = next;
        best = value;
      }
      if (!is_better) {
        // Too flat for the loss to tell: the last step is one of rounding, unless it is long.
        if (length < 1e-6) at = {at[0] + direction[0], at[1] + direction[1]};
        break;
      }
    }
    return at;
  }

  std::vector<Row> rows_;
  double n_rows_ = 0.0;
  double target_ = 0.0;
  double centre_ = 0.0;
  double spread_ = 0.0;
};

} // namespace

std::unique_ptr<ErrorCalibrator> fit_platt(std::span<const ErrorGroup> groups) {
  return PlattFit(groups).fit();
}

} // namespace lacuna
