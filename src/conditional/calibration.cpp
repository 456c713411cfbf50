#include "conditional/calibration.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "conditional/probabilities.hpp"
#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "core/parallel.hpp"
#include "math/lbfgs.hpp"
#include "math/special.hpp"

namespace lacuna {

namespace {

/// b_y + tau q_y, in place; minus infinity stays what it is.
void scale_scores(const Calibration& calibration, std::span<double> scores) {
  for (std::size_t y = 0; y < scores.size(); ++y)
    scores[y] = calibration.slope * scores[y] + calibration.intercepts[y];
}

/// The penalty of a logarithm v of the slope and of intercepts b: v^2 + 2 |b|^2.
constexpr double intercept_penalty = 2.0;

double penalty(double log_slope, std::span<const double> intercepts) {
  double sum = log_slope * log_slope;
  for (const double b : intercepts) sum += intercept_penalty * b * b;
  return sum;
}

Index n_judged(std::span<const double> scores) {
  return std::count_if(scores.begin(), scores.end(), [](double score) { return !std::isinf(score); });
}

/// Finite for a share of 0 as well: the search takes differences.
double log_odds(double share) {
  constexpr double least_share = 1e-300;
  return std::log(std::max(share, least_share)) - std::log1p(-share);
}

/// Less the penalised likelihood and its gradient in (log slope, intercepts, log odds of the lapse).
class CalibrationLoss {
public:
  CalibrationLoss(const ScoredLabels& rows, int threads)
      : rows_(rows), threads_(threads), log_p_(at(n_rows())), foretold_(at(n_rows())),
        slack_(n_rows(), rows.scores.n_cols) {}

  static std::vector<double> parameters(const Calibration& calibration) {
    std::vector<double> x{std::log(calibration.slope)};
    x.insert(x.end(), calibration.intercepts.begin(), calibration.intercepts.end());
    x.push_back(log_odds(calibration.lapse));
    return x;
  }
  static Calibration calibration(std::span<const double> x) {
    return {std::exp(x.front()), {x.begin() + 1, x.end() - 1}, 1.0 / (1.0 + std::exp(-x.back()))};
  }

  /// Rows are judged side by side, but added up one after the other: the same bits on any number of threads.
  double operator()(std::span<const double> x, std::span<double> gradient) const {
    const Calibration here = calibration(x);
    parallel_for((n_rows() + rows_per_task - 1) / rows_per_task, threads_, [&](Index task) {
      judge(here, task * rows_per_task, std::min(n_rows(), (task + 1) * rows_per_task));
    });
    double loss = penalty(x[0], here.intercepts);
    std::fill(gradient.begin(), gradient.end(), 0.0);
    gradient[0] = 2.0 * x[0];
    for (std::size_t y = 0; y < here.intercepts.size(); ++y)
      gradient[y + 1] = 2.0 * intercept_penalty * here.intercepts[y];
    for (Index i = 0; i < n_rows(); ++i) {
      const double weight = rows_.weights[at(i)];
      if (weight == 0.0) continue;
      loss -= weight * log_p_[at(i)];
      gradient.back() += weight * (foretold_[at(i)] - (1.0 - here.lapse));
      const double* const row = rows_.scores.row(i);
      for (std::size_t y = 0; y < here.intercepts.size(); ++y) {
        if (std::isinf(row[y])) continue; // a class that cannot be judged has no say
        const double slack = slack_(i, static_cast<Index>(y));
        gradient[0] += slack * here.slope * row[y];
        gradient[y + 1] += slack;
      }
    }
    return loss;
  }

private:
  static constexpr Index rows_per_task = 2048;

  Index n_rows() const { return rows_.scores.n_rows; }

  void judge(const Calibration& here, Index first, Index end) const {
    std::vector<double> scores(here.intercepts.size());
    const double log_kept = std::log1p(-here.lapse);
    Index n_known = -1;
    double log_by_chance = 0.0;
    for (Index i = first; i < end; ++i) {
      const double weight = rows_.weights[at(i)];
      if (weight == 0.0) continue;
      const std::span<const double> row(rows_.scores.row(i), scores.size());
      const auto label = static_cast<std::size_t>(rows_.labels[at(i)]);
      std::copy(row.begin(), row.end(), scores.begin());
      scale_scores(here, scores);
      const double log_sum = log_sum_exp(scores);
      // The label is foretold, or it lapsed to any class; `foretold` is how likely the first is.
      if (const Index n = n_judged(row); n != n_known) {
        n_known = n;
        log_by_chance = std::log(here.lapse / static_cast<double>(n));
      }
      // In logs: scores may be so far apart that their powers are not numbers.
      const double log_foretold = log_kept + scores[label] - log_sum;
      log_p_[at(i)] = log_sum_exp(log_foretold, log_by_chance);
      foretold_[at(i)] = std::exp(log_foretold - log_p_[at(i)]);
      double* const slack = slack_.row(i);
      for (std::size_t y = 0; y < scores.size(); ++y)
        if (!std::isinf(row[y]))
          slack[y] = weight * foretold_[at(i)] * (std::exp(scores[y] - log_sum) - (y == label ? 1.0 : 0.0));
    }
  }

  const ScoredLabels& rows_;
  int threads_;
  // Of the last call, per row:
  mutable std::vector<double> log_p_;    ///< of its label
  mutable std::vector<double> foretold_; ///< how likely it is that its label did not lapse
  mutable Matrix slack_;                 ///< by how much a class is too likely
};

/// Between two calibrations, as far as the rows say that the second, with so many more numbers, is needed: a
/// few rows would mend class shares that are right.
Calibration between(const Calibration& simple, const Calibration& rich, Index n_more,
                    const ScoredLabels& rows) {
  const double gain = calibration_objective(rich, rows) - calibration_objective(simple, rows);
  const double total = std::accumulate(rows.weights.begin(), rows.weights.end(), 0.0);
  const double share = probability_of_gain(gain, n_more, total);
  Calibration result = simple;
  result.slope += share * (rich.slope - simple.slope);
  for (std::size_t y = 0; y < result.intercepts.size(); ++y)
    result.intercepts[y] += share * (rich.intercepts[y] - simple.intercepts[y]);
  return result;
}

Index n_seen_classes(const ScoredLabels& rows) {
  std::vector<char> seen(at(rows.scores.n_cols));
  for (std::size_t i = 0; i < rows.labels.size(); ++i)
    if (rows.weights[i] > 0.0) seen[at(rows.labels[i])] = 1;
  return std::max<Index>(1, std::count(seen.begin(), seen.end(), 1));
}

enum class Free { slope, slope_and_intercepts, slope_and_lapse };

/// The highest penalised likelihood from `start` upwards; what is not free stays.
Calibration most_likely(const ScoredLabels& rows, const Calibration& start, Free free, int threads) {
  double total = 1.0;
  for (const double weight : rows.weights) total += weight;
  const CalibrationLoss loss(rows, threads);
  std::vector<double> x = CalibrationLoss::parameters(start);
  lbfgs_minimise(
      [&](std::span<const double> here, std::span<double> gradient) {
        const double value = loss(here, gradient);
        for (double& entry : gradient) entry /= total;
        if (free != Free::slope_and_intercepts) std::fill(gradient.begin() + 1, gradient.end() - 1, 0.0);
        if (free != Free::slope_and_lapse) gradient.back() = 0.0;
        return value / total;
      },
      x);
  Calibration found = CalibrationLoss::calibration(x);
  if (free != Free::slope_and_lapse) found.lapse = start.lapse;
  return found;
}

/// With a share of labels that no score foretells, where the rows say that there is one: else a few of them
/// would flatten the slope for all. Its gain is what a slope without it does not gain; intercepts stay.
Calibration with_lapse(const Calibration& without, const ScoredLabels& rows, int threads) {
  Calibration start = without;
  start.lapse = 0.02;
  start.slope = std::max(start.slope, 1.0);
  const Calibration rich = most_likely(rows, start, Free::slope_and_lapse, threads);
  const double gain = calibration_objective(rich, rows) -
                      calibration_objective(most_likely(rows, without, Free::slope, threads), rows);
  const double total = std::accumulate(rows.weights.begin(), rows.weights.end(), 0.0);
  return probability_of_gain(gain, 1, total) > 0.5 ? rich : without;
}

} // namespace

double probability_of_gain(double gain, Index n_parameters, double n_rows) {
  const double cost = 0.5 * static_cast<double>(n_parameters) * std::log(std::max(n_rows, 1.0));
  return 1.0 / (1.0 + std::exp(cost - gain));
}

Calibration Calibration::identity(Index n_classes) {
  return {1.0, std::vector<double>(at(n_classes), 0.0), 0.0};
}

void Calibration::apply(std::span<double> scores) const {
  const std::vector<double> before(scores.begin(), scores.end());
  scale_scores(*this, scores);
  to_log_probabilities(scores);
  if (lapse == 0.0) return;
  const double by_chance = lapse / static_cast<double>(std::max<Index>(1, n_judged(before)));
  for (std::size_t y = 0; y < scores.size(); ++y)
    if (!std::isinf(before[y])) scores[y] = std::log((1.0 - lapse) * std::exp(scores[y]) + by_chance);
}

void Calibration::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "slope", slope);
  archive.put(prefix + "intercepts", intercepts);
  archive.put(prefix + "lapse", lapse);
}

Calibration Calibration::load(const Archive& archive, const std::string& prefix, Index n_classes) {
  constexpr double most = 1e100; // slope and scores are multiplied
  Calibration calibration{archive.number(prefix + "slope"), archive.vector(prefix + "intercepts", n_classes),
                          archive.number(prefix + "lapse")};
  require_saved(calibration.slope > 0.0 && calibration.slope < most, prefix + "slope",
                "a slope that is not above 0");
  for (const double b : calibration.intercepts)
    require_saved(std::abs(b) < most, prefix + "intercepts", "an intercept that no fit gives");
  require_saved(calibration.lapse >= 0.0 && calibration.lapse < 1.0, prefix + "lapse",
                "a lapse that is no share");
  return calibration;
}

double calibration_objective(const Calibration& calibration, const ScoredLabels& rows) {
  const std::vector<double> x = CalibrationLoss::parameters(calibration);
  std::vector<double> gradient(x.size());
  return -CalibrationLoss(rows, 1)(x, gradient);
}

Calibration fit_calibration(const ScoredLabels& rows, int threads) {
  const Calibration identity = Calibration::identity(rows.scores.n_cols);
  const Calibration sloped = between(identity, most_likely(rows, identity, Free::slope, threads), 1, rows);
  const Calibration rich = most_likely(rows, identity, Free::slope_and_intercepts, threads);
  return with_lapse(between(sloped, rich, n_seen_classes(rows) - 1, rows), rows, threads);
}

} // namespace lacuna
