#include "learning/embedding.hpp"

#include <algorithm>
#include <limits>

#include "core/index.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

namespace {

/// Of a category's coordinate: two rows that differ in a category are as far apart as two whose number
/// differs by one standard deviation.
constexpr double category_height = 0.7;

LogisticInputs embedding_inputs(const DatasetView& data, const std::vector<Index>& rows,
                                const std::vector<double>& weights) {
  LabeledRows some;
  some.rows = rows;
  some.weights = weights;
  for (const double weight : weights) some.total_weight += weight;
  return LogisticInputs::fit(data, some);
}

} // namespace

Embedding::Embedding(const DatasetView& data, const std::vector<Index>& rows,
                     const std::vector<double>& weights)
    : inputs_(embedding_inputs(data, rows, weights)) {}

void Embedding::embed(const double* row, std::span<double> point) const {
  std::fill(point.begin(), point.end(), 0.0);
  std::vector<std::int32_t> switches(inputs_.n_categorical());
  inputs_.read(row, point.subspan(0, inputs_.n_values()), switches);
  for (const std::int32_t input : switches)
    if (input != LogisticInputs::none) point[static_cast<std::size_t>(input)] = category_height;
}

Matrix Embedding::embed(MatrixView rows) const {
  Matrix points(rows.n_rows, static_cast<Index>(size()));
  for (Index i = 0; i < rows.n_rows; ++i) embed(rows.row(i), {points.row(i), size()});
  return points;
}

Matrix Embedding::embed(MatrixView table, const std::vector<Index>& rows) const {
  Matrix points(static_cast<Index>(rows.size()), static_cast<Index>(size()));
  for (std::size_t i = 0; i < rows.size(); ++i)
    embed(table.row(rows[i]), {points.row(static_cast<Index>(i)), size()});
  return points;
}

void Embedding::save(Archive& archive, const std::string& prefix) const {
  inputs_.save(archive, prefix);
}

Embedding Embedding::load(const Archive& archive, const std::string& prefix, Index n_features) {
  return Embedding(LogisticInputs::load(archive, prefix, n_features));
}

std::span<const double> point_of(const Matrix& points, Index i) {
  return {points.row(i), at(points.n_cols())};
}

double squared_distance(std::span<const double> a, std::span<const double> b) {
  double sum = 0.0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += (a[j] - b[j]) * (a[j] - b[j]);
  return sum;
}

std::size_t nearest_row(const Matrix& candidates, std::span<const double> point) {
  std::size_t nearest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (Index i = 0; i < candidates.n_rows(); ++i) {
    const double distance = squared_distance(point_of(candidates, i), point);
    if (distance >= least) continue;
    least = distance;
    nearest = at(i);
  }
  return nearest;
}

Matrix cluster_centers(const Matrix& points, Index n_centers, std::uint64_t seed) {
  constexpr int n_rounds = 8;
  RandomStream random(seed, RandomPurpose::label_clusters);
  std::vector<double> far(at(points.n_rows()), std::numeric_limits<double>::infinity());
  std::vector<Index> chosen = {static_cast<Index>(random.uniform() * static_cast<double>(points.n_rows()))};
  while (static_cast<Index>(chosen.size()) < n_centers) {
    double total = 0.0;
    for (Index i = 0; i < points.n_rows(); ++i) {
      far[at(i)] =
          std::min(far[at(i)], squared_distance(point_of(points, i), point_of(points, chosen.back())));
      total += far[at(i)];
    }
    if (!(total > 0.0)) break;
    double left = random.uniform() * total;
    Index next = 0;
    while (next + 1 < points.n_rows() && (left -= far[at(next)]) > 0.0) ++next;
    chosen.push_back(next);
  }
  Matrix centers(static_cast<Index>(chosen.size()), points.n_cols());
  for (Index c = 0; c < centers.n_rows(); ++c)
    std::copy_n(points.row(chosen[at(c)]), points.n_cols(), centers.row(c));
  for (int round = 0; round < n_rounds; ++round) {
    Matrix sums(centers.n_rows(), centers.n_cols());
    std::vector<double> counts(at(centers.n_rows()));
    for (Index i = 0; i < points.n_rows(); ++i) {
      const auto c = static_cast<Index>(nearest_row(centers, point_of(points, i)));
      counts[at(c)] += 1.0;
      for (Index j = 0; j < points.n_cols(); ++j) sums(c, j) += points(i, j);
    }
    for (Index c = 0; c < centers.n_rows(); ++c)
      if (counts[at(c)] > 0.0)
        for (Index j = 0; j < points.n_cols(); ++j) centers(c, j) = sums(c, j) / counts[at(c)];
  }
  return centers;
}

} // namespace lacuna
