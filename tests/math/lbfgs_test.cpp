#include "math/lbfgs.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

namespace {

using lacuna::lbfgs_minimise;
using lacuna::LbfgsOutcome;
using Span = std::span<double>;
using ConstSpan = std::span<const double>;

TEST(Lbfgs, FindsTheVertexOfAParabola) {
  // 1/2 sum s_i (x_i - i)^2 with curvatures that differ by a factor of 10^4.
  const std::size_t n = 20;
  const auto parabola = [&](ConstSpan x, Span gradient) {
    double value = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      const double curvature = std::pow(10.0, 4.0 * static_cast<double>(i) / static_cast<double>(n - 1));
      const double offset = x[i] - static_cast<double>(i);
      gradient[i] = curvature * offset;
      value += 0.5 * curvature * offset * offset;
    }
    return value;
  };
  std::vector<double> x(n, 0.0);
  const LbfgsOutcome outcome = lbfgs_minimise(parabola, x, {.max_iterations = 1000, .tolerance = 1e-9});
  EXPECT_TRUE(outcome.converged);
  for (std::size_t i = 0; i < n; ++i) EXPECT_NEAR(x[i], static_cast<double>(i), 1e-8);
}

TEST(Lbfgs, FollowsACurvedValley) {
  const auto rosenbrock = [](ConstSpan x, Span gradient) {
    const double a = x[1] - x[0] * x[0];
    const double b = 1.0 - x[0];
    gradient[0] = -400.0 * x[0] * a - 2.0 * b;
    gradient[1] = 200.0 * a;
    return 100.0 * a * a + b * b;
  };
  std::vector<double> x{-1.2, 1.0};
  const LbfgsOutcome outcome = lbfgs_minimise(rosenbrock, x);
  EXPECT_TRUE(outcome.converged);
  EXPECT_NEAR(x[0], 1.0, 1e-6);
  EXPECT_NEAR(x[1], 1.0, 1e-6);
}

TEST(Lbfgs, FindsTheLogShares) {
  // -sum c_k log softmax(x)_k is least at x_k = log c_k up to a constant; it is flat along (1, 1, 1).
  const std::vector<double> shares{0.7, 0.2, 0.1};
  const auto loss = [&](ConstSpan x, Span gradient) {
    const double log_sum = std::log(std::exp(x[0]) + std::exp(x[1]) + std::exp(x[2]));
    double value = 0.0;
    for (std::size_t k = 0; k < 3; ++k) {
      gradient[k] = std::exp(x[k] - log_sum) - shares[k];
      value -= shares[k] * (x[k] - log_sum);
    }
    return value;
  };
  std::vector<double> x(3, 0.0);
  EXPECT_TRUE(lbfgs_minimise(loss, x, {.tolerance = 1e-10}).converged);
  EXPECT_NEAR(x[0] - x[1], std::log(3.5), 1e-8);
  EXPECT_NEAR(x[1] - x[2], std::log(2.0), 1e-8);
  EXPECT_NEAR(x[0] + x[1] + x[2], 0.0, 1e-8); // no step leaves the plane of the gradients
}

TEST(Lbfgs, StaysWhereTheValueIsFinite) {
  // x - log x: its first step from near zero would leave the positive numbers.
  const auto barrier = [](ConstSpan x, Span gradient) {
    gradient[0] = 1.0 - 1.0 / x[0];
    return x[0] > 0.0 ? x[0] - std::log(x[0]) : std::numeric_limits<double>::quiet_NaN();
  };
  for (const double start : {1e-6, 0.5, 1e6}) {
    std::vector<double> x{start};
    const LbfgsOutcome outcome = lbfgs_minimise(barrier, x);
    EXPECT_TRUE(outcome.converged) << start;
    EXPECT_NEAR(x[0], 1.0, 1e-6) << start;
  }
}

TEST(Lbfgs, NeverEndsAboveItsStart) {
  // No minimum at all, and a gradient that lies: the promise about the value still holds.
  const auto liar = [](ConstSpan x, Span gradient) {
    gradient[0] = -1.0;
    return x[0] * x[0];
  };
  std::vector<double> x{3.0};
  const LbfgsOutcome outcome = lbfgs_minimise(liar, x);
  EXPECT_FALSE(outcome.converged);
  EXPECT_LE(outcome.value, 9.0);
  EXPECT_DOUBLE_EQ(outcome.value, x[0] * x[0]);
}

TEST(Lbfgs, TakesAnEmptyProblem) {
  const auto constant = [](ConstSpan /*x*/, Span /*gradient*/) { return 7.0; };
  const LbfgsOutcome outcome = lbfgs_minimise(constant, {});
  EXPECT_TRUE(outcome.converged);
  EXPECT_EQ(outcome.value, 7.0);
}

} // namespace
