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

/// Rows in the frame's units, computed on the fly; the data are never copied.
class FrameRows {
public:
  FrameRows(const WeightedRows& rows, const Frame& frame) : rows_(rows), frame_(frame) {}
  Index size() const { return rows_.size(); }
  Index n_features() const { return rows_.n_features(); }
  double weight(Index i) const { return rows_.weight(i); }
  double value(Index i, Index j) const {
    return (rows_.row(i)[j] - frame_.center[at(j)]) / frame_.scale[at(j)];
  }
  void get(Index i, double* out) const {
    for (Index j = 0; j < n_features(); ++j) out[j] = value(i, j);
  }

private:
  const WeightedRows& rows_;
  const Frame& frame_;
};

double squared_distance(const double* a, const double* b, Index d) {
  double sum = 0.0;
  for (Index j = 0; j < d; ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
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
      std::vector<double> x(at(rows_.n_features()));
      for (Index i = tasks_.first(task); i < tasks_.first(task + 1); ++i) {
        rows_.get(i, x.data());
        visit(task, i, std::min(distance_[at(i)], squared_distance(x.data(), center, rows_.n_features())));
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
  const Index d = rows.n_features();
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
    std::vector<double> x(at(rows.n_features()));
    for (Index i = tasks.first(task); i < tasks.first(task + 1); ++i) {
      rows.get(i, x.data());
      double nearest = std::numeric_limits<double>::infinity();
      for (Index k = 0; k < centers.n_rows(); ++k) {
        const double distance = squared_distance(x.data(), centers.row(k), rows.n_features());
        if (distance < nearest) {
          nearest = distance;
          assignment[at(i)] = static_cast<int>(k);
        }
      }
    }
  });
}

/// Moves every centre to the mean of its rows; a centre without rows stays.
void move_centers(const FrameRows& rows, const std::vector<int>& assignment, Matrix& centers) {
  const Index d = rows.n_features();
  Matrix sums(centers.n_rows(), d);
  std::vector<double> weights(at(centers.n_rows()));
  for (Index i = 0; i < rows.size(); ++i) {
    const Index k = assignment[at(i)];
    const double w = rows.weight(i);
    weights[at(k)] += w;
    for (Index j = 0; j < d; ++j) sums(k, j) += w * rows.value(i, j);
  }
  for (Index k = 0; k < centers.n_rows(); ++k)
    if (weights[at(k)] > 0.0)
      for (Index j = 0; j < d; ++j) centers(k, j) = sums(k, j) / weights[at(k)];
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
    if (round == n_lloyd_rounds) return start;
    move_centers(frame_rows, start.assignment, start.centers);
  }
}

} // namespace lacuna
