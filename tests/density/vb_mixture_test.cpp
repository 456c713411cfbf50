// The variational mixture against closed forms and its own invariants (docs/math/vb-mixture.md).

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "density/mixture_moments.hpp"
#include "density/own_families.hpp"
#include "density/vb_mixture.hpp"
#include "density/vb_problem.hpp"
#include "lacuna/core/errors.hpp"
#include "math/special.hpp"
#include "tests/density/evidence.hpp"
#include "tests/density/test_data.hpp"
#include "tests/expect_error.hpp"

namespace lacuna::vb_mixture_test {
namespace {

using testing::all_types;
using testing::chain_rule_evidence;
using testing::expect_near;
using testing::expect_same_fit;
using testing::log_densities;
using testing::random_blobs;

std::shared_ptr<const VbMixture> fit(const Matrix& rows, const VbMixtureOptions& options,
                                     std::span<const double> weights = {}, std::uint64_t seed = 0,
                                     int threads = 1) {
  DensityFitContext context;
  context.seed = seed;
  context.threads = threads;
  return std::dynamic_pointer_cast<const VbMixture>(
      VbMixtureFamily(options).fit(WeightedRows(rows.view(), weights), context));
}

/// Maps t in (-1, 1) to the line, so that heavy tails are integrated too.
double quadrature_1d(const Density& density, double center, double width) {
  const int n = 20000;
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    const double t = std::numbers::pi * ((i + 0.5) / n - 0.5);
    const double x = center + width * std::tan(t);
    double log_density = 0.0;
    density.log_density({&x, 1, 1}, {&log_density, 1});
    sum += std::exp(log_density) * width / (std::cos(t) * std::cos(t));
  }
  return sum * std::numbers::pi / n;
}

double quadrature_2d(const Density& density, double width) {
  // x = width sinh(u): doubly exponential stretching beats the power tails; the trapezoid rule is then
  // spectral.
  const int n = 1500;
  const double reach = 22.0;
  const double h = 2.0 * reach / n;
  double sum = 0.0;
  Matrix points(n + 1, 2);
  std::vector<double> values(static_cast<std::size_t>(n) + 1);
  for (int i = 0; i <= n; ++i) {
    const double u = -reach + h * i;
    for (int j = 0; j <= n; ++j) {
      points(j, 0) = width * std::sinh(u);
      points(j, 1) = width * std::sinh(-reach + h * j);
    }
    density.log_density(points.view(), values);
    for (int j = 0; j <= n; ++j)
      sum += std::exp(values[static_cast<std::size_t>(j)]) * std::cosh(u) * std::cosh(-reach + h * j);
  }
  return sum * h * h * width * width;
}

TEST(VbMixtureDensity, PredictiveIntegratesToOneIn1d) {
  for (const CovarianceType type : all_types)
    for (const WeightPrior prior : {WeightPrior::dirichlet, WeightPrior::stick_breaking})
      for (const Index n : {3, 10, 100}) {
        VbMixtureOptions options;
        options.covariance = type;
        options.weight_prior = prior;
        const auto model = fit(random_blobs(7, n, 1, 2, 3.0), options);
        EXPECT_NEAR(quadrature_1d(*model, 0.0, 2.0), 1.0, 1e-6) << n;
      }
}

TEST(VbMixtureDensity, PredictiveIntegratesToOneIn2d) {
  for (const CovarianceType type : all_types)
    for (const Index n : {3, 10, 100}) {
      VbMixtureOptions options;
      options.covariance = type;
      options.components = 4;
      const auto model = fit(random_blobs(8, n, 2, 2, 1.0), options);
      EXPECT_NEAR(quadrature_2d(*model, 1.0), 1.0, 1e-6) << n << " type " << static_cast<int>(type);
    }
}

TEST(VbMixtureDensity, PlugInIntegratesToOneAndExpectedLogDoesNot) {
  VbMixtureOptions options;
  const Matrix rows = random_blobs(9, 10, 1, 1, 1.0);
  options.density_form = DensityForm::plug_in;
  EXPECT_NEAR(quadrature_1d(*fit(rows, options), 0.0, 2.0), 1.0, 1e-6);
  options.density_form = DensityForm::expected_log;
  EXPECT_LT(quadrature_1d(*fit(rows, options), 0.0, 2.0), 0.97);
}

TEST(VbMixtureFit, BoundNeverFalls) {
  testing::expect_rising_fits(200, 99, [](std::uint64_t problem, RandomStream& random) {
    VbMixtureOptions options = testing::vb_options_of(problem);
    options.components = 1 + static_cast<Index>(random.uniform() * 12);
    if (problem % 3 != 0) options.weight_concentration = std::exp(3.0 * random.normal());
    options.covariance_scale = std::exp(random.normal());
    options.mean_precision = std::exp(random.normal());
    options.own_covariance = problem % 7 == 0;
    const testing::RandomProblem data(problem, random);
    return fit(data.rows, options, data.weights, problem)->summary().history;
  });
}

TEST(VbMixtureFit, OneComponentIsTheConjugatePosterior) {
  for (const CovarianceType type : all_types) {
    const Index d = 3;
    const Matrix rows = random_blobs(11, 40, d, 2, 2.0);
    VbMixtureOptions options;
    options.covariance = type;
    options.components = 1;
    options.mean_precision = 0.7;
    options.degrees_of_freedom = 4.5;
    options.covariance_scale = 1.3;
    const auto model = fit(rows, options);

    Eigen::MatrixXd z(rows.n_rows(), d);
    double log_scale = 0.0;
    for (Index j = 0; j < d; ++j) {
      const auto at = static_cast<std::size_t>(j);
      log_scale += std::log(model->frame().scale[at]);
      for (Index i = 0; i < rows.n_rows(); ++i)
        z(i, j) = (rows(i, j) - model->frame().center[at]) / model->frame().scale[at];
    }
    const double n = static_cast<double>(rows.n_rows());
    // With one component the bound is exact: it equals the log evidence.
    EXPECT_NEAR(model->summary().objective, chain_rule_evidence(z, type, 0.7, 4.5, 1.3) - n * log_scale, 1e-8)
        << static_cast<int>(type);
    const VbPosterior& q = model->posterior();
    EXPECT_NEAR(q.beta[0], n + 0.7, 1e-12);
    for (Index j = 0; j < d; ++j) EXPECT_NEAR(q.mean(0, j), z.col(j).sum() / (n + 0.7), 1e-12);
    if (type == CovarianceType::full) {
      EXPECT_NEAR(q.nu[0], n + 4.5, 1e-12);
      const Eigen::RowVectorXd mean = z.colwise().mean();
      const Eigen::MatrixXd centered = z.rowwise() - mean;
      const Eigen::MatrixXd inverse_scale = 1.3 * Eigen::MatrixXd::Identity(d, d) +
                                            centered.transpose() * centered +
                                            0.7 * n / (0.7 + n) * mean.transpose() * mean;
      Eigen::MatrixXd a = Eigen::MatrixXd::Zero(d, d);
      Index at = 0;
      for (Index i = 0; i < d; ++i)
        for (Index j = 0; j <= i; ++j) a(i, j) = q.whitener(0, at++);
      EXPECT_LT((a.transpose() * a * inverse_scale - Eigen::MatrixXd::Identity(d, d)).norm(), 1e-11);
    }
  }
}

/// The predictive of one component is the ratio of two evidences, whatever the covariance type.
TEST(VbMixtureDensity, PredictiveIsRatioOfEvidences) {
  for (const CovarianceType type : all_types) {
    const Matrix rows = random_blobs(12, 20, 2, 1, 1.0);
    VbMixtureOptions options;
    options.covariance = type;
    options.components = 1;
    options.covariance_scale = 1.0;
    const auto model = fit(rows, options);
    Eigen::MatrixXd z(21, 2);
    const Matrix fresh(1, 2, {1.7, -2.2});
    for (Index i = 0; i <= 20; ++i)
      for (Index j = 0; j < 2; ++j) {
        const auto at = static_cast<std::size_t>(j);
        z(i, j) =
            ((i < 20 ? rows(i, j) : fresh(0, j)) - model->frame().center[at]) / model->frame().scale[at];
      }
    const double expected = chain_rule_evidence(z, type, 1.0, 2.0, 1.0) -
                            chain_rule_evidence(z.topRows(20), type, 1.0, 2.0, 1.0) +
                            model->frame().log_jacobian();
    EXPECT_NEAR(log_densities(*model, fresh)[0], expected, 1e-9) << static_cast<int>(type);
  }
}

TEST(VbMixtureFit, InvariantToShiftAndScale) {
  for (const CovarianceType type : all_types) {
    const Matrix rows = random_blobs(13, 300, 3, 3, 3.0);
    Matrix moved = rows;
    const double factor[] = {1e-6, 7.0, 3e5};
    const double shift[] = {1e-3, -1e4, 2e7};
    double log_factor = 0.0;
    for (const double f : factor) log_factor += std::log(f);
    for (Index i = 0; i < rows.n_rows(); ++i)
      for (Index j = 0; j < 3; ++j) moved(i, j) = rows(i, j) * factor[j] + shift[j];
    VbMixtureOptions options;
    options.covariance = type;
    const auto model = fit(rows, options);
    const auto moved_model = fit(moved, options);
    const auto before = log_densities(*model, rows);
    const auto after = log_densities(*moved_model, moved);
    for (std::size_t i = 0; i < before.size(); ++i) EXPECT_NEAR(before[i], after[i] + log_factor, 1e-6);
    EXPECT_EQ(model->summary().n_components, moved_model->summary().n_components);
  }
}

TEST(VbMixtureFit, InvariantToRowOrderWhereNothingIsDrawn) {
  const Matrix rows = random_blobs(14, 200, 2, 1, 1.0);
  Matrix reversed(200, 2);
  for (Index i = 0; i < 200; ++i) std::copy_n(rows.row(199 - i), 2, reversed.row(i));
  VbMixtureOptions options;
  options.components = 1;
  expect_near(log_densities(*fit(rows, options), rows), log_densities(*fit(reversed, options), rows), 1e-11);

  // With more components only the start is drawn: from a given start the order does not matter either.
  options.components = 4;
  const auto start = fit(rows, options);
  DensityFitContext context;
  context.warm_start = start.get();
  const Matrix fresh = random_blobs(15, 200, 2, 1, 1.0);
  Matrix fresh_reversed(200, 2);
  for (Index i = 0; i < 200; ++i) std::copy_n(fresh.row(199 - i), 2, fresh_reversed.row(i));
  const auto from_start = [&](const Matrix& some) {
    return log_densities(*VbMixtureFamily(options).fit(WeightedRows(some.view()), context), rows);
  };
  expect_near(from_start(fresh), from_start(fresh_reversed), 1e-8);
}

TEST(VbMixtureFit, WeightTwoIsTheRowTwice) {
  for (const CovarianceType type : all_types) {
    const Matrix rows = random_blobs(16, 60, 2, 3, 3.0);
    const testing::RowsTwice twice(rows);
    VbMixtureOptions options;
    options.covariance = type;
    options.components = 5;
    expect_same_fit(*fit(rows, options, twice.weights, 3), *fit(twice.repeated, options, {}, 3), rows, 1e-8);
  }
}

TEST(VbMixtureFit, ZeroWeightRowsCountAsAbsent) {
  const Matrix rows = random_blobs(17, 50, 2, 2, 3.0);
  Matrix more(60, 2);
  std::vector<double> weights(60, 0.0);
  for (Index i = 0; i < 60; ++i) {
    std::copy_n(rows.row(i % 50), 2, more.row(i));
    if (i < 50) weights[static_cast<std::size_t>(i)] = 1.0;
    if (i >= 50) more(i, 0) += 100.0;
  }
  expect_near(log_densities(*fit(rows, {}), rows), log_densities(*fit(more, {}, weights), rows), 1e-9);
}

TEST(VbMixtureFit, SameBitsForAnyNumberOfThreads) {
  const Matrix rows = random_blobs(18, 20000, 3, 4, 3.0);
  VbMixtureOptions options;
  options.max_iterations = 20;
  const auto one = log_densities(*fit(rows, options, {}, 0, 1), rows);
  EXPECT_EQ(one, log_densities(*fit(rows, options, {}, 0, 2), rows));
  EXPECT_EQ(one, log_densities(*fit(rows, options, {}, 0, 8), rows));
}

TEST(VbMixtureFit, SingleStepsClimbTheSameBound) {
  const Matrix rows = random_blobs(14, 300, 2, 3, 2.0);
  VbMixtureOptions options;
  options.tolerance = 1e-12;
  DensityFitContext context;
  std::shared_ptr<const Density> model = VbMixtureFamily(options).fit(WeightedRows(rows.view()), context);
  const Matrix others = random_blobs(15, 300, 2, 3, 2.0);
  context.single_step = true;
  double before = -std::numeric_limits<double>::infinity();
  for (int step = 0; step < 30; ++step) {
    context.warm_start = model.get();
    const auto next = VbMixtureFamily(options).fit(WeightedRows(others.view()), context);
    EXPECT_EQ(next->summary().n_iterations, 1);
    EXPECT_GE(next->summary().objective, before - 1e-9 * std::abs(before));
    before = next->summary().objective;
    model = next;
  }
}

TEST(VbMixtureFit, UnneededComponentsSwitchOff) {
  for (const WeightPrior prior : {WeightPrior::dirichlet, WeightPrior::stick_breaking}) {
    Matrix rows(3000, 2);
    RandomStream random(19, RandomPurpose::simulation);
    for (Index i = 0; i < 3000; ++i) {
      const double side = i % 2 == 0 ? -6.0 : 6.0;
      rows(i, 0) = side + random.normal();
      rows(i, 1) = random.normal();
    }
    VbMixtureOptions options;
    options.components = 15;
    options.weight_prior = prior;
    options.max_iterations = 3000;
    const auto model = fit(rows, options);
    EXPECT_EQ(model->summary().n_components, 2);
    EXPECT_EQ(model->summary().stop_reason, StopReason::converged);
  }
}

/// A component stays if the bound falls by 0.1 nats or more without it (section 5), however little more.
TEST(VbMixtureFit, ComponentsStayThatTheEvidenceFavours) {
  Index n_hardly_favoured = 0;
  for (int step = 0; step < 30; ++step) {
    Matrix rows(60, 1);
    RandomStream random(23, RandomPurpose::simulation);
    for (Index i = 0; i < 60; ++i) rows(i, 0) = 0.1 * (i % 2 == 0 ? -step : step) + random.normal();
    VbMixtureOptions options;
    options.components = 2;
    const auto two = fit(rows, options);
    if (two->summary().n_components < 2) continue;
    const WeightedRows all(rows.view()); // in one component, under the same prior
    const VbPosterior one =
        update_posterior(two->prior(), collect_assigned_moments(all, two->frame(), Matrix(1, 1),
                                                                std::vector<int>(60, 0), false));
    const MixtureMoments moments = collect_moments(
        all, two->frame(), make_terms(two->prior(), one, DensityForm::expected_log), 1, silent_observer());
    const double alone = evidence_bound(two->prior(), one, moments) + 60.0 * two->frame().log_jacobian();
    EXPECT_GE(two->summary().objective, alone + 0.1) << step;
    if (two->summary().objective < alone + 3.0) ++n_hardly_favoured;
  }
  EXPECT_GT(n_hardly_favoured, 0);
}

TEST(VbMixtureFit, RestartsKeepTheBestBound) {
  const Matrix rows = random_blobs(20, 400, 2, 6, 6.0);
  VbMixtureOptions options;
  options.components = 6;
  double best = -INFINITY;
  for (std::uint64_t r = 0; r < 6; ++r) {
    VbMixtureOptions once = options;
    once.restarts = static_cast<Index>(r) + 1;
    const double objective = fit(rows, once)->summary().objective;
    EXPECT_GE(objective, best);
    best = std::max(best, objective);
  }
}

TEST(VbMixtureFit, DegenerateRowsGiveFiniteDensities) {
  const auto expect_finite = [](const Matrix& rows, const char* what) {
    for (const CovarianceType type : all_types) {
      VbMixtureOptions options;
      options.covariance = type;
      const auto model = fit(rows, options);
      Matrix probes(3, rows.n_cols());
      for (Index j = 0; j < rows.n_cols(); ++j) {
        probes(0, j) = rows(0, j);
        probes(1, j) = 1e100;
        probes(2, j) = -1e6;
      }
      for (const double value : log_densities(*model, probes)) EXPECT_TRUE(std::isfinite(value)) << what;
    }
  };
  expect_finite(Matrix(1, 2, {3.0, 4.0}), "one row");
  expect_finite(Matrix(20, 2), "all rows equal");
  Matrix collinear(50, 3);
  Matrix constant(50, 2);
  Matrix offset(50, 2);
  RandomStream random(21, RandomPurpose::simulation);
  for (Index i = 0; i < 50; ++i) {
    const double x = random.normal();
    collinear(i, 0) = x;
    collinear(i, 1) = 2.0 * x;
    collinear(i, 2) = -x;
    constant(i, 0) = x;
    constant(i, 1) = 5.0;
    offset(i, 0) = 1e9 + x;
    offset(i, 1) = -1e9 + random.normal();
  }
  expect_finite(collinear, "collinear");
  expect_finite(constant, "constant feature");
  expect_finite(offset, "huge offset");
  Matrix outlier = constant;
  outlier(7, 0) = 1e90;
  expect_finite(outlier, "huge outlier");
}

TEST(VbMixtureDensity, SamplesFollowTheDensity) {
  // The mean log density of samples equals minus the entropy, and moments agree with importance-free
  // integrals in one dimension. 40,000 draws; each bound is 5 standard errors (false alarm below 1e-6 per
  // check).
  for (const CovarianceType type : all_types) {
    VbMixtureOptions options;
    options.covariance = type;
    options.components = 3;
    const auto model = fit(random_blobs(22, 200, 2, 2, 3.0), options);
    const Index n = 40000;
    Matrix draws(n, 2);
    for (Index i = 0; i < n; ++i) {
      RandomStream random(5, RandomPurpose::sample, static_cast<std::uint64_t>(i));
      model->sample(random, {draws.row(i), 2});
    }
    // Probability of a box by sampling and by quadrature.
    double inside = 0.0;
    for (Index i = 0; i < n; ++i)
      inside += std::abs(draws(i, 0)) < 2.0 && std::abs(draws(i, 1)) < 1.5 ? 1.0 : 0.0;
    inside /= static_cast<double>(n);
    const int grid = 200;
    Matrix points(grid * grid, 2);
    for (int a = 0; a < grid; ++a)
      for (int b = 0; b < grid; ++b) {
        points(a * grid + b, 0) = -2.0 + 4.0 * (a + 0.5) / grid;
        points(a * grid + b, 1) = -1.5 + 3.0 * (b + 0.5) / grid;
      }
    double expected = 0.0;
    for (const double value : log_densities(*model, points))
      expected += std::exp(value) * 12.0 / (grid * grid);
    EXPECT_NEAR(inside, expected,
                5.0 * std::sqrt(expected * (1.0 - expected) / static_cast<double>(n)) + 1e-5);
  }
}

TEST(VbMixtureDensity, SavedAndLoadedGivesTheSameBits) {
  for (const CovarianceType type : all_types) {
    VbMixtureOptions options;
    options.covariance = type;
    const Matrix rows = random_blobs(23, 200, 3, 3, 3.0);
    const auto model = fit(rows, options);
    Archive archive;
    model->save(archive, "a/");
    EXPECT_EQ(log_densities(*load_density(archive, "a/"), rows), log_densities(*model, rows));
  }
}

TEST(VbMixtureOptionsCheck, ListsEveryViolation) {
  VbMixtureOptions options;
  options.components = 0;
  options.tolerance = -1.0;
  test::expect_error(ErrorKind::usage, {"components", "tolerance"}, [&] { VbMixtureFamily{options}; });
}

} // namespace
} // namespace lacuna::vb_mixture_test
