#include <algorithm>
#include <cmath>
#include <compare>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

#include "core/index.hpp"
#include "core/parallel.hpp"
#include "density/kde.hpp"
#include "density/own_families.hpp"
#include "lacuna/core/errors.hpp"
#include "math/cholesky.hpp"

// Equation numbers refer to docs/math/kde.md.

namespace lacuna {

namespace {

/// The rows that differ from each other, with weights that sum to one. Equal rows are one row: a row that
/// stands there twice says no more about the width of the kernels than one of weight 2.
struct DistinctRows {
  explicit DistinctRows(const WeightedRows& rows) {
    const Index d = rows.n_features();
    std::vector<Index> order;
    for (Index i = 0; i < rows.size(); ++i)
      if (rows.weight(i) > 0.0) order.push_back(i);
    if (order.empty()) throw Error(ErrorKind::data, "a density needs at least one row of positive weight");
    const auto compare = [&](Index a, Index b) {
      return std::lexicographical_compare_three_way(rows.row(a), rows.row(a) + d, rows.row(b),
                                                    rows.row(b) + d);
    };
    // By a heap: the rows may lie in memory that somebody changes, and then std::sort would leave its range.
    std::partial_sort(order.begin(), order.end(), order.end(), [&](Index a, Index b) {
      const auto result = compare(a, b);
      return std::is_lt(result) || (std::is_eq(result) && a < b);
    });
    double total = 0.0;
    for (const Index i : order) {
      if (row.empty() || !std::is_eq(compare(row.back(), i))) {
        row.push_back(i);
        weight.push_back(0.0);
      }
      weight.back() += rows.weight(i);
      total += rows.weight(i);
    }
    for (double& w : weight) w /= total;
    double squares = 0.0;
    for (const double w : weight) squares += w * w;
    effective_size = 1.0 / squares;
  }

  Index size() const { return static_cast<Index>(row.size()); }

  std::vector<Index> row;
  std::vector<double> weight;
  double effective_size = 0.0; ///< eq. 2
};

/// The covariance in the frame (eq. 1), as a full matrix; every variance is positive.
std::vector<double> covariance(const WeightedRows& rows, const DistinctRows& distinct, const Frame& frame,
                               std::span<const double> reference_variance) {
  const Index d = rows.n_features();
  std::vector<double> result(at(d * d));
  std::vector<double> z(at(d));
  for (Index i = 0; i < distinct.size(); ++i) {
    const double* const x = rows.row(distinct.row[at(i)]);
    for (Index j = 0; j < d; ++j) z[at(j)] = (x[j] - frame.center[at(j)]) / frame.scale[at(j)];
    for (Index j = 0; j < d; ++j)
      for (Index k = 0; k <= j; ++k) result[at(j * d + k)] += distinct.weight[at(i)] * z[at(j)] * z[at(k)];
  }
  const double n = distinct.effective_size;
  const double unbiased = distinct.size() > 1 ? n / (n - 1.0) : 1.0;
  // As many reference rows as would determine a covariance matrix.
  const double n_reference = reference_variance.empty() ? 0.0 : static_cast<double>(d) + 1.0;
  for (Index j = 0; j < d; ++j)
    for (Index k = 0; k <= j; ++k) {
      double& value = result[at(j * d + k)];
      value *= unbiased * n / (n + n_reference);
      if (j == k && n_reference > 0.0)
        value += n_reference / (n + n_reference) * reference_variance[at(j)] /
                 (frame.scale[at(j)] * frame.scale[at(j)]);
      if (j == k && !(value > 0.0)) value = 1.0; // never varies: any width will do
      result[at(k * d + j)] = value;
    }
  return result;
}

/// The packed inverse of the Cholesky factor of the covariance.
std::vector<double> make_whitener(std::vector<double> matrix, Index d) {
  // Kernels are at least this share of a feature's spread wide, in every direction: collinear columns.
  constexpr double least_variance = 1e-6;
  raise_eigenvalues(matrix, d, least_variance);
  robust_cholesky(matrix, d);
  invert_lower(matrix, d);
  std::vector<double> packed;
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j <= i; ++j) packed.push_back(matrix[at(i * d + j)]);
  return packed;
}

double scott_factor(double n, Index d) {
  return std::pow(n, -1.0 / (static_cast<double>(d) + 4.0));
}

double silverman_factor(double n, Index d) {
  return scott_factor(n * (static_cast<double>(d) + 2.0) / 4.0, d);
}

/// The leave-one-out log likelihood as a function of the width (eq. 7), and where it is largest.
class WidthSearch {
public:
  WidthSearch(const KdeTree& tree, int threads, const Observer& observer)
      : tree_(tree), threads_(threads), observer_(observer) {}

  struct Result {
    double width;
    double log_likelihood;
    Index n_evaluations;
  };

  /// Halvings and doublings first, because there may be several maxima; then a golden section search.
  Result run() {
    constexpr double step = 0.5;
    constexpr int n_below = 6;
    constexpr int n_above = 4;
    constexpr double precise = 0.01;
    double best = -n_below * step;
    for (int i = -n_below; i <= n_above; ++i)
      if (value(i * step) > value(best)) best = i * step;
    const double golden = 0.5 * (std::sqrt(5.0) - 1.0);
    double low = best - step;
    double high = best + step;
    while (high - low > precise) {
      const double left = high - golden * (high - low);
      const double right = low + golden * (high - low);
      if (value(left) < value(right))
        low = left;
      else
        high = right;
    }
    for (const auto& [log_2_width, log_likelihood] : known_)
      if (log_likelihood > value(best)) best = log_2_width;
    return {std::exp2(best), value(best), static_cast<Index>(known_.size())};
  }

private:
  double value(double log_2_width) {
    for (const auto& [known, log_likelihood] : known_)
      if (known == log_2_width) return log_likelihood;
    known_.emplace_back(log_2_width, log_likelihood(std::exp2(log_2_width)));
    return known_.back().second;
  }

  /// Mean over rows; over evenly chosen ones when there are many, each against all others.
  double log_likelihood(double width) const {
    stop_if_cancelled(observer_);
    constexpr Index most_rows = 2048;
    constexpr Index rows_per_task = 64;
    constexpr double tolerance = 1e-6;
    const Index n = std::min(most_rows, tree_.n_points());
    std::vector<double> values(at(n));
    std::vector<double> weights(at(n));
    parallel_for((n + rows_per_task - 1) / rows_per_task, threads_, [&](Index task) {
      const Index first = task * rows_per_task;
      Matrix points(std::min(rows_per_task, n - first), tree_.n_features());
      std::vector<KdeTree::Question> questions;
      for (Index i = 0; i < points.n_rows(); ++i) {
        const Index row = (first + i) * tree_.n_points() / n;
        tree_.point(row, points.row(i));
        weights[at(first + i)] = tree_.weight(row);
        questions.push_back({points.row(i), 1.0 / (width * width), row});
      }
      const std::span<double> some = std::span(values).subspan(at(first), questions.size());
      tree_.log_sums(questions, tolerance, some);
      for (std::size_t i = 0; i < some.size(); ++i) some[i] -= std::log1p(-weights[at(first) + i]);
    });
    const double sum = std::inner_product(values.begin(), values.end(), weights.begin(), 0.0);
    return sum / std::accumulate(weights.begin(), weights.end(), 0.0) -
           static_cast<double>(tree_.n_features()) * std::log(width);
  }

  const KdeTree& tree_;
  int threads_;
  const Observer& observer_;
  std::vector<std::pair<double, double>> known_;
};

struct OrderedPoints {
  Matrix points;
  std::vector<double> weights;
};

OrderedPoints order_points(const WeightedRows& rows, const DistinctRows& distinct, const Frame& frame,
                           const std::vector<double>& whitener, int threads) {
  Matrix points(distinct.size(), rows.n_features());
  for (Index i = 0; i < distinct.size(); ++i)
    whiten_row(frame, whitener, rows.row(distinct.row[at(i)]), points.row(i));
  OrderedPoints ordered{Matrix(points.n_rows(), points.n_cols()), {}};
  const std::vector<Index> order = leaf_order(points, threads);
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::copy_n(points.row(order[i]), points.n_cols(), ordered.points.row(static_cast<Index>(i)));
    ordered.weights.push_back(distinct.weight[at(order[i])]);
  }
  return ordered;
}

} // namespace

std::shared_ptr<const Density> fit_density(const KdeOptions& options, const WeightedRows& rows,
                                           const DensityFitContext& context) {
  const Index d = rows.n_features();
  const Observer& observer = context.observer != nullptr ? *context.observer : silent_observer();
  const DistinctRows distinct(rows);
  const Frame frame = make_frame(rows, {}, {}, context.reference_variance, static_cast<double>(d) + 1.0);
  std::vector<double> whitener =
      make_whitener(covariance(rows, distinct, frame, context.reference_variance), d);
  DensityFitSummary summary;

  // Steps of an EM keep the width that was found for their first fit.
  const auto* const previous = context.single_step ? dynamic_cast<const Kde*>(context.warm_start) : nullptr;
  const bool search = options.kde_bandwidth == KdeBandwidth::likelihood && distinct.size() > 2;
  double factor = options.kde_bandwidth == KdeBandwidth::silverman
                      ? silverman_factor(distinct.effective_size, d)
                      : scott_factor(distinct.effective_size, d);
  if (search && previous != nullptr) factor = previous->bandwidth_factor();
  for (double& a : whitener) a /= factor;
  OrderedPoints ordered = order_points(rows, distinct, frame, whitener, context.threads);
  if (search && previous == nullptr) {
    const KdeTree tree(ordered.points, ordered.weights);
    double log_constant =
        frame.log_jacobian() - 0.5 * static_cast<double>(d) * std::log(2.0 * std::numbers::pi);
    for (Index i = 0; i < d; ++i) log_constant += std::log(whitener[at(i * (i + 1) / 2 + i)]);
    const WidthSearch::Result found = WidthSearch(tree, context.threads, observer).run();
    factor *= found.width;
    for (double& a : whitener) a /= found.width;
    for (double& x : ordered.points.values()) x /= found.width;
    summary.n_iterations = found.n_evaluations;
    summary.objective = found.log_likelihood + log_constant;
  }
  summary.measures["bandwidth_factor"] = factor;
  summary.measures["effective_sample_size"] = distinct.effective_size;
  return std::make_shared<Kde>(frame, std::move(whitener), KdeTree(ordered.points, ordered.weights), factor,
                               options.kde_tolerance, std::move(summary));
}

} // namespace lacuna
