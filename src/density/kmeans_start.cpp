#include "density/kmeans_start.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "core/parallel.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

namespace {

constexpr RowBlocks::Limits start_limits{.min_rows = 4096, .max_blocks = 32};
constexpr Index n_lloyd_rounds = 5; // a start, not a clustering: the mixture moves the centres anyway

/// A row in the frame's units; NaN where a number is missing.
struct Point {
  std::vector<double> numbers;
  std::vector<Index> levels; ///< per column of categories, among the levels of all; -1 where missing
};

/// Rows as points, computed on the fly; the data are never copied. A column of categories stands for one
/// coordinate per category, `height` at the one that is there and 0 elsewhere, so that the column weighs as
/// much as one number. Those zeros are never written out: a centre knows its squared length per column.
class FrameRows {
public:
  FrameRows(const WeightedRows& rows, const Frame& frame) : rows_(rows), frame_(frame) {
    for (const CategoryColumn& category : frame.categories) height_.push_back(height_of(category));
  }
  /// With the heights that other rows gave.
  FrameRows(const WeightedRows& rows, const Frame& frame, std::vector<double> heights)
      : rows_(rows), frame_(frame), height_(std::move(heights)) {}
  Index size() const { return rows_.size(); }
  double weight(Index i) const { return rows_.weight(i); }
  Index n_numbers() const { return frame_.n_features(); }
  Index n_categories() const { return static_cast<Index>(frame_.categories.size()); }
  const CategoryColumn& category(Index c) const { return frame_.categories[at(c)]; }
  double height(Index c) const { return height_[at(c)]; }
  const std::vector<double>& heights() const { return height_; }
  /// A centre: numbers, then levels, then the squared length of each column of categories.
  Index center_size() const { return n_numbers() + frame_.n_levels() + n_categories(); }

  void get(Index i, Point& point) const {
    const double* const row = rows_.row(i);
    point.numbers.resize(frame_.columns.size());
    point.levels.resize(frame_.categories.size());
    for (std::size_t j = 0; j < frame_.columns.size(); ++j)
      point.numbers[j] = (row[frame_.columns[j]] - frame_.center[j]) / frame_.scale[j];
    for (std::size_t c = 0; c < frame_.categories.size(); ++c) {
      const CategoryColumn& category = frame_.categories[c];
      const double cell = row[category.column];
      point.levels[c] = is_level(cell, category) ? category.first_level + static_cast<Index>(cell) : -1;
    }
  }

  /// The point as a centre; the mean, zero, stands in for what it lacks.
  void make_center(const Point& point, double* center) const {
    std::fill_n(center, center_size(), 0.0);
    for (std::size_t j = 0; j < point.numbers.size(); ++j)
      if (!std::isnan(point.numbers[j])) center[j] = point.numbers[j];
    for (Index c = 0; c < n_categories(); ++c)
      if (point.levels[at(c)] >= 0) center[n_numbers() + point.levels[at(c)]] = height(c);
    measure(center);
  }

  /// Sets the squared lengths of a centre.
  void measure(double* center) const {
    const double* const levels = center + n_numbers();
    double* const lengths = center + n_numbers() + frame_.n_levels();
    for (Index c = 0; c < n_categories(); ++c) {
      lengths[c] = 0.0;
      for (Index l = 0; l < category(c).n_levels; ++l)
        lengths[c] += levels[category(c).first_level + l] * levels[category(c).first_level + l];
    }
  }

  /// Squared, over what the point has.
  double distance(const Point& point, const double* center) const {
    double sum = 0.0;
    for (std::size_t j = 0; j < point.numbers.size(); ++j) {
      const double difference = point.numbers[j] - center[j];
      sum += std::isnan(difference) ? 0.0 : difference * difference;
    }
    const double* const levels = center + n_numbers();
    const double* const lengths = center + n_numbers() + frame_.n_levels();
    for (Index c = 0; c < n_categories(); ++c) {
      const Index level = point.levels[at(c)];
      if (level >= 0)
        sum += std::max(0.0, lengths[c] + height(c) * height(c) - 2.0 * height(c) * levels[level]);
    }
    return sum;
  }

private:
  static bool is_level(double cell, const CategoryColumn& category) {
    return cell >= 0.0 && cell < static_cast<double>(category.n_levels);
  }

  /// One over the root of the column's total variance.
  double height_of(const CategoryColumn& category) const {
    std::vector<double> share(at(category.n_levels));
    double total = 0.0;
    for (Index i = 0; i < rows_.size(); ++i) {
      const double cell = rows_.row(i)[category.column];
      if (!is_level(cell, category)) continue;
      share[static_cast<std::size_t>(cell)] += rows_.weight(i);
      total += rows_.weight(i);
    }
    double variance = 1.0;
    for (const double s : share) variance -= total > 0.0 ? (s / total) * (s / total) : 0.0;
    return variance > 1e-6 ? 1.0 / std::sqrt(variance) : 1.0;
  }

  const WeightedRows& rows_;
  const Frame& frame_;
  std::vector<double> height_;
};

/// The seeding state: how far every row is from its nearest centre so far.
class Seeding {
public:
  Seeding(const FrameRows& rows, int threads)
      : rows_(rows), threads_(threads), tasks_(rows.size(), start_limits),
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
      Point point;
      for (Index i = tasks_.first(task); i < tasks_.first(task + 1); ++i) {
        rows_.get(i, point);
        visit(task, i, std::min(distance_[at(i)], rows_.distance(point, center)));
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
  const Index d = rows.center_size();
  const auto n_trials = 2 + static_cast<Index>(std::log(static_cast<double>(n_centers)));
  RandomStream random(seed, RandomPurpose::start);
  Seeding seeding(rows, threads);
  std::vector<double> chosen;
  std::vector<double> candidate(at(d));
  std::vector<double> best(at(d));
  Point point;
  for (Index k = 0; k < n_centers; ++k) {
    stop_if_cancelled(observer);
    double best_total = std::numeric_limits<double>::infinity();
    for (Index trial = 0; trial < (k == 0 ? 1 : n_trials); ++trial) {
      rows.get(seeding.pick(random.uniform()), point);
      rows.make_center(point, candidate.data());
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
  const RowBlocks tasks(rows.size(), start_limits);
  parallel_for(tasks.n_blocks, threads, [&](Index task) {
    Point point;
    for (Index i = tasks.first(task); i < tasks.first(task + 1); ++i) {
      rows.get(i, point);
      double nearest = std::numeric_limits<double>::infinity();
      for (Index k = 0; k < centers.n_rows(); ++k) {
        const double distance = rows.distance(point, centers.row(k));
        if (distance < nearest) {
          nearest = distance;
          assignment[at(i)] = static_cast<int>(k);
        }
      }
    }
  });
}

/// Moves every centre to the mean of its rows, column by column; without a row to go by it stays.
void move_centers(const FrameRows& rows, const std::vector<int>& assignment, Matrix& centers) {
  const Index d = rows.n_numbers();
  Matrix sums(centers.n_rows(), centers.n_cols());
  Matrix weights(centers.n_rows(), d + rows.n_categories());
  Point point;
  for (Index i = 0; i < rows.size(); ++i) {
    const Index k = assignment[at(i)];
    const double w = rows.weight(i);
    rows.get(i, point);
    for (Index j = 0; j < d; ++j) {
      if (std::isnan(point.numbers[at(j)])) continue;
      weights(k, j) += w;
      sums(k, j) += w * point.numbers[at(j)];
    }
    for (Index c = 0; c < rows.n_categories(); ++c) {
      if (point.levels[at(c)] < 0) continue;
      weights(k, d + c) += w;
      sums(k, d + point.levels[at(c)]) += w * rows.height(c);
    }
  }
  for (Index k = 0; k < centers.n_rows(); ++k) {
    for (Index j = 0; j < d; ++j)
      if (weights(k, j) > 0.0) centers(k, j) = sums(k, j) / weights(k, j);
    for (Index c = 0; c < rows.n_categories(); ++c)
      for (Index l = d + rows.category(c).first_level, n = rows.category(c).n_levels; n > 0; --n, ++l)
        if (weights(k, d + c) > 0.0) centers(k, l) = sums(k, l) / weights(k, d + c);
    rows.measure(centers.row(k));
  }
}

Matrix first_columns(const Matrix& matrix, Index n) {
  Matrix result(matrix.n_rows(), n);
  for (Index i = 0; i < matrix.n_rows(); ++i) std::copy_n(matrix.row(i), n, result.row(i));
  return result;
}

} // namespace

StartCenters::StartCenters(const WeightedRows& rows, const Frame& frame, Index n_centers, std::uint64_t seed,
                           int threads, const Observer& observer)
    : n_numbers_(frame.n_features()) {
  const FrameRows frame_rows(rows, frame);
  heights_ = frame_rows.heights();
  centers_ = seed_centers(frame_rows, n_centers, seed, threads, observer);
  std::vector<int> assignment(at(rows.size()));
  for (Index round = 0; round < n_lloyd_rounds; ++round) {
    stop_if_cancelled(observer);
    lacuna::assign(frame_rows, centers_, threads, assignment);
    move_centers(frame_rows, assignment, centers_);
  }
}

Matrix StartCenters::centers() const {
  return first_columns(centers_, n_numbers_);
}

std::vector<int> StartCenters::assign(const WeightedRows& rows, const Frame& frame, int threads) const {
  std::vector<int> assignment(at(rows.size()));
  lacuna::assign(FrameRows(rows, frame, heights_), centers_, threads, assignment);
  return assignment;
}

void StartCenters::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "n_numbers", static_cast<double>(n_numbers_));
  if (!heights_.empty()) archive.put(prefix + "heights", heights_);
  archive.put(prefix + "points", centers_);
}

StartCenters StartCenters::load(const Archive& archive, const std::string& prefix) {
  StartCenters centers;
  centers.n_numbers_ = archive.integer(prefix + "n_numbers", 0, largest_saved_features);
  if (archive.has(prefix + "heights")) centers.heights_ = archive.tensor(prefix + "heights").values;
  const std::vector<Index>& shape = archive.tensor(prefix + "points").shape;
  if (shape.size() != 2 || shape[1] < centers.n_numbers_) fail_damaged(prefix + "points", "are no centres");
  centers.centers_ = archive.matrix(prefix + "points", shape[0], shape[1]);
  return centers;
}

KmeansStart kmeans_start(const WeightedRows& rows, const Frame& frame, Index n_centers, std::uint64_t seed,
                         int threads, const Observer& observer) {
  const StartCenters start(rows, frame, n_centers, seed, threads, observer);
  return {start.centers(), start.assign(rows, frame, threads)};
}

} // namespace lacuna
