// Missing values and categories in the variational mixture: closed forms, brute-force integrals, invariances
// (docs/math/vb-mixture.md, sections 8 and 9).

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "density/own_families.hpp"
#include "density/vb_mixture.hpp"
#include "tests/density/evidence.hpp"
#include "tests/density/test_data.hpp"

namespace lacuna::mixed_test {
namespace {

using testing::all_types;
using testing::chain_rule_evidence;
using testing::expect_same_fit;
using testing::log_densities;
using testing::random_blobs;
using testing::random_weights;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::shared_ptr<const VbMixture> fit(const Matrix& rows, const VbMixtureOptions& options,
                                     const std::vector<Index>& levels = {},
                                     std::span<const double> weights = {}, int threads = 1) {
  DensityFitContext context;
  context.threads = threads;
  context.levels = levels;
  return std::dynamic_pointer_cast<const VbMixture>(
      VbMixtureFamily(options).fit(WeightedRows(rows.view(), weights), context));
}

/// Blobs whose categories depend on the first number, with a share of all cells missing.
Matrix mixed_rows(std::uint64_t seed, Index n, Index d, const std::vector<Index>& levels, double missing) {
  const Matrix numbers = random_blobs(seed, n, std::max<Index>(d, 1), 3, 2.0);
  RandomStream random(seed, RandomPurpose::simulation, 7);
  Matrix rows(n, d + static_cast<Index>(levels.size()));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < d; ++j) rows(i, j) = numbers(i, j);
    for (std::size_t c = 0; c < levels.size(); ++c) {
      const double pull = numbers(i, 0) > 0.0 ? 0.5 : 0.0;
      const double u = random.uniform() * (1.0 - pull) + pull;
      rows(i, d + static_cast<Index>(c)) = std::floor(u * static_cast<double>(levels[c]));
    }
    for (Index j = 0; j < rows.n_cols(); ++j)
      if (random.uniform() < missing) rows(i, j) = nan;
  }
  return rows;
}

std::vector<Index> with_numbers(Index d, const std::vector<Index>& levels) {
  std::vector<Index> all(static_cast<std::size_t>(d), 0);
  all.insert(all.end(), levels.begin(), levels.end());
  return all;
}

TEST(MixedMixtureFit, BoundNeverFallsWithGapsAndCategories) {
  const auto history_of = [](std::uint64_t problem, RandomStream& random) {
    VbMixtureOptions options = testing::vb_options_of(problem);
    options.components = 1 + static_cast<Index>(random.uniform() * 8);
    options.covariance_scale = std::exp(random.normal());
    options.category_concentration = std::exp(random.normal());
    options.max_iterations = 100;
    const auto n = static_cast<Index>(3 + random.uniform() * 150);
    const auto d = static_cast<Index>(random.uniform() * 5);
    std::vector<Index> levels;
    for (Index c = problem % 3 == 0 && d > 0 ? 0 : 1 + static_cast<Index>(random.uniform() * 3); c > 0; --c)
      levels.push_back(1 + static_cast<Index>(random.uniform() * 6));
    const Matrix rows = mixed_rows(problem, n, d, levels, 0.6 * random.uniform());
    std::vector<double> weights;
    if (problem % 5 == 0) weights = random_weights(n, random);
    const auto model = fit(rows, options, with_numbers(d, levels), weights);
    for (const double value : log_densities(*model, rows)) EXPECT_TRUE(std::isfinite(value)) << problem;
    return model->summary().history;
  };
  testing::expect_rising_fits(160, 98, history_of, 1.0);
}

/// log of the Dirichlet-multinomial evidence, category by category: the chance of each next one given those
/// before.
double category_evidence(const Matrix& rows, Index column, Index n_levels, double alpha) {
  std::vector<double> counts(static_cast<std::size_t>(n_levels), alpha);
  double sum = 0.0;
  for (Index i = 0; i < rows.n_rows(); ++i) {
    if (std::isnan(rows(i, column))) continue;
    double& count = counts[static_cast<std::size_t>(rows(i, column))];
    sum += std::log(count / std::accumulate(counts.begin(), counts.end(), 0.0));
    count += 1.0;
  }
  return sum;
}

TEST(MixedMixtureFit, OneComponentHasTheEvidenceOfItsCategories) {
  VbMixtureOptions options;
  options.components = 1;
  options.category_concentration = 0.7;
  const std::vector<Index> levels = {4, 3};
  for (const double missing : {0.0, 0.3}) {
    const Matrix rows = mixed_rows(31, 60, 0, levels, missing);
    const double expected = category_evidence(rows, 0, 4, 0.7) + category_evidence(rows, 1, 3, 0.7);
    EXPECT_NEAR(fit(rows, options, levels)->summary().objective, expected, 1e-9);
    // Beside numbers, the evidences add up: given the one component, the two parts know nothing of each
    // other.
    const Matrix mixed = mixed_rows(31, 60, 2, levels, 0.0);
    Matrix numbers(60, 2);
    for (Index i = 0; i < 60; ++i) std::copy_n(mixed.row(i), 2, numbers.row(i));
    const double of_both = fit(mixed, options, with_numbers(2, levels))->summary().objective;
    const double of_categories = category_evidence(mixed, 2, 4, 0.7) + category_evidence(mixed, 3, 3, 0.7);
    EXPECT_NEAR(of_both, fit(numbers, options)->summary().objective + of_categories, 1e-8);
  }
}

TEST(MixedMixtureFit, OneComponentPredictsPosteriorMeans) {
  VbMixtureOptions options;
  options.components = 1;
  options.category_concentration = 0.5;
  const Matrix rows(5, 1, {0, 2, 2, nan, 2});
  const auto model = fit(rows, options, {3});
  const std::vector<double> expected = {1.5 / 5.5, 0.5 / 5.5, 3.5 / 5.5};
  const auto found = log_densities(*model, Matrix(3, 1, {0, 1, 2}));
  for (std::size_t l = 0; l < 3; ++l) EXPECT_NEAR(std::exp(found[l]), expected[l], 1e-12);
}

/// The integral of exp(value(x)) over the line: x = sinh stretches beat the power tails.
template <class Value>
double integral(double center, double width, const Value& value) {
  const int n = 4000;
  const double reach = 20.0;
  const double h = 2.0 * reach / n;
  double sum = 0.0;
  for (int i = 0; i <= n; ++i) {
    const double u = -reach + h * i;
    sum += std::exp(value(center + width * std::sinh(u))) * std::cosh(u);
  }
  return sum * h * width;
}

TEST(MixedMixtureDensity, GapsAreIntegratedOut) {
  for (const CovarianceType type : all_types)
    for (const DensityForm form : {DensityForm::predictive, DensityForm::plug_in, DensityForm::expected_log})
      for (const Index n : {4, 60}) {
        VbMixtureOptions options;
        options.covariance = type;
        options.density_form = form;
        options.components = 3;
        const auto model = fit(random_blobs(41, n, 2, 2, 2.0), options);
        for (const double x : {-1.3, 0.4, 9.0}) {
          const Matrix gap(2, 2, {x, nan, nan, x});
          const auto found = log_densities(*model, gap);
          for (const Index missing : {1, 0}) {
            const double expected = integral(0.0, 1.0, [&](double y) {
              const Matrix full = missing == 1 ? Matrix(1, 2, {x, y}) : Matrix(1, 2, {y, x});
              return log_densities(*model, full)[0];
            });
            EXPECT_NEAR(found[missing == 1 ? 0 : 1], std::log(expected), 1e-6)
                << static_cast<int>(type) << " form " << static_cast<int>(form) << " at " << x;
          }
        }
      }
}

TEST(MixedMixtureDensity, SumsToOneOverNumbersAndCategories) {
  for (const CovarianceType type : all_types)
    for (const Index n : {3, 80}) {
      VbMixtureOptions options;
      options.covariance = type;
      options.components = 4;
      const auto model = fit(mixed_rows(42, n, 1, {3, 2}, 0.2), options, {0, 3, 2});
      double sum = 0.0;
      double numbers_alone = integral(0.0, 2.0, [&](double x) {
        return log_densities(*model, Matrix(1, 3, {x, nan, nan}))[0];
      });
      double categories_alone = 0.0;
      for (const double a : {0.0, 1.0, 2.0})
        for (const double b : {0.0, 1.0}) {
          sum += integral(0.0, 2.0, [&](double x) {
            return log_densities(*model, Matrix(1, 3, {x, a, b}))[0];
          });
          categories_alone += std::exp(log_densities(*model, Matrix(1, 3, {nan, a, b}))[0]);
        }
      EXPECT_NEAR(sum, 1.0, 1e-6) << static_cast<int>(type);
      EXPECT_NEAR(numbers_alone, 1.0, 1e-6) << static_cast<int>(type);
      EXPECT_NEAR(categories_alone, 1.0, 1e-9) << static_cast<int>(type);
      EXPECT_EQ(log_densities(*model, Matrix(1, 3, {nan, nan, nan}))[0], 0.0);
    }
}

/// With one component and monotone gaps in two features the exact evidence is an integral of the closed form
/// for complete rows over what is missing. The bound stays below it, and close.
TEST(MixedMixtureFit, BoundIsBelowTheExactEvidenceWithGaps) {
  for (const CovarianceType type :
       {CovarianceType::full, CovarianceType::diagonal, CovarianceType::spherical}) {
    Matrix rows = random_blobs(43, 12, 2, 1, 1.0);
    rows(3, 1) = nan;
    rows(8, 1) = nan;
    VbMixtureOptions options;
    options.covariance = type;
    options.components = 1;
    options.mean_precision = 0.8;
    options.degrees_of_freedom = 3.0;
    options.covariance_scale = 0.9;
    options.tolerance = 1e-14;
    options.max_iterations = 2000;
    const auto model = fit(rows, options);
    const Frame& frame = model->frame();
    Eigen::MatrixXd z(12, 2);
    double log_scale = 0.0;
    for (Index i = 0; i < 12; ++i)
      for (Index j = 0; j < 2; ++j) {
        const auto at = static_cast<std::size_t>(j);
        z(i, j) = (rows(i, j) - frame.center[at]) / frame.scale[at];
        if (!std::isnan(z(i, j))) log_scale += std::log(frame.scale[at]);
      }
    // A plain trapezoid on a generous box: the integrand has tails of Student-t with 14 degrees of freedom.
    const double h = 0.1;
    const double base = -40.0;
    double sum = 0.0;
    for (double a = -15.0; a <= 15.0; a += h)
      for (double b = -15.0; b <= 15.0; b += h) {
        z(3, 1) = a;
        z(8, 1) = b;
        sum += std::exp(chain_rule_evidence(z, type, 0.8, 3.0, 0.9) - base);
      }
    const double exact = base + std::log(sum * h * h) - log_scale;
    const double bound = model->summary().objective;
    EXPECT_LT(bound, exact) << static_cast<int>(type);
    EXPECT_GT(bound, exact - 0.3) << static_cast<int>(type);
  }
}

/// The log density of a row under one Gaussian with the conjugate prior, given others (in the frame).
double predictive(const Eigen::MatrixXd& z, const Eigen::VectorXd& x, CovarianceType type, double nu_0) {
  Eigen::MatrixXd more(z.rows() + 1, z.cols());
  more.topRows(z.rows()) = z;
  more.bottomRows(1) = x.transpose();
  return chain_rule_evidence(more, type, 1.0, nu_0, 0.3) - chain_rule_evidence(z, type, 1.0, nu_0, 0.3);
}

/// 400 rows of three features, the last of which only the first `n` have, and where they are looked at.
struct NearlyAbsent {
  Matrix rows{400, 3};
  Matrix places{200, 3};

  explicit NearlyAbsent(Index n) {
    RandomStream random(47, RandomPurpose::simulation, static_cast<std::uint64_t>(n));
    const auto draw = [&](Matrix& to, Index i) {
      to(i, 0) = random.normal();
      to(i, 1) = 0.5 * to(i, 0) + random.normal();
      to(i, 2) = to(i, 0) - to(i, 1) + random.normal();
    };
    for (Index i = 0; i < 400; ++i) {
      draw(rows, i);
      if (i >= n) rows(i, 2) = nan;
    }
    for (Index i = 0; i < places.n_rows(); ++i) draw(places, i);
  }
};

/// The exact predictive density of one component when only the first `n` rows have the last feature: the
/// first two by all rows, the last one given these by the rows that have it.
double exact_predictive(const Eigen::MatrixXd& z, Index n, const Eigen::VectorXd& x, CovarianceType type) {
  if (type == CovarianceType::diagonal)
    return predictive(z.leftCols(2), x.head(2), type, 3.0) +
           predictive(z.topRows(n).col(2), x.tail(1), type, 3.0);
  return predictive(z.leftCols(2), x.head(2), type, 2.0) + predictive(z.topRows(n), x, type, 3.0) -
         predictive(z.topLeftCorner(n, 2), x.head(2), type, 2.0);
}

TEST(MixedMixtureDensity, AFeatureIsKnownByTheRowsThatHaveIt) {
  for (const CovarianceType type : {CovarianceType::full, CovarianceType::diagonal})
    for (const Index n : {0, 2, 8, 40, 400}) {
      const NearlyAbsent data(n);
      VbMixtureOptions options;
      options.covariance = type;
      options.components = 1;
      options.tolerance = 1e-14;
      options.max_iterations = 20000;
      const auto model = fit(data.rows, options);
      const Frame& frame = model->frame();
      const double log_jacobian = frame.log_jacobian();
      const auto in_frame = [&](const Matrix& rows) {
        Eigen::MatrixXd z(rows.n_rows(), 3);
        for (Index i = 0; i < z.rows(); ++i)
          for (Index j = 0; j < 3; ++j)
            z(i, j) = (rows(i, j) - frame.center[static_cast<std::size_t>(j)]) /
                      frame.scale[static_cast<std::size_t>(j)];
        return z;
      };
      const Eigen::MatrixXd z = in_frame(data.rows);
      const Eigen::MatrixXd places = in_frame(data.places);
      const std::vector<double> found = log_densities(*model, data.places);
      // Diagonal and complete rows: nothing but the fit's last steps. Full: the places are fresh rows, so
      // their mean log density is a score, and the few degrees of freedom that (23) takes for the prior's
      // must not make it worse than the exact one; with many rows that have the feature there is no
      // difference.
      const bool is_exact = type == CovarianceType::diagonal || n == 400;
      double gain = 0.0;
      for (Index i = 0; i < places.rows(); ++i) {
        const double expected = exact_predictive(z, n, places.row(i).transpose(), type) + log_jacobian;
        const double difference = found[static_cast<std::size_t>(i)] - expected;
        if (is_exact) {
          EXPECT_LT(std::abs(difference), 1e-4) << to_string(type) << ", " << n << " rows";
        }
        gain += difference / static_cast<double>(places.rows());
      }
      EXPECT_GT(gain, -0.1) << to_string(type) << ", " << n << " rows";
      if (n == 40) {
        EXPECT_LT(gain, 0.1) << to_string(type);
      }
    }
}

TEST(MixedMixtureDensity, IntegratesToOneWhereAFeatureIsNearlyAbsent) {
  for (const CovarianceType type : all_types)
    for (const double missing : {0.3, 0.95}) {
      Matrix rows = random_blobs(48, 80, 2, 2, 2.0);
      RandomStream random(48, RandomPurpose::simulation, 1);
      for (Index i = 0; i < 80; ++i) {
        if (random.uniform() < missing) rows(i, 0) = nan;
        if (random.uniform() < 0.1) rows(i, 1) = nan;
      }
      VbMixtureOptions options;
      options.covariance = type;
      options.components = 3;
      const auto model = fit(rows, options);
      // A row that has only the feature which most rows have is what integrating over the other one gives.
      for (const double y : {-1.0, 0.5, 4.0}) {
        const double sum = integral(0.0, 1.0, [&](double x) {
          return log_densities(*model, Matrix(1, 2, {x, y}))[0];
        });
        EXPECT_NEAR(std::log(sum), log_densities(*model, Matrix(1, 2, {nan, y}))[0], 1e-6) << to_string(type);
      }
      for (const Index j : {0, 1})
        EXPECT_NEAR(integral(0.0, 1.0,
                             [&](double x) {
                               const Matrix row = j == 0 ? Matrix(1, 2, {x, nan}) : Matrix(1, 2, {nan, x});
                               return log_densities(*model, row)[0];
                             }),
                    1.0, 1e-6)
            << to_string(type);
    }
}

TEST(MixedMixtureFit, SeesThroughGapsThatDependOnWhatIsThere) {
  // x2 = x1 + noise is missing wherever x1 > 0: its mean over all rows is 0, over those that have it -0.8.
  const Index n = 4000;
  Matrix rows(n, 2);
  RandomStream random(44, RandomPurpose::simulation);
  for (Index i = 0; i < n; ++i) {
    rows(i, 0) = random.normal();
    rows(i, 1) = rows(i, 0) > 0.0 ? nan : rows(i, 0) + 0.5 * random.normal();
  }
  VbMixtureOptions options;
  options.components = 1;
  options.tolerance = 1e-10;
  const auto model = fit(rows, options);
  const double mean = model->frame().center[1] + model->frame().scale[1] * model->posterior().mean(0, 1);
  // The regression line of 2,000 rows at the mean of the others: a standard error of about 0.03.
  EXPECT_NEAR(mean, 0.0, 0.15);
  EXPECT_LT(model->frame().center[1], -0.6);
}

TEST(MixedMixtureFit, InvariantToShiftScaleAndNamesOfCategories) {
  for (const CovarianceType type : all_types) {
    const std::vector<Index> levels = {4};
    const Matrix rows = mixed_rows(45, 250, 3, levels, 0.25);
    Matrix moved(250, 4); // the category comes first, its numbers reversed
    const double factor[] = {1e-6, 7.0, 3e5};
    const double shift[] = {1e-3, -1e4, 2e7};
    for (Index i = 0; i < 250; ++i) {
      moved(i, 0) = 3.0 - rows(i, 3);
      for (Index j = 0; j < 3; ++j) moved(i, j + 1) = rows(i, j) * factor[j] + shift[j];
    }
    VbMixtureOptions options;
    options.covariance = type;
    options.components = 1; // with more, the start would see another order of columns
    const auto before = log_densities(*fit(rows, options, {0, 0, 0, 4}), rows);
    const auto after = log_densities(*fit(moved, options, {4, 0, 0, 0}), moved);
    for (Index i = 0; i < 250; ++i) {
      double log_factor = 0.0;
      for (Index j = 0; j < 3; ++j)
        if (!std::isnan(rows(i, j))) log_factor += std::log(factor[j]);
      EXPECT_NEAR(before[static_cast<std::size_t>(i)], after[static_cast<std::size_t>(i)] + log_factor, 1e-6);
    }
  }
}

TEST(MixedMixtureFit, WeightTwoIsTheRowTwice) {
  for (const CovarianceType type : all_types) {
    const Matrix rows = mixed_rows(46, 60, 2, {3}, 0.3);
    const testing::RowsTwice twice(rows);
    VbMixtureOptions options;
    options.covariance = type;
    options.components = 4;
    expect_same_fit(*fit(rows, options, {0, 0, 3}, twice.weights), *fit(twice.repeated, options, {0, 0, 3}),
                    rows, 1e-8);
  }
}

TEST(MixedMixtureFit, RowsWithoutAnyValueChangeNothing) {
  const Matrix rows = mixed_rows(47, 50, 2, {3}, 0.2);
  Matrix more(53, 3);
  std::copy_n(rows.values().begin(), rows.values().size(), more.values().begin());
  for (Index i = 50; i < 53; ++i) std::fill_n(more.row(i), 3, nan);
  VbMixtureOptions options;
  options.components = 1;
  expect_same_fit(*fit(rows, options, {0, 0, 3}), *fit(more, options, {0, 0, 3}), rows, 1e-9);
}

TEST(MixedMixtureFit, WithoutAnyValueThePriorIsLeft) {
  const std::vector<double> mean = {1e9, 0.0};
  const std::vector<double> variance = {4.0, 1.0};
  const std::vector<Index> levels = {0, 2};
  for (const CovarianceType type : all_types) {
    VbMixtureOptions options;
    options.covariance = type;
    DensityFitContext context;
    context.reference_mean = mean;
    context.reference_variance = variance;
    context.levels = levels;
    const Matrix nothing(2, 2, {nan, nan, nan, nan});
    const auto model = VbMixtureFamily(options).fit(WeightedRows(nothing.view()), context);
    const auto found = log_densities(*model, Matrix(3, 2, {1e9, nan, 1e9 + 2.0, nan, nan, 1.0}));
    EXPECT_GT(found[0], found[1]);
    EXPECT_GT(found[1], -5.0); // one standard deviation away
    EXPECT_NEAR(found[2], std::log(0.5), 1e-5);
  }
}

TEST(MixedMixtureFit, SameBitsForAnyNumberOfThreadsAndAnyGrouping) {
  const Matrix rows = mixed_rows(48, 12000, 3, {4, 2}, 0.2);
  const std::vector<Index> levels = {0, 0, 0, 4, 2};
  VbMixtureOptions options;
  options.max_iterations = 10;
  const auto model = fit(rows, options, levels);
  const auto one = log_densities(*model, rows);
  EXPECT_EQ(one, log_densities(*fit(rows, options, levels, {}, 2), rows));
  EXPECT_EQ(one, log_densities(*fit(rows, options, levels, {}, 8), rows));
  for (Index i = 0; i < 300; ++i) {
    double alone = 0.0;
    model->log_density(rows.view().middle_rows(i, 1), {&alone, 1});
    EXPECT_EQ(alone, one[static_cast<std::size_t>(i)]) << i;
  }
}

TEST(MixedMixtureFit, DegenerateColumnsGiveFiniteDensities) {
  const auto check = [](const Matrix& rows, const std::vector<Index>& levels) {
    for (const CovarianceType type : all_types) {
      VbMixtureOptions options;
      options.covariance = type;
      for (const double value : log_densities(*fit(rows, options, levels), rows))
        EXPECT_TRUE(std::isfinite(value)) << static_cast<int>(type);
    }
  };
  check(Matrix(1, 2, {3.0, nan}), {0, 0});
  check(Matrix(3, 2, {nan, 1.0, 2.0, nan, nan, nan}), {0, 0});
  check(Matrix(4, 2, {0, 1e9, 0, nan, 0, 1e9, 0, nan}), {1, 0});
  check(Matrix(2, 1, {0, 1}), {1000});
  // Two features that no row has together: their correlation is unknown, not impossible.
  check(Matrix(4, 2, {1, nan, 2, nan, nan, 3, nan, 5}), {0, 0});
}

TEST(MixedMixtureFit, FindsGroupsThatOnlyCategoriesShow) {
  Matrix rows(2000, 4);
  RandomStream random(49, RandomPurpose::simulation);
  for (Index i = 0; i < 2000; ++i)
    for (Index j = 0; j < 4; ++j)
      rows(i, j) = (i % 2 == 0) == (random.uniform() < 0.9) ? 1.0 : 0.0; // two groups, four noisy signs
  const auto model = fit(rows, {}, {2, 2, 2, 2});
  EXPECT_EQ(model->summary().n_components, 2);
  // All four agree: 0.5 (0.9^4 + 0.1^4).
  EXPECT_NEAR(std::exp(log_densities(*model, Matrix(1, 4, {1, 1, 1, 1}))[0]), 0.328, 0.05);
}

TEST(MixedMixtureDensity, SamplesFollowTheDensity) {
  const auto model = fit(mixed_rows(50, 300, 1, {3}, 0.2), {}, {0, 3});
  const Index n = 40000;
  double found[3] = {};
  for (Index i = 0; i < n; ++i) {
    RandomStream random(6, RandomPurpose::sample, static_cast<std::uint64_t>(i));
    double row[2];
    model->sample(random, row);
    if (row[0] < 0.0) found[static_cast<int>(row[1])] += 1.0 / static_cast<double>(n);
  }
  for (int l = 0; l < 3; ++l) { // five standard errors: a false alarm in a million
    const double expected = integral(0.0, 1.0, [&](double x) {
      return x < 0.0 ? log_densities(*model, Matrix(1, 2, {x, static_cast<double>(l)}))[0]
                     : -std::numeric_limits<double>::infinity();
    });
    EXPECT_NEAR(found[l], expected, 5.0 * std::sqrt(expected / static_cast<double>(n)) + 3e-3);
  }
}

TEST(MixedMixtureDensity, SamplesFollowTheDensityWhereAFeatureIsNearlyAbsent) {
  // The mean of g / q over samples from q is the integral of g, here of a normal density with lighter tails.
  for (const CovarianceType type : all_types) {
    Matrix rows = random_blobs(49, 200, 3, 1, 0.0);
    for (Index i = 0; i < 200; ++i) {
      if (i % 20 != 0) rows(i, 0) = nan;
      if (i % 3 == 0) rows(i, 2) = nan;
    }
    VbMixtureOptions options;
    options.covariance = type;
    options.components = 2;
    const auto model = fit(rows, options);
    const Index n = 20000;
    Matrix samples(n, 3);
    for (Index i = 0; i < n; ++i) {
      RandomStream random(7, RandomPurpose::sample, static_cast<std::uint64_t>(i));
      model->sample(random, {samples.row(i), 3});
    }
    const std::vector<double> log_q = log_densities(*model, samples);
    double mean = 0.0;
    double squares = 0.0;
    for (Index i = 0; i < n; ++i) {
      double log_g = -1.5 * std::log(2.0 * std::numbers::pi * 0.04); // a standard deviation of 0.2
      for (Index j = 0; j < 3; ++j) log_g -= 12.5 * std::pow(samples(i, j), 2);
      const double ratio = std::exp(log_g - log_q[static_cast<std::size_t>(i)]);
      mean += ratio / static_cast<double>(n);
      squares += ratio * ratio / static_cast<double>(n);
    }
    // Five standard errors: a false alarm in a million.
    EXPECT_NEAR(mean, 1.0, 5.0 * std::sqrt((squares - mean * mean) / static_cast<double>(n)))
        << to_string(type);
    EXPECT_LT(squares, 30.0) << "the samples say too little";
  }
}

TEST(MixedMixtureDensity, SavedAndLoadedGivesTheSameBits) {
  for (const CovarianceType type : all_types) {
    VbMixtureOptions options;
    options.covariance = type;
    const Matrix rows = mixed_rows(51, 200, 2, {3, 5}, 0.2);
    const auto model = fit(rows, options, {0, 0, 3, 5});
    Archive archive;
    model->save(archive, "a/");
    EXPECT_EQ(log_densities(*load_density(archive, "a/"), rows), log_densities(*model, rows));
  }
}

} // namespace
} // namespace lacuna::mixed_test
