#include "learning/cover.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/index.hpp"
#include "core/parallel.hpp"
#include "learning/embedding.hpp"

namespace lacuna {

namespace {

constexpr Index most_measured_points = 500;
constexpr std::size_t neighbour = 5;
constexpr double reach_in_distances = 2.0;

/// How much a label at one point says about the other.
double kernel(const Matrix& a, Index i, const Matrix& b, Index j, double reach) {
  return std::exp(-0.5 * squared_distance(point_of(a, i), point_of(b, j)) / (reach * reach));
}

} // namespace

double label_reach(const Matrix& points, int threads) {
  const Index n = points.n_rows();
  if (n < 2) return 1.0;
  const Index step = (n + most_measured_points - 1) / most_measured_points;
  std::vector<double> distances(at((n + step - 1) / step));
  parallel_for(static_cast<Index>(distances.size()), threads, [&](Index place) {
    std::vector<double> squares;
    for (Index k = 0; k < n; ++k)
      if (k != place * step)
        squares.push_back(squared_distance(point_of(points, place * step), point_of(points, k)));
    const std::size_t nth = std::min(neighbour, squares.size()) - 1;
    std::nth_element(squares.begin(), squares.begin() + static_cast<std::ptrdiff_t>(nth), squares.end());
    distances[at(place)] = std::sqrt(squares[nth]);
  });
  const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
  std::nth_element(distances.begin(), middle, distances.end());
  return *middle > 0.0 ? reach_in_distances * *middle : 1.0;
}

std::vector<CoverChoice> choose_to_cover(const Matrix& points, const Matrix& labeled,
                                         const std::vector<double>& weights, Index n, int threads) {
  const Index n_points = points.n_rows();
  const double reach = label_reach(points, threads);
  Matrix says(n_points, n_points);
  std::vector<double> covered(at(n_points));
  parallel_for(n_points, threads, [&](Index i) {
    for (Index j = 0; j < n_points; ++j) says(i, j) = i == j ? 1.0 : kernel(points, i, points, j, reach);
    for (Index j = 0; j < labeled.n_rows(); ++j)
      covered[at(i)] = std::max(covered[at(i)], kernel(points, i, labeled, j, reach));
  });
  std::vector<CoverChoice> found(at(n_points));
  std::vector<CoverChoice> chosen;
  while (static_cast<Index>(chosen.size()) < n) {
    parallel_for(n_points, threads, [&](Index j) {
      CoverChoice& choice = found[at(j)] = {j, 0.0, 0.0};
      for (Index i = 0; i < n_points; ++i) {
        const double more = std::max(0.0, says(j, i) - covered[at(i)]);
        choice.reach += more;
        choice.gain += more * weights[at(i)];
      }
    });
    const auto best = std::ranges::max_element(found, {}, &CoverChoice::gain); // the first of equal ones
    if (best == found.end() || !(best->gain > 0.0)) break;
    chosen.push_back(*best);
    for (Index i = 0; i < n_points; ++i) covered[at(i)] = std::max(covered[at(i)], says(best->point, i));
  }
  return chosen;
}

std::vector<CoverChoice> choose_to_cover(const DatasetView& rows, MatrixView labeled,
                                         const std::vector<double>& weights, Index n, int threads) {
  if (rows.n_rows() == 0) return {};
  std::vector<Index> all(at(rows.n_rows()));
  std::iota(all.begin(), all.end(), Index{0});
  const Embedding embedding(rows, all, std::vector<double>(all.size(), 1.0));
  return choose_to_cover(embedding.embed(rows.features), embedding.embed(labeled), weights, n, threads);
}

} // namespace lacuna
