#include "conditional/calibration.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "lacuna/conditional/conditional.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna::testing {
namespace {

/// Scores of a classifier, and labels drawn from what they say once they are calibrated by `truth`.
struct Simulated {
  Matrix scores;
  std::vector<int> labels;
  std::vector<double> weights;

  Simulated(Index n, const Calibration& truth, std::uint64_t seed)
      : scores(n, static_cast<Index>(truth.intercepts.size())), weights(static_cast<std::size_t>(n), 1.0) {
    RandomStream random(seed, RandomPurpose::simulation);
    for (Index i = 0; i < n; ++i) {
      for (Index y = 0; y < scores.n_cols(); ++y) scores(i, y) = 2.0 * random.normal();
      std::vector<double> log_p(scores.row(i), scores.row(i) + scores.n_cols());
      truth.apply(log_p);
      double left = random.uniform();
      std::size_t label = 0;
      while (label + 1 < log_p.size() && (left -= std::exp(log_p[label])) > 0.0) ++label;
      labels.push_back(static_cast<int>(label));
    }
  }
  ScoredLabels rows() const { return {scores.view(), labels, weights}; }
};

TEST(Calibration, RecoversSlopeAndIntercepts) {
  // 20,000 rows: standard errors are .01 for log slope and .02 to .03 for intercepts, so that 5 of them are
  // exceeded less than once in 10^5 runs; the penalty moves the answer by less than .002.
  const Calibration truth{0.4, {0.5, -0.8, 0.3}};
  const Simulated simulated(20000, truth, 1);
  const Calibration fitted = fit_calibration(simulated.rows());
  EXPECT_NEAR(std::log(fitted.slope), std::log(0.4), 0.05);
  // Only differences of intercepts say something; the penalty centres them.
  for (std::size_t y = 0; y < 3; ++y) EXPECT_NEAR(fitted.intercepts[y], truth.intercepts[y], 0.12);
  EXPECT_NEAR(fitted.intercepts[0] + fitted.intercepts[1] + fitted.intercepts[2], 0.0, 1e-5);
}

TEST(Calibration, LeavesTheCalibratedAlone) {
  const Simulated simulated(20000, Calibration::identity(3), 2);
  const Calibration fitted = fit_calibration(simulated.rows());
  EXPECT_NEAR(fitted.slope, 1.0, 0.05); // as above: 5 standard errors
  for (const double b : fitted.intercepts) EXPECT_NEAR(b, 0.0, 0.12);
}

TEST(Calibration, IsTheIdentityWithoutRows) {
  const Matrix none(0, 2);
  const Calibration fitted = fit_calibration({none.view(), {}, {}});
  EXPECT_EQ(fitted.slope, 1.0);
  EXPECT_EQ(fitted.intercepts, (std::vector<double>{0.0, 0.0}));
}

TEST(Calibration, IsNeverWorseThanTheIdentityNorThanItsNeighbours) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Calibration truth{0.1 + 0.2 * static_cast<double>(seed), {1.0, -1.0}};
    const Simulated few(40, truth, seed);
    EXPECT_GE(calibration_objective(fit_calibration(few.rows()), few.rows()) + 1e-9,
              calibration_objective(Calibration::identity(2), few.rows()));
    // With many rows there is no doubt that it is needed.
    const Simulated simulated(2000, truth, seed);
    const Calibration fitted = fit_calibration(simulated.rows());
    const double best = calibration_objective(fitted, simulated.rows());
    for (const double step : {-0.01, 0.01}) {
      EXPECT_GT(best,
                calibration_objective({fitted.slope * std::exp(step), fitted.intercepts}, simulated.rows()));
      for (std::size_t y = 0; y < 2; ++y) {
        Calibration moved = fitted;
        moved.intercepts[y] += step;
        EXPECT_GT(best, calibration_objective(moved, simulated.rows()));
      }
    }
  }
}

TEST(Calibration, ForgetsAConstantPerRow) {
  const Simulated simulated(500, {0.5, {0.2, 0.0, -0.2}}, 3);
  Simulated shifted = simulated;
  for (Index i = 0; i < 500; ++i)
    for (Index y = 0; y < 3; ++y) shifted.scores(i, y) += 0.1 * static_cast<double>(i % 100) - 5.0;
  const Calibration a = fit_calibration(simulated.rows());
  const Calibration b = fit_calibration(shifted.rows());
  EXPECT_NEAR(a.slope, b.slope, 1e-5);
  for (std::size_t y = 0; y < 3; ++y) EXPECT_NEAR(a.intercepts[y], b.intercepts[y], 1e-5);
  for (Index i = 0; i < 500; ++i) {
    std::vector<double> one(simulated.scores.row(i), simulated.scores.row(i) + 3);
    std::vector<double> two(shifted.scores.row(i), shifted.scores.row(i) + 3);
    a.apply(one);
    a.apply(two);
    for (std::size_t y = 0; y < 3; ++y) EXPECT_NEAR(one[y], two[y], 1e-10);
  }
}

TEST(Calibration, CountsWeightTwoAsTheRowTwice) {
  const Simulated simulated(100, {0.5, {0.5, -0.5}}, 4);
  Simulated weighted = simulated;
  Simulated twice = simulated;
  twice.scores = Matrix(125, 2);
  for (Index i = 0; i < 125; ++i) {
    const Index from = i < 100 ? i : 4 * (i - 100);
    for (Index y = 0; y < 2; ++y) twice.scores(i, y) = simulated.scores(from, y);
    if (i < 100) continue;
    twice.labels.push_back(simulated.labels[static_cast<std::size_t>(from)]);
    twice.weights.push_back(1.0);
    weighted.weights[static_cast<std::size_t>(from)] = 2.0;
  }
  const Calibration a = fit_calibration(weighted.rows());
  const Calibration b = fit_calibration(twice.rows());
  EXPECT_NEAR(a.slope, b.slope, 1e-6);
  EXPECT_NEAR(a.intercepts[0], b.intercepts[0], 1e-6);
}

TEST(Calibration, ShrinksToTheIdentityWithFewRows) {
  const Simulated simulated(4, {0.05, {2.0, -2.0}}, 5);
  const Calibration fitted = fit_calibration(simulated.rows());
  EXPECT_GT(fitted.slope, 0.3);
  for (const double b : fitted.intercepts) EXPECT_LT(std::abs(b), 1.0);
}

TEST(Calibration, DoesNotMendWhatIsRightByLuck) {
  // 200 rows of a calibrated classifier, 50 times: a number that follows the labels costs log(200) / 2 = 2.6,
  // which a gain by luck (mean 1/2) seldom pays.
  double strayed = 0.0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const Simulated simulated(200, Calibration::identity(2), seed);
    const Calibration fitted = fit_calibration(simulated.rows());
    strayed += (std::abs(fitted.intercepts[0]) + std::abs(fitted.slope - 1.0)) / 50.0;
  }
  EXPECT_LT(strayed, 0.08);
}

TEST(Calibration, GainsCountByTheRowsBehindThem) {
  EXPECT_NEAR(probability_of_gain(0.0, 0, 100.0), 0.5, 1e-12);
  EXPECT_NEAR(probability_of_gain(std::log(100.0), 2, 100.0), 0.5, 1e-12);
  EXPECT_NEAR(probability_of_gain(3.0, 1, 400.0), 1.0 / (1.0 + 20.0 * std::exp(-3.0)), 1e-12);
  EXPECT_LT(probability_of_gain(1.0, 2, 500.0), 0.01);
  EXPECT_GT(probability_of_gain(20.0, 2, 500.0), 0.99);
}

TEST(Calibration, DoesNotLiftWhatCannotBeJudged) {
  const double never = -std::numeric_limits<double>::infinity();
  std::vector<double> scores{-1.0, never, -2.0};
  Calibration{0.01, {0.0, 5.0, 0.0}}.apply(scores);
  EXPECT_NEAR(scores[1], std::log(least_probability), 1e-9);
  EXPECT_NEAR(scores[0] - scores[2], 0.01, 1e-9);
  // Nor do such entries disturb a fit: one class more that nobody knows changes nothing.
  const Simulated two(200, {0.5, {0.3, -0.3}}, 6);
  Simulated three = two;
  three.scores = Matrix(200, 3);
  for (Index i = 0; i < 200; ++i) {
    three.scores(i, 0) = two.scores(i, 0);
    three.scores(i, 1) = two.scores(i, 1);
    three.scores(i, 2) = never;
  }
  const Calibration a = fit_calibration(two.rows());
  const Calibration b = fit_calibration(three.rows());
  EXPECT_EQ(a.slope, b.slope);
  EXPECT_EQ(b.intercepts[2], 0.0);
}

} // namespace
} // namespace lacuna::testing
