#include "learning/trust.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <Eigen/Dense>

#include "core/archive_checks.hpp"
#include "core/index.hpp"

namespace lacuna {

namespace {

using Vector = Trust::Vector;
constexpr std::size_t n = Trust::n_coefficients;
constexpr std::size_t first_signal = 2;

constexpr int least_episodes = 4;
constexpr double rows_per_episode = 10.0; ///< what an episode weighs, in rows
constexpr double share_of_labels = 0.5;   ///< all episodes together weigh at most this share of the labeled rows
constexpr double ignorant_rows = 5.0;     ///< of no knowledge, added to what episodes show
/// An upper quantile of the error probability is taken, not its mean: the episodes are a sample.
constexpr double standard_errors = 0.67;
constexpr Vector penalty = {0.05, 1.0, 0.5, 0.5, 0.5, 0.5};
constexpr Vector prior = {0.0, 1.0, 0.0, 0.0, 0.0, 0.0};
constexpr Vector lowest = {-8.0, 0.0, 0.0, 0.0, 0.0, 0.0};
constexpr Vector highest = {8.0, 3.0, 6.0, 6.0, 6.0, 6.0};
constexpr double deepest_share = 0.98; ///< of what the episodes reached
constexpr double fading = 2.0;         ///< beyond it trust fades over this much of the depth signal

double sigmoid(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

double log_odds(double p) {
  const double inside = std::clamp(p, 0.002, 0.998);
  return std::log(inside / (1.0 - inside));
}

Vector inputs_of(double error_probability, const Signals& signals) {
  const std::array<double, 4> values = signals.values();
  return {1.0, log_odds(error_probability), values[0], values[1], values[2], values[3]};
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

/// Rows of all episodes as a logistic regression sees them: `total` trials of which `wrong` went wrong.
struct Regression {
  std::vector<Vector> inputs;
  std::vector<double> total;
  std::vector<double> wrong;

  /// Newton steps one coefficient at a time: the problem is convex and small, and limits need no further care.
  Vector solve() const {
    constexpr int most_rounds = 500;
    Vector theta = prior;
    std::vector<double> eta(inputs.size());
    for (std::size_t i = 0; i < eta.size(); ++i) eta[i] = dot(inputs[i], theta);
    for (int round = 0; round < most_rounds; ++round) {
      double largest_step = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        double gradient = penalty[k] * (theta[k] - prior[k]);
        double curvature = penalty[k];
        for (std::size_t i = 0; i < eta.size(); ++i) {
          const double q = sigmoid(eta[i]);
          gradient += (total[i] * q - wrong[i]) * inputs[i][k];
          curvature += total[i] * std::max(q * (1.0 - q), 1e-3) * inputs[i][k] * inputs[i][k];
        }
        const double before = theta[k];
        theta[k] = std::clamp(before - gradient / curvature, lowest[k], highest[k]);
        const double step = theta[k] - before;
        if (step == 0.0) continue;
        for (std::size_t i = 0; i < eta.size(); ++i) eta[i] += step * inputs[i][k];
        largest_step = std::max(largest_step, std::abs(step));
      }
      if (largest_step < 1e-7) break;
    }
    return theta;
  }
};

double weighted_quantile(std::vector<std::pair<double, double>> values, double share) {
  std::sort(values.begin(), values.end());
  double total = 0.0;
  for (const auto& [value, weight] : values) total += weight;
  double below = 0.0;
  for (const auto& [value, weight] : values)
    if ((below += weight) >= share * total) return value;
  return values.back().first;
}

} // namespace

Signals Signals::of(double depth, double distance, double log_share, double disagreement) {
  return {std::clamp(depth, 0.0, 12.0) / 3.0,
          std::max(0.0, std::log1p(std::min(distance, 1e6)) - std::log(2.0)) / 0.7,
          std::clamp(-log_share, 0.0, 6.0) / 2.0, disagreement / 0.25};
}

Trust Trust::fit(std::span<const HiddenRow> rows, Index n_classes, Index n_labeled) {
  int n_episodes = 0;
  for (const HiddenRow& row : rows) n_episodes = std::max(n_episodes, row.episode + 1);
  std::vector<double> outside(static_cast<std::size_t>(n_episodes));
  for (const HiddenRow& row : rows) outside[static_cast<std::size_t>(row.episode)] += row.outside;
  constexpr double least_outside = 3.0; // in rows: else the region did not see a gap there
  const auto n_used = std::count_if(outside.begin(), outside.end(), [](double sum) { return sum >= least_outside; });
  if (n_used < least_episodes) return {};

  const double scale =
      std::min(rows_per_episode, share_of_labels * static_cast<double>(n_labeled) / static_cast<double>(n_used));
  const double ignorance = 1.0 - 1.0 / static_cast<double>(n_classes);
  Regression regression;
  std::vector<std::size_t> episode;
  std::vector<double> weight;
  std::vector<std::pair<double, double>> depths;
  for (const HiddenRow& row : rows) {
    const auto e = static_cast<std::size_t>(row.episode);
    if (outside[e] < least_outside) continue;
    const double share = row.outside / outside[e];
    const double pseudo = ignorant_rows * share / static_cast<double>(n_used);
    regression.inputs.push_back(inputs_of(row.error_probability, row.signals));
    regression.total.push_back(scale * share + pseudo);
    regression.wrong.push_back((row.is_wrong ? scale * share : 0.0) + pseudo * ignorance);
    episode.push_back(e);
    weight.push_back(scale * share);
    depths.emplace_back(row.signals.depth, share);
  }
  Trust trust;
  trust.is_none_ = false;
  trust.coefficients_ = regression.solve();
  trust.deepest_ = weighted_quantile(std::move(depths), deepest_share);

  // A sandwich in which episodes, not rows, are independent.
  Eigen::MatrixXd curvature = Eigen::MatrixXd::Zero(n, n);
  Eigen::MatrixXd scores = Eigen::MatrixXd::Zero(n_episodes, n);
  for (std::size_t k = 0; k < n; ++k) curvature(static_cast<Index>(k), static_cast<Index>(k)) = penalty[k];
  for (std::size_t i = 0; i < weight.size(); ++i) {
    const Eigen::Map<const Eigen::VectorXd> x(regression.inputs[i].data(), n);
    const double q = sigmoid(dot(regression.inputs[i], trust.coefficients_));
    curvature += regression.total[i] * q * (1.0 - q) * x * x.transpose();
    // The prior's rows are no episode, so they are taken off what went wrong.
    const double wrong = regression.wrong[i] - (regression.total[i] - weight[i]) * ignorance;
    scores.row(static_cast<Index>(episode[i])) += (wrong - weight[i] * q) * x.transpose();
  }
  Eigen::VectorXd mean = Eigen::VectorXd::Zero(n);
  for (std::size_t e = 0; e < outside.size(); ++e)
    if (outside[e] >= least_outside) mean += scores.row(static_cast<Index>(e)).transpose() / static_cast<double>(n_used);
  for (std::size_t e = 0; e < outside.size(); ++e)
    if (outside[e] >= least_outside) scores.row(static_cast<Index>(e)) -= mean.transpose();
  const Eigen::MatrixXd inverse = curvature.inverse();
  const Eigen::MatrixXd covariance = inverse * (scores.transpose() * scores) * inverse;
  for (std::size_t k = 0; k < n; ++k)
    trust.variances_[k] = covariance(static_cast<Index>(k), static_cast<Index>(k));
  return trust;
}

double Trust::of(double largest, const Signals& signals, Index n_classes) const {
  const double uniform = 1.0 / static_cast<double>(n_classes);
  if (is_none_ || largest <= uniform) return 0.0;
  const Vector inputs = inputs_of(1.0 - largest, signals);
  // Without the covariances between coefficients, so that no signal can lower it.
  double variance = 0.0;
  for (std::size_t k = 0; k < n; ++k) variance += inputs[k] * inputs[k] * variances_[k];
  const double error =
      sigmoid(dot(inputs, coefficients_) + standard_errors * std::sqrt(std::max(0.0, variance)));
  const double kept = std::clamp((1.0 - uniform - error) / (largest - uniform), 0.0, 1.0);
  return kept * std::clamp(1.0 - (signals.depth - deepest_) / fading, 0.0, 1.0);
}

double worth(std::span<const double> true_probabilities, Index n_classes) {
  constexpr int n_steps = 20;
  const double uniform = 1.0 / static_cast<double>(n_classes);
  double best = 0.0;
  double best_value = -std::numeric_limits<double>::infinity();
  for (int step = 0; step <= n_steps; ++step) {
    const double t = static_cast<double>(step) / n_steps;
    double value = 0.0;
    for (const double p : true_probabilities) value += std::log(t * p + (1.0 - t) * uniform);
    if (value <= best_value) continue;
    best_value = value;
    best = t;
  }
  return best;
}

void Trust::save(Archive& archive, const std::string& prefix) const {
  if (is_none_) return;
  archive.put(prefix + "coefficients", std::vector<double>(coefficients_.begin(), coefficients_.end()));
  archive.put(prefix + "variances", std::vector<double>(variances_.begin(), variances_.end()));
  archive.put(prefix + "deepest", deepest_);
}

Trust Trust::load(const Archive& archive, const std::string& prefix) {
  Trust trust;
  if (!archive.has(prefix + "coefficients")) return trust;
  trust.is_none_ = false;
  const std::vector<double>& coefficients = archive.vector(prefix + "coefficients", n);
  const std::vector<double>& variances = archive.vector(prefix + "variances", n);
  trust.deepest_ = archive.number(prefix + "deepest");
  for (std::size_t k = 0; k < n; ++k)
    if (!(coefficients[k] >= lowest[k] && coefficients[k] <= highest[k]) || !(variances[k] >= 0.0))
      fail_damaged(prefix + "coefficients", "holds a value outside its limits");
  if (!std::isfinite(trust.deepest_)) fail_damaged(prefix + "deepest", "is not finite");
  std::copy(coefficients.begin(), coefficients.end(), trust.coefficients_.begin());
  std::copy(variances.begin(), variances.end(), trust.variances_.begin());
  return trust;
}

} // namespace lacuna
