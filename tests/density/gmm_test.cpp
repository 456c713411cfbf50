// The Gaussian mixture by EM against closed forms and its own invariants (docs/math/gmm.md).

#include <cmath>
#include <numbers>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "density/gmm.hpp"
#include "density/own_families.hpp"
#include "math/cholesky.hpp"
#include "tests/density/test_data.hpp"

namespace lacuna::gmm_test {
namespace {

using testing::all_types;
using testing::log_densities;
using testing::random_blobs;

std::shared_ptr<const Gmm> fit(const Matrix& rows, const GmmOptions& options,
                               std::span<const double> weights = {}, std::uint64_t seed = 0) {
  DensityFitContext context;
  context.seed = seed;
  return std::dynamic_pointer_cast<const Gmm>(
      GmmFamily(options).fit(WeightedRows(rows.view(), weights), context));
}

TEST(GmmFit, LikelihoodNeverFalls) {
  testing::expect_rising_fits(200, 98, [](std::uint64_t problem, RandomStream& random) {
    GmmOptions options;
    options.covariance = all_types[problem % 4];
    options.components = 1 + static_cast<Index>(random.uniform() * 12);
    // Often so high that the floor holds components up, which must not make the likelihood fall either.
    options.covariance_floor = std::exp(-8.0 * random.uniform());
    options.tolerance = 1e-9;
    const testing::RandomProblem data(problem, random);
    return fit(data.rows, options, data.weights, problem)->summary().history;
  });
}

TEST(GmmFit, OneComponentIsTheSampleMeanAndCovariance) {
  const Index d = 3;
  const Matrix rows = random_blobs(3, 200, d, 2, 2.0);
  GmmOptions options;
  options.components = 1;
  const auto model = fit(rows, options);
  using Rows = Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
  const Rows x(rows.row(0), rows.n_rows(), d);
  const Eigen::VectorXd mean = x.colwise().mean();
  const Eigen::MatrixXd centered = x.rowwise() - mean.transpose();
  const Eigen::MatrixXd covariance = centered.transpose() * centered / 200.0;
  double total = 0.0;
  for (const double value : log_densities(*model, rows)) total += value;
  const double expected =
      -100.0 * (3.0 * std::log(2.0 * std::numbers::pi) + std::log(covariance.determinant()) + 3.0);
  EXPECT_NEAR(total, expected, 1e-8);
  EXPECT_NEAR(model->summary().objective, expected, 1e-8);
  const double n_free = 3 + 6;
  EXPECT_NEAR(model->summary().measures.at("bic"), n_free * std::log(200.0) - 2.0 * expected, 1e-6);
  EXPECT_NEAR(model->summary().measures.at("aic"), 2.0 * n_free - 2.0 * expected, 1e-6);
}

// Among all covariances with no variance below the floor, the raised one has the highest likelihood (eq. 5).
TEST(GmmFit, TheRaisedCovarianceIsTheConstrainedMaximum) {
  const double floor = 0.5;
  const auto score = [](const Eigen::Matrix2d& covariance, const Eigen::Matrix2d& scatter) {
    return -std::log(covariance.determinant()) - (covariance.inverse() * scatter).trace();
  };
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    RandomStream random(seed, RandomPurpose::simulation, 3);
    Eigen::Matrix2d root;
    for (Index i = 0; i < 4; ++i) root(i / 2, i % 2) = random.normal();
    const Eigen::Matrix2d scatter = root * root.transpose();
    std::vector<double> raised = {scatter(0, 0), scatter(0, 1), scatter(1, 0), scatter(1, 1)};
    raise_eigenvalues(raised, 2, floor);
    Eigen::Matrix2d best;
    best << raised[0], raised[1], raised[2], raised[3];
    EXPECT_GE(Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>(best).eigenvalues().minCoeff(), floor - 1e-12);
    for (int trial = 0; trial < 200; ++trial) {
      Eigen::Matrix2d change;
      for (Index i = 0; i < 4; ++i) change(i / 2, i % 2) = 0.3 * random.normal();
      Eigen::Matrix2d other = best + change + change.transpose();
      if (Eigen::SelfAdjointEigenSolver<Eigen::Matrix2d>(other).eigenvalues().minCoeff() < floor) continue;
      EXPECT_LE(score(other, scatter), score(best, scatter) + 1e-12);
    }
  }
}

TEST(GmmFit, AStepFromAFitClimbsOn) {
  const Matrix rows = random_blobs(5, 300, 2, 4, 2.0);
  GmmOptions options;
  options.components = 4;
  options.max_iterations = 1;
  const auto first = fit(rows, options);
  EXPECT_EQ(first->summary().stop_reason, StopReason::max_iterations);
  DensityFitContext context;
  context.warm_start = first.get();
  context.single_step = true;
  const auto second = GmmFamily(options).fit(WeightedRows(rows.view()), context);
  double before = 0.0;
  double after = 0.0;
  for (const double value : log_densities(*first, rows)) before += value;
  for (const double value : log_densities(*second, rows)) after += value;
  EXPECT_GT(after, before);
  EXPECT_NEAR(second->summary().objective, before, 1e-8) << "a step reports where it started";
}

} // namespace
} // namespace lacuna::gmm_test
