#include "density/kmeans_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "lacuna/core/parallel.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

namespace {

constexpr Index min_rows_per_task = 4096;
constexpr Index max_tasks = 32;
constexpr Index n_lloyd_rounds = 5; // a start, not a clustering: the mixture moves the centres anyway

std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

/// Rows as points, computed on the fly; the data are never copied. Numbers are in the frame's units; a column
/// of categories has one coordinate per category, scaled so that the column weighs as much as one number.
/// What is missing is NaN.
class FrameRows {
public:
  FrameRows(const WeightedRows& rows, const Frame& frame) : rows_(rows), frame_(frame) {
    for (const CategoryColumn& category : frame.categories) {
      std::vector<double> share(at(category.n_levels));
      double total = 0.0;
      for (Index i = 0; i < rows.size(); ++i) {
        const double cell = rows.row(i)[category.column];
        if (!is_level(cell, category)) continue;
        share[static_cast<std::size_t>(cell)] += rows.weight(i);
        total += rows.weight(i);
      }
      double variance = 1.0;
      for (const double s : share) variance -= total > 0.0 ? (s / total) * (s / total) : 0.0;
      height_.push_back(variance > 1e-6 ? 1.0 / std::sqrt(variance) : 1.0);
    }
  }
  Index size() const { return rows_.size(); }
  Index n_coordinates() const { return frame_.n_features() + frame_.n_levels(); }
  double weight(Index i) const { return rows_.weight(i); }
  void get(Index i, double* out) const {
    const double* const row = rows_.row(i);
    for (std::size_t j = 0; j < frame_.columns.size(); ++j)
      *out++ = (row[frame_.columns[j]] - frame_.center[j]) / frame_.scale[j];
    for (std::size_t c = 0; c < frame_.categories.size(); ++c) {
      const CategoryColumn& category = frame_.categories[c];
      const double cell = row[category.column];
      const bool is_missing = !is_level(cell, category);
      std::fill_n(out, category.n_levels, is_missing ? std::numeric_limits<double>::quiet_NaN() : 0.0);
      if (!is_missing) out[static_cast<Index>(cell)] = height_[c];
      out += category.n_levels;
    }
  }

private:
  static bool is_level(double cell, const CategoryColumn& category) {
    return cell >= 0.0 && cell < static_cast<double>(category.n_levels);
  }

  const WeightedRows& rows_;
  const Frame& frame_;
  std::vector<double> height_; ///< of a column of categories: the coordinate of the category that is there
};

/// Over the coordinates that the row has.
double squared_distance(const double* row, const double* center, Index d) {
  double sum = 0.0;
  for (Index j = 0; j < d; ++j) {
    const double difference = row[j] - center[j];
    sum += std::isnan(difference) ? 0.0 : difference * difference;
  }
  return sum;
}

/// The seeding state: how far every row is from its nearest centre so far.
class Seeding {
public:
  Seeding(const FrameRows& rows, int threads)
      : rows_(rows), threads_(threads), tasks_(rows.size(), min_rows_per_task, max_tasks),
        distance_(at(rows.size()), std::numeric_limits<double>::infinity()), mass_(at(rows.size())) {
    for (Index i = 0; i < rows.size(); ++i) mass_[at(i)] = rows.weight(i);
    std::partial_sum(mass_.begin(), mass_.end(), mass_.begin());
  }

  /// The total weighted distance to the nearest centre if `center` were added.
  double total_with(const double* center) const {
    std::vector<double> sums(at(tasks_.n_blocks));
    for_each_row(center,
                 [&](Index task, Index i, double nearest) { sums[at(task)] += rows_.weight(i) * nearest; });
    return std::accumulate(sums.begin(), sums.end(), 0.0);
  }

  void add(const double* center) {
    for_each_row(center, [&](Index, Index i, double nearest) { distance_[at(i)] = nearest; });
    double sum = 0.0;
    for (Index i = 0; i < rows_.size(); ++i) mass_[at(i)] = sum += rows_.weight(i) * distance_[at(i)];
  }

  /// No row is away from all centres any more.
  bool is_complete() const { return !(mass_.back() > 0.0); }

  /// The row at a share of the total mass: weights at first, later weights times squared distances.
  Index pick(double share) const {
    const auto found = std::upper_bound(mass_.begin(), mass_.end(), share * mass_.back());
    return std::min(static_cast<Index>(found - mass_.begin()), rows_.size() - 1);
  }

private:
  template <class Visit>
  void for_each_row(const double* center, const Visit& visit) const {
    parallel_for(tasks_.n_blocks, threads_, [&](Index task) {
      std::vector<double> x(at(rows_.n_coordinates()));
      for (Index i = tasks_.first(task); i < tasks_.first(task + 1); ++i) {
        rows_.get(i, x.data());
        visit(task, i, std::min(distance_[at(i)], squared_distance(x.data(), center, rows_.n_coordinates())));
      }
    });
  }

  const FrameRows& rows_;
  int threads_;
  RowBlocks tasks_;
  std::vector<double> distance_;
  std::vector<double> mass_; ///< running sum over the rows
};

Matrix seed_centers(const FrameRows& rows, Index n_centers, std::uint64_t seed, int threads,
                    const Observer& observer) {
  const Index d = rows.n_coordinates();
  const auto n_trials = 2 + static_cast<Index>(std::log(static_cast<double>(n_centers)));
  RandomStream random(seed, RandomPurpose::start);
  Seeding seeding(rows, threads);
  std::vector<double> chosen;
  std::vector<double> candidate(at(d));
  std::vector<double> best(at(d));
  for (Index k = 0; k < n_centers; ++k) {
    stop_if_cancelled(observer);
    double best_total = std::numeric_limits<double>::infinity();
    for (Index trial = 0; trial < (k == 0 ? 1 : n_trials); ++trial) {
      rows.get(seeding.pick(random.uniform()), candidate.data());
      for (double& value : candidate) // the mean stands in for what a centre lacks
        if (std::isnan(value)) value = 0.0;
      const double total = seeding.total_with(candidate.data());
      if (trial > 0 && total >= best_total) continue;
      best_total = total;
      best = candidate;
    }
    chosen.insert(chosen.end(), best.begin(), best.end());
    seeding.add(best.data());
    if (seeding.is_complete()) break;
  }
  const Index n_found = static_cast<Index>(chosen.size()) / d;
  return {n_found, d, std::move(chosen)};
}

/// Assigns every row to its nearest centre.
void assign(const FrameRows& rows, const Matrix& centers, int threads, std::vector<int>& assignment) {
  const RowBlocks tasks(rows.size(), min_rows_per_task, max_tasks);
  parallel_for(tasks.n_blocks, threads, [&](Index task) {
    std::vector<double> x(at(rows.n_coordinates()));
    for (Index i = tasks.first(task); i < tasks.first(task + 1); ++i) {
      rows.get(i, x.data());
      double nearest = std::numeric_limits<double>::infinity();
      for (Index k = 0; k < centers.n_rows(); ++k) {
        const double distance = squared_distance(x.data(), centers.row(k), rows.n_coordinates());
        if (distance < nearest) {
          nearest = distance;
          assignment[at(i)] = static_cast<int>(k);
        }
      }
    }
  });
}

/// Moves every centre to the mean of its rows, coordinate by coordinate; without a row to go by it stays.
void move_centers(const FrameRows& rows, const std::vector<int>& assignment, Matrix& centers) {
  const Index d = rows.n_coordinates();
  Matrix sums(centers.n_rows(), d);
  Matrix weights(centers.n_rows(), d);
  std::vector<double> x(at(d));
  for (Index i = 0; i < rows.size(); ++i) {
    const Index k = assignment[at(i)];
    const double w = rows.weight(i);
    rows.get(i, x.data());
    for (Index j = 0; j < d; ++j) {
      if (std::isnan(x[at(j)])) continue;
      weights(k, j) += w;
      sums(k, j) += w * x[at(j)];
    }
  }
  for (Index k = 0; k < centers.n_rows(); ++k)
    for (Index j = 0; j < d; ++j)
      if (weights(k, j) > 0.0) centers(k, j) = sums(k, j) / weights(k, j);
}

Matrix first_columns(const Matrix& matrix, Index n) {
  Matrix result(matrix.n_rows(), n);
  for (Index i = 0; i < matrix.n_rows(); ++i) std::copy_n(matrix.row(i), n, result.row(i));
  return result;
}

} // namespace

KmeansStart kmeans_start(const WeightedRows& rows, const Frame& frame, Index n_centers, std::uint64_t seed,
                         int threads, const Observer& observer) {
  const FrameRows frame_rows(rows, frame);
  KmeansStart start{seed_centers(frame_rows, n_centers, seed, threads, observer), {}};
  start.assignment.resize(at(rows.size()));
  for (Index round = 0;; ++round) {
    stop_if_cancelled(observer);
    assign(frame_rows, start.centers, threads, start.assignment);
    if (round == n_lloyd_rounds) break;
    move_centers(frame_rows, start.assignment, start.centers);
  }
  start.centers = first_columns(start.centers, frame.n_features());
  return start;
}

} // namespace lacuna
