#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "lacuna/core/errors.hpp"
#include "lacuna/evaluation/diagnostics.hpp"
#include "tests/evaluation/rows.hpp"

namespace {

using namespace lacuna;
using namespace lacuna::test;

constexpr std::uint64_t n_fits = 300;

std::vector<IsotonicPoint> random_points(std::uint64_t problem, bool has_ties) {
  RandomStream random(31, RandomPurpose::simulation, problem);
  std::vector<IsotonicPoint> points(static_cast<std::size_t>(1 + random_below(random, 12)));
  double x = 0.0;
  for (IsotonicPoint& point : points) {
    if (!has_ties || random.uniform() < 0.6) x += random.uniform();
    point = {x, static_cast<double>(random_below(random, 5)), 1.0 + random_below(random, 3)};
  }
  return points;
}

std::vector<IsotonicPoint> tied_first(const std::vector<IsotonicPoint>& points) {
  std::vector<IsotonicPoint> pooled;
  for (const IsotonicPoint& point : points) {
    if (pooled.empty() || pooled.back().x != point.x) {
      pooled.push_back(point);
      continue;
    }
    IsotonicPoint& last = pooled.back();
    last.y = (last.y * last.weight + point.y * point.weight) / (last.weight + point.weight);
    last.weight += point.weight;
  }
  return pooled;
}

// The solution in closed form: at i, the largest over a <= i of the smallest over b >= i of the mean of a..b.
double closed_form(const std::vector<IsotonicPoint>& points, std::size_t i) {
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t a = 0; a <= i; ++a) {
    double least = std::numeric_limits<double>::infinity();
    double sum = 0.0;
    double weight = 0.0;
    for (std::size_t b = a; b < points.size(); ++b) {
      sum += points[b].weight * points[b].y;
      weight += points[b].weight;
      if (b >= i) least = std::min(least, sum / weight);
    }
    best = std::max(best, least);
  }
  return best;
}

TEST(Isotonic, EqualsItsClosedForm) {
  for (std::uint64_t problem = 0; problem < n_fits; ++problem) {
    for (const bool has_ties : {false, true}) {
      const auto points = random_points(problem, has_ties);
      const auto blocks = isotonic_fit(points);
      const auto pooled = tied_first(points);
      for (std::size_t i = 0; i < pooled.size(); ++i)
        EXPECT_NEAR(isotonic_value(blocks, pooled[i].x), closed_form(pooled, i), 1e-12);
    }
  }
}

TEST(Isotonic, BlocksRiseAndKeepTheSums) {
  for (std::uint64_t problem = 0; problem < n_fits; ++problem) {
    const auto points = random_points(problem, true);
    const auto blocks = isotonic_fit(points);
    double weight = 0.0;
    double sum = 0.0;
    double sum_x = 0.0;
    for (const IsotonicPoint& point : points) {
      weight += point.weight;
      sum += point.weight * point.y;
      sum_x += point.weight * point.x;
    }
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      weight -= blocks[b].weight;
      sum -= blocks[b].weight * blocks[b].value;
      sum_x -= blocks[b].weight * blocks[b].mean_x;
      EXPECT_LE(blocks[b].low, blocks[b].high);
      if (b == 0) continue;
      EXPECT_GT(blocks[b].value, blocks[b - 1].value);
      EXPECT_GT(blocks[b].low, blocks[b - 1].high);
    }
    EXPECT_NEAR(weight, 0.0, 1e-12);
    EXPECT_NEAR(sum, 0.0, 1e-11);
    EXPECT_NEAR(sum_x, 0.0, 1e-11);
  }
}

TEST(Isotonic, WeightTwoIsThePointTwice) {
  for (std::uint64_t problem = 0; problem < n_fits; ++problem) {
    const auto points = random_points(problem, true);
    std::vector<IsotonicPoint> repeated;
    for (const IsotonicPoint& point : points)
      for (int i = 0; i < static_cast<int>(point.weight); ++i) repeated.push_back({point.x, point.y, 1.0});
    const auto a = isotonic_fit(points);
    const auto b = isotonic_fit(repeated);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].value, b[i].value);
      EXPECT_EQ(a[i].weight, b[i].weight);
      EXPECT_EQ(a[i].high, b[i].high);
    }
  }
}

TEST(Isotonic, RunsStraightBetweenBlocksAndFlatBeyondThem) {
  const std::vector<IsotonicPoint> points{{1.0, 0.0, 1.0}, {2.0, 1.0, 1.0}, {3.0, 1.0, 1.0}};
  const auto blocks = isotonic_fit(points);
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(isotonic_value(blocks, -5.0), 0.0);
  EXPECT_EQ(isotonic_value(blocks, 1.0), 0.0);
  EXPECT_EQ(isotonic_value(blocks, 1.25), 0.25);
  EXPECT_EQ(isotonic_value(blocks, 2.0), 1.0);
  EXPECT_EQ(isotonic_value(blocks, 2.5), 1.0);
  EXPECT_EQ(isotonic_value(blocks, 9.0), 1.0);
}

TEST(Isotonic, RefusesWhatHasNoOrder) {
  const double nan = std::nan("");
  using Points = std::vector<IsotonicPoint>;
  for (const Points& points :
       {Points{{2, 0, 1}, {1, 0, 1}}, Points{{1, 0, 0}}, Points{{1, 0, -1}}, Points{{nan, 0, 1}},
        Points{{1, nan, 1}}, Points{{1, 0, 1}, {1, 0, nan}}, Points{{1, INFINITY, 1}}})
    EXPECT_THROW(isotonic_fit(points), Error);
  EXPECT_TRUE(isotonic_fit({}).empty());
}

TEST(Corp, TermsAddUpToTheBrierScore) {
  for (std::uint64_t problem = 0; problem < n_fits; ++problem) {
    const ScoredRows rows = random_scored_rows(problem);
    const CorpCurve corp = corp_curve(error_groups(rows));
    EXPECT_NEAR(corp.miscalibration - corp.discrimination + corp.uncertainty, brier_error(rows), 1e-12);
    EXPECT_GE(corp.miscalibration, -1e-15);
    EXPECT_GE(corp.discrimination, -1e-15);
    EXPECT_LE(corp.discrimination, corp.uncertainty + 1e-15);
    const CorpCurve again = corp_curve(error_groups(shuffled(rows, problem)));
    EXPECT_EQ(again.miscalibration, corp.miscalibration);
    EXPECT_EQ(again.discrimination, corp.discrimination);
    const CorpCurve both = corp_curve(error_groups(twice(rows)));
    EXPECT_NEAR(both.miscalibration, corp.miscalibration, 1e-13);
    EXPECT_EQ(both.blocks.size(), corp.blocks.size());
  }
}

TEST(Corp, KnownCases) {
  // Announced and came: nothing to mend, everything told apart.
  const CorpCurve right = corp_curve(error_groups(rows_of({{0.0, false}, {1.0, true}})));
  EXPECT_EQ(right.miscalibration, 0.0);
  EXPECT_EQ(right.discrimination, 0.25);
  EXPECT_EQ(right.uncertainty, 0.25);
  // The wrong way round: a rising function can only give up.
  const CorpCurve wrong = corp_curve(error_groups(rows_of({{0.0, true}, {1.0, false}})));
  EXPECT_EQ(wrong.miscalibration, 0.75);
  EXPECT_EQ(wrong.discrimination, 0.0);
  ASSERT_EQ(wrong.blocks.size(), 1U);
  EXPECT_EQ(wrong.blocks[0].value, 0.5);
  EXPECT_EQ(wrong.blocks[0].mean_x, 0.5);
  EXPECT_TRUE(std::isnan(corp_curve({}).miscalibration));
}

TEST(Corp, ThinningMergesNeighbours) {
  std::vector<IsotonicPoint> points;
  for (int i = 0; i < 1000; ++i) points.push_back({i / 1000.0, i * i / 1e6, 1.0 + i % 3});
  const auto blocks = isotonic_fit(points);
  ASSERT_EQ(blocks.size(), 1000U);
  const auto few = thinned(blocks, 64);
  EXPECT_EQ(few.size(), 64U);
  double weight = 0.0;
  double sum = 0.0;
  for (std::size_t i = 0; i < few.size(); ++i) {
    weight += few[i].weight;
    sum += few[i].weight * few[i].value;
    if (i > 0) {
      EXPECT_GT(few[i].value, few[i - 1].value);
    }
  }
  for (const IsotonicBlock& block : blocks) {
    weight -= block.weight;
    sum -= block.weight * block.value;
  }
  EXPECT_NEAR(weight, 0.0, 1e-9);
  EXPECT_NEAR(sum, 0.0, 1e-9);
  EXPECT_EQ(few.back().high, blocks.back().high);
  EXPECT_EQ(thinned(blocks, 2000).size(), 1000U);
}

} // namespace
