#include "experiments/toys.hpp"

#include <algorithm>
#include <cmath>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

namespace {

constexpr Index n_train = 1'000;
constexpr Index n_test = 10'000;
constexpr Index n_labeled = 250;

// Streams are keyed by row: training rows first, test rows after them, the lot that hides labels behind both.
constexpr auto first_test_index = static_cast<std::uint64_t>(n_train);
constexpr auto lot_index = static_cast<std::uint64_t>(n_train + n_test);

struct Point {
  double x1 = 0.0;
  double x2 = 0.0;
  int label = 0;
  bool can_be_labeled = false;
};

Point quadrants_point(RandomStream stream) {
  const double blob = stream.uniform();
  const bool is_left = blob < 0.5;
  const bool is_upper = blob < 0.25 || blob >= 0.75;
  Point point;
  point.x1 = (is_left ? -3.0 : 3.0) + 0.8 * stream.normal();
  point.x2 = (is_upper ? 1.2 : -1.2) + 0.45 * stream.normal();
  point.label = point.x2 > 0.0 ? 1 : 0;
  point.can_be_labeled = is_left == is_upper;
  return point;
}

Point coin_point(RandomStream stream) {
  const double blob = stream.uniform();
  const double z1 = stream.normal();
  const double z2 = stream.normal();
  const bool is_heads = stream.uniform() < 0.5;
  const double centre = blob < 0.25 ? -5.0 : blob < 0.5 ? 5.0 : 0.0;
  Point point;
  point.can_be_labeled = blob < 0.5;
  point.label = point.can_be_labeled ? (centre > 0.0 ? 1 : 0) : (is_heads ? 1 : 0);
  // The Cholesky factor of [[1, -.5], [-.5, 1]].
  point.x1 = centre + z1;
  point.x2 = centre - 0.5 * z1 + std::sqrt(0.75) * z2;
  return point;
}

using DrawPoint = Point (*)(RandomStream);

std::vector<Point> draw_points(DrawPoint draw, Index n_rows, std::uint64_t seed, std::uint64_t first_index) {
  std::vector<Point> points;
  points.reserve(static_cast<std::size_t>(n_rows));
  for (Index i = 0; i < n_rows; ++i)
    points.push_back(
        draw(RandomStream(seed, RandomPurpose::simulation, first_index + static_cast<std::uint64_t>(i))));
  return points;
}

Dataset to_dataset(const std::vector<Point>& points, const std::vector<std::string>& class_names) {
  Dataset data;
  data.features = Matrix(static_cast<Index>(points.size()), 2);
  for (Index i = 0; const Point& point : points) {
    data.features(i, 0) = point.x1;
    data.features(i, 1) = point.x2;
    data.labels.push_back(point.label);
    ++i;
  }
  data.class_names = class_names;
  data.feature_names = {"x1", "x2"};
  return data;
}

/// Keeps the labels of rows drawn by lot among those that can be labeled, and hides all others.
void hide_labels(Dataset& data, const std::vector<Point>& points, std::uint64_t seed) {
  std::vector<std::size_t> candidates;
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].can_be_labeled) candidates.push_back(i);
  RandomStream lot(seed, RandomPurpose::simulation, lot_index);
  const std::size_t n_kept = std::min(static_cast<std::size_t>(n_labeled), candidates.size());
  std::vector<int> labels(points.size(), missing_label);
  for (std::size_t k = 0; k < n_kept; ++k) { // the first steps of a Fisher-Yates shuffle
    const auto left = static_cast<double>(candidates.size() - k);
    std::swap(candidates[k], candidates[k + static_cast<std::size_t>(lot.uniform() * left)]);
    labels[candidates[k]] = points[candidates[k]].label;
  }
  data.labels = std::move(labels);
}

} // namespace

Toy make_toy(const std::string& name, std::uint64_t seed) {
  const bool is_quadrants = name == "quadrants";
  if (!is_quadrants && name != "coin")
    throw Error(ErrorKind::usage,
                "there is no toy named '" + name + "'; the toys are 'quadrants' and 'coin'");
  const DrawPoint draw = is_quadrants ? quadrants_point : coin_point;
  const std::vector<std::string> class_names =
      is_quadrants ? std::vector<std::string>{"lower", "upper"} : std::vector<std::string>{"left", "right"};
  const std::vector<Point> train = draw_points(draw, n_train, seed, 0);
  const std::vector<Point> test = draw_points(draw, n_test, seed, first_test_index);
  Toy toy;
  toy.train = to_dataset(train, class_names);
  hide_labels(toy.train, train, seed);
  toy.test = to_dataset(test, class_names);
  for (const Point& point : test) toy.never_labeled.push_back(point.can_be_labeled ? 0 : 1);
  return toy;
}

} // namespace lacuna
