#include "learning/trust.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "core/order.hpp"
#include "math/cholesky.hpp"

namespace lacuna {

namespace {

using Vector = Trust::Vector;
constexpr std::size_t n = Trust::n_coefficients;
constexpr std::size_t first_signal = 2;

constexpr std::size_t least_episodes = 4;
constexpr double rows_per_episode = 10.0; ///< what an episode weighs, in rows
constexpr double share_of_labels =
    0.5;                               ///< all episodes together weigh at most this share of the labeled rows
constexpr double ignorant_rows = 10.0; ///< of no knowledge, added to what episodes show
constexpr double own_weight = 15.0;    ///< of a labeled row that lies outside itself, in rows
constexpr double most_own_weight = 200.0; ///< of all of them
/// An upper quantile of the error probability is taken, not its mean: the episodes are a sample.
constexpr double standard_errors = 0.67;
constexpr Vector penalty = {0.05, 1.0, 0.5, 0.5, 0.5, 0.5};
constexpr Vector prior_mean = {0.0, 1.0, 0.0, 0.0, 0.0, 0.0};
constexpr Vector lowest = {-8.0, 0.0, 0.0, 0.0, 0.0, 0.0};
constexpr Vector highest = {8.0, 3.0, 6.0, 6.0, 6.0, 6.0};
constexpr double reached_share = 0.98;  ///< of the episodes' rows lie before the end of a signal
constexpr double fading_depth = 2.0;    ///< trust fades over this much of the depth signal beyond its end
constexpr double fading_scarcity = 0.5; ///< where rows are far, over this much of the scarcity
constexpr double far_from = 0.75;       ///< of the end of the distance on, and surely from its end on

double sigmoid(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

double log_odds(double p) {
  const double inside = std::clamp(p, 0.002, 0.998);
  return std::log(inside / (1.0 - inside));
}

Vector inputs_of(double error_probability, const Signals& signals) {
  const std::array<double, 4> values = signals.values();
  // Deeper rows do not make the slope of the depth: beyond the deepest episode trust fades anyway.
  constexpr double most_depth = 4.0;
  return {1.0, log_odds(error_probability), std::min(values[0], most_depth), values[1], values[2], values[3]};
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < n; ++k) sum += a[k] * b[k];
  return sum;
}

void add(double factor, const Vector& x, Vector& sum) {
  for (std::size_t k = 0; k < n; ++k) sum[k] += factor * x[k];
}

/// (L L')^-1 x, given the inverse of the lower triangular L.
Vector solve_with(const std::array<double, n * n>& inverse_factor, const Vector& x) {
  Vector solution{};
  for (std::size_t i = 0; i < n; ++i) {
    double product = 0.0;
    for (std::size_t k = 0; k <= i; ++k) product += inverse_factor[i * n + k] * x[k];
    for (std::size_t k = 0; k <= i; ++k) solution[k] += inverse_factor[i * n + k] * product;
  }
  return solution;
}

/// Rows as a logistic regression sees them: `total` trials of which `wrong` went wrong, and `prior` more of
/// which the share `ignorance` did. Rows of one cluster are not independent.
struct Regression {
  struct Row {
    Vector inputs;
    double total = 0.0;
    double wrong = 0.0;
    double prior = 0.0;
    std::size_t cluster = 0;
  };
  std::vector<Row> rows;
  std::size_t n_clusters = 0;
  double ignorance = 0.5;

  /// Newton steps one coefficient at a time: the problem is convex and small, and limits need no further
  /// care.
  Vector solve() const {
    constexpr int most_rounds = 500;
    Vector theta = prior_mean;
    std::vector<double> eta;
    for (const Row& row : rows) eta.push_back(dot(row.inputs, theta));
    for (int round = 0; round < most_rounds; ++round) {
      double largest_step = 0.0;
      for (std::size_t k = 0; k < n; ++k) {
        double gradient = penalty[k] * (theta[k] - prior_mean[k]);
        double curvature = penalty[k];
        for (std::size_t i = 0; i < rows.size(); ++i) {
          const Row& row = rows[i];
          const double q = sigmoid(eta[i]);
          gradient += ((row.total + row.prior) * q - row.wrong - row.prior * ignorance) * row.inputs[k];
          curvature +=
              (row.total + row.prior) * std::max(q * (1.0 - q), 1e-3) * row.inputs[k] * row.inputs[k];
        }
        const double before = theta[k];
        theta[k] = std::clamp(before - gradient / curvature, lowest[k], highest[k]);
        const double step = theta[k] - before;
        if (step == 0.0) continue;
        for (std::size_t i = 0; i < rows.size(); ++i) eta[i] += step * rows[i].inputs[k];
        largest_step = std::max(largest_step, std::abs(step));
      }
      if (largest_step < 1e-7) break;
    }
    return theta;
  }

  /// Coefficients that announce an upper quantile of the error probability at the mean of all rows: episodes
  /// are a sample. The covariance is a sandwich in which clusters, not rows, are independent. Limits hold
  /// again afterwards, so that no signal lowers what is announced.
  Vector cautious(const Vector& theta) const {
    std::array<double, n * n> curvature{};
    for (std::size_t k = 0; k < n; ++k) curvature[k * n + k] = penalty[k];
    std::vector<Vector> scores(n_clusters, Vector{});
    Vector center{};
    double total = 0.0;
    for (const Row& row : rows) {
      const Vector& x = row.inputs;
      const double q = sigmoid(dot(x, theta));
      const double information = (row.total + row.prior) * q * (1.0 - q);
      for (std::size_t j = 0; j < n; ++j)
        for (std::size_t k = 0; k <= j; ++k) curvature[j * n + k] += information * x[j] * x[k];
      add(row.total, x, center);
      add(row.wrong - row.total * q, x, scores[row.cluster]);
      total += row.total;
    }
    for (double& value : center) value /= total;
    robust_cholesky(curvature, n);
    invert_lower(curvature, n);
    // With I the inverse curvature and S the clusters' scores, direction = I S' S I center, with S centred.
    const Vector sensitivity = solve_with(curvature, center);
    std::vector<double> effects;
    for (const Vector& score : scores) effects.push_back(dot(score, sensitivity));
    const double mean =
        std::accumulate(effects.begin(), effects.end(), 0.0) / static_cast<double>(n_clusters);
    Vector sum{};
    double variance = 0.0;
    for (std::size_t c = 0; c < n_clusters; ++c) {
      add(effects[c] - mean, scores[c], sum);
      variance += (effects[c] - mean) * (effects[c] - mean);
    }
    const Vector direction = solve_with(curvature, sum);
    const double deviation = std::sqrt(variance);
    Vector result = theta;
    for (std::size_t k = 0; k < n && deviation > 0.0; ++k)
      result[k] = std::clamp(theta[k] + standard_errors * direction[k] / deviation, lowest[k], highest[k]);
    return result;
  }
};

/// How far the rows of each episode lie outside, which is what its rows share their weight by.
struct EpisodeSums {
  explicit EpisodeSums(std::span<const HiddenRow> rows) {
    for (const HiddenRow& row : rows) {
      if (row.episode == HiddenRow::own_row) continue;
      outside.resize(std::max(outside.size(), static_cast<std::size_t>(row.episode) + 1));
      outside[static_cast<std::size_t>(row.episode)] += row.outside;
    }
    for (const double sum : outside) {
      place.push_back(n_used);
      if (sum >= least_outside) ++n_used;
    }
  }
  /// Whether the row is one of an episode that the region saw as a gap.
  bool counts(const HiddenRow& row) const {
    return row.episode != HiddenRow::own_row &&
           outside[static_cast<std::size_t>(row.episode)] >= least_outside;
  }
  double share(const HiddenRow& row) const {
    return row.outside / outside[static_cast<std::size_t>(row.episode)];
  }

  static constexpr double least_outside = 3.0; ///< in rows
  std::vector<double> outside;
  std::vector<std::size_t> place; ///< of an episode among those that are used
  std::size_t n_used = 0;
};

Regression make_regression(std::span<const HiddenRow> rows, const EpisodeSums& sums, Index n_classes,
                           Index n_labeled) {
  const auto n_used = static_cast<double>(sums.n_used);
  const double scale = std::min(rows_per_episode, share_of_labels * static_cast<double>(n_labeled) / n_used);
  double own = 0.0;
  for (const HiddenRow& row : rows)
    if (row.episode == HiddenRow::own_row) own += own_weight * row.outside;
  const double own_scale = own > most_own_weight ? most_own_weight / own : 1.0;
  Regression regression;
  regression.ignorance = 1.0 - 1.0 / static_cast<double>(n_classes);
  regression.n_clusters = sums.n_used;
  for (const HiddenRow& row : rows) {
    Regression::Row trial;
    trial.inputs = inputs_of(row.error_probability, row.signals);
    if (row.episode == HiddenRow::own_row) {
      trial.total = own_weight * own_scale * row.outside;
      trial.cluster = regression.n_clusters++;
    } else if (sums.counts(row)) {
      trial.total = scale * sums.share(row);
      trial.prior = ignorant_rows * sums.share(row) / n_used;
      trial.cluster = sums.place[static_cast<std::size_t>(row.episode)];
    } else {
      continue;
    }
    trial.wrong = row.is_wrong ? trial.total : 0.0;
    regression.rows.push_back(trial);
  }
  return regression;
}

double weighted_quantile(std::vector<std::pair<double, double>> values, double share) {
  std::sort(values.begin(), values.end(), [](const auto& a, const auto& b) {
    const NanLast less;
    return less(a.first, b.first) || (!less(b.first, a.first) && less(a.second, b.second));
  });
  double total = 0.0;
  for (const auto& [value, weight] : values) total += weight;
  double below = 0.0;
  for (const auto& [value, weight] : values)
    if ((below += weight) >= share * total) return value;
  return values.back().first;
}

} // namespace

Signals Signals::of(double depth, double distance, double log_share, double disagreement) {
  return {std::clamp(depth, 0.0, 1e6) / 3.0,
          std::max(0.0, std::log1p(std::min(distance, 1e6)) - std::log(2.0)) / 0.7,
          std::clamp(-log_share, 0.0, 6.0) / 2.0, disagreement / 0.25};
}

HiddenRow HiddenRow::of(std::span<const double> p, std::size_t label) {
  const auto best = std::max_element(p.begin(), p.end());
  HiddenRow row;
  row.error_probability = 1.0 - *best;
  row.true_probability = p[label];
  row.is_wrong = static_cast<std::size_t>(best - p.begin()) != label;
  return row;
}

Trust Trust::fit(std::span<const HiddenRow> rows, Index n_classes, Index n_labeled) {
  const EpisodeSums sums(rows);
  if (sums.n_used < least_episodes) return {};
  const Regression regression = make_regression(rows, sums, n_classes, n_labeled);
  Trust trust;
  trust.is_none_ = false;
  trust.coefficients_ = regression.cautious(regression.solve());
  for (std::size_t k = 0; k < trust.ends_.size(); ++k) {
    std::vector<std::pair<double, double>> reached;
    for (const HiddenRow& row : rows)
      if (sums.counts(row)) reached.emplace_back(row.signals.values()[k], sums.share(row));
    trust.ends_[k] = weighted_quantile(std::move(reached), reached_share);
  }
  return trust;
}

double Trust::of(double largest, const Signals& signals, Index n_classes) const {
  const double uniform = 1.0 / static_cast<double>(n_classes);
  if (is_none_ || largest <= uniform) return 0.0;
  const Vector inputs = inputs_of(1.0 - largest, signals);
  const double error = sigmoid(dot(inputs, coefficients_));
  const double kept = std::clamp((1.0 - uniform - error) / (largest - uniform), 0.0, 1.0);
  return kept * std::clamp(1.0 - (signals.depth - ends_[0]) / fading_depth, 0.0, 1.0) *
         (1.0 - unseen(signals));
}

/// How far a row lies beyond what episodes reached in distance and scarcity together. One of them alone is
/// beyond its end in many a real gap that is filled in rightly: labels are scarcer there than any episode
/// makes them.
double Trust::unseen(const Signals& signals) const {
  const double from = far_from * ends_[1];
  const double width = ends_[1] - from;
  const double is_far = width > 0.0 ? std::clamp((signals.distance - from) / width, 0.0, 1.0)
                                    : (signals.distance > 0.0 ? 1.0 : 0.0);
  return is_far * std::clamp((signals.scarcity - ends_[2]) / fading_scarcity, 0.0, 1.0);
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
  archive.put(prefix + "ends", std::vector<double>(ends_.begin(), ends_.end()));
}

Trust Trust::load(const Archive& archive, const std::string& prefix) {
  Trust trust;
  if (!archive.has(prefix + "coefficients")) return trust;
  trust.is_none_ = false;
  const std::vector<double>& coefficients = archive.vector(prefix + "coefficients", n);
  const std::vector<double>& ends = archive.vector(prefix + "ends", std::tuple_size_v<Ends>);
  for (std::size_t k = 0; k < n; ++k)
    if (!(coefficients[k] >= lowest[k] && coefficients[k] <= highest[k]))
      fail_damaged(prefix + "coefficients", "holds a value outside its limits");
  for (const double end : ends)
    if (!(end >= 0.0 && std::isfinite(end)))
      fail_damaged(prefix + "ends", "holds something else than signals");
  std::copy(coefficients.begin(), coefficients.end(), trust.coefficients_.begin());
  std::copy(ends.begin(), ends.end(), trust.ends_.begin());
  return trust;
}

} // namespace lacuna
