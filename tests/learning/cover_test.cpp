// Which points to label so that the weights of all lie near a label: by brute force, and where it can be
// said.

#include "learning/cover.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include <gtest/gtest.h>

#include "core/index.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna::cover_test {
namespace {

Matrix random_points(Index n, Index d, std::uint64_t seed) {
  RandomStream random(seed, RandomPurpose::simulation);
  Matrix points(n, d);
  for (double& value : points.values()) value = random.normal();
  return points;
}

std::vector<double> random_weights(Index n, std::uint64_t seed) {
  RandomStream random(seed, RandomPurpose::simulation, 1);
  std::vector<double> weights(at(n));
  for (double& weight : weights) weight = random.uniform();
  return weights;
}

/// The weight that lies near the chosen points and was not near a label before.
double covered_weight(const Matrix& points, const Matrix& labeled, const std::vector<double>& weights,
                      const std::vector<Index>& chosen) {
  const double reach = label_reach(points, 1);
  const auto near = [&](Index i, const Matrix& others, Index j) {
    double square = 0.0;
    for (Index k = 0; k < points.n_cols(); ++k) square += std::pow(points(i, k) - others(j, k), 2);
    return std::exp(-square / (2.0 * reach * reach));
  };
  double total = 0.0;
  for (Index i = 0; i < points.n_rows(); ++i) {
    double before = 0.0;
    for (Index j = 0; j < labeled.n_rows(); ++j) before = std::max(before, near(i, labeled, j));
    double after = before;
    for (const Index j : chosen) after = std::max(after, near(i, points, j));
    total += weights[at(i)] * (after - before);
  }
  return total;
}

std::vector<Index> points_of(const std::vector<CoverChoice>& choices) {
  std::vector<Index> points;
  for (const CoverChoice& choice : choices) points.push_back(choice.point);
  return points;
}

TEST(Cover, TakesTheLargestGroupsFirst) {
  // Groups far apart, each of one point many times: a label of one speaks for its group and nobody else.
  const std::vector<Index> sizes{20, 50, 30};
  Matrix points(100, 1);
  std::vector<Index> group;
  for (std::size_t g = 0; g < sizes.size(); ++g)
    group.insert(group.end(), at(sizes[g]), static_cast<Index>(g));
  for (Index i = 0; i < 100; ++i) points(i, 0) = 1000.0 * static_cast<double>(group[at(i)]);
  const std::vector<CoverChoice> chosen =
      choose_to_cover(points, Matrix(0, 1), std::vector<double>(100, 0.5), 10, 1);
  ASSERT_EQ(chosen.size(), 3); // a second label in a group would say nothing
  for (std::size_t place = 0; place < 3; ++place) {
    const Index expected = std::vector<Index>{1, 2, 0}[place];
    EXPECT_EQ(group[at(chosen[place].point)], expected);
    EXPECT_EQ(chosen[place].reach, static_cast<double>(sizes[at(expected)]));
    EXPECT_EQ(chosen[place].gain, 0.5 * static_cast<double>(sizes[at(expected)]));
  }
  Matrix labeled(1, 1);
  labeled(0, 0) = 1000.0; // the group of 50 has a label
  EXPECT_EQ(choose_to_cover(points, labeled, std::vector<double>(100, 0.5), 10, 1).size(), 2);
}

TEST(Cover, GainsAreWhatIsCovered) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const Matrix points = random_points(80, 3, seed);
    const Matrix labeled = random_points(5, 3, seed + 100);
    const std::vector<double> weights = random_weights(80, seed);
    const std::vector<CoverChoice> chosen = choose_to_cover(points, labeled, weights, 12, 2);
    ASSERT_EQ(chosen.size(), 12);
    double sum = 0.0;
    double reach = 0.0;
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      sum += chosen[k].gain;
      reach += chosen[k].reach;
      EXPECT_LE(chosen[k].gain, chosen[k - std::min<std::size_t>(k, 1)].gain)
          << "each label brings less than the one before";
    }
    const std::vector<Index> all = points_of(chosen);
    EXPECT_NEAR(sum, covered_weight(points, labeled, weights, all), 1e-9);
    EXPECT_NEAR(reach, covered_weight(points, labeled, std::vector<double>(80, 1.0), all), 1e-9);
    EXPECT_EQ(std::set<Index>(all.begin(), all.end()).size(), 12);
  }
}

TEST(Cover, IsNearlyTheBestThereIs) {
  // Greedy choices keep at least 1 - 1/e of the best (Nemhauser, Wolsey and Fisher 1978); all pairs are
  // tried.
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Matrix points = random_points(25, 2, seed);
    const std::vector<double> weights = random_weights(25, seed);
    double best = 0.0;
    for (Index a = 0; a < 25; ++a)
      for (Index b = a + 1; b < 25; ++b)
        best = std::max(best, covered_weight(points, Matrix(0, 2), weights, {a, b}));
    const std::vector<CoverChoice> chosen = choose_to_cover(points, Matrix(0, 2), weights, 2, 1);
    EXPECT_GE(chosen[0].gain + chosen[1].gain, (1.0 - std::exp(-1.0)) * best);
    double first = 0.0;
    for (Index a = 0; a < 25; ++a)
      first = std::max(first, covered_weight(points, Matrix(0, 2), weights, {a}));
    EXPECT_NEAR(chosen[0].gain, first, 1e-12);
  }
}

TEST(Cover, UnitsAndThreadsDoNotMatter) {
  const Matrix points = random_points(150, 4, 9);
  const std::vector<double> weights = random_weights(150, 9);
  const std::vector<Index> once = points_of(choose_to_cover(points, Matrix(0, 4), weights, 20, 1));
  EXPECT_EQ(points_of(choose_to_cover(points, Matrix(0, 4), weights, 20, 3)), once);
  Matrix scaled = points;
  for (double& value : scaled.values()) value = 1024.0 * value; // a power of two: the same bits
  EXPECT_EQ(points_of(choose_to_cover(scaled, Matrix(0, 4), weights, 20, 1)), once);
}

TEST(Cover, NothingToGainIsNothingToChoose) {
  const Matrix points = random_points(10, 2, 4);
  EXPECT_TRUE(choose_to_cover(points, Matrix(0, 2), std::vector<double>(10, 0.0), 5, 1).empty());
  EXPECT_TRUE(choose_to_cover(Matrix(0, 2), points, {}, 5, 1).empty());
  EXPECT_EQ(choose_to_cover(random_points(1, 2, 4), Matrix(0, 2), {0.3}, 5, 1).size(), 1);
  EXPECT_EQ(choose_to_cover(points, Matrix(0, 2), std::vector<double>(10, 1.0), 50, 1).size(), 10);
}

} // namespace
} // namespace lacuna::cover_test
