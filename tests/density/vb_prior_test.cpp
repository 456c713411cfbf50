// The prior that is taken from the rows themselves (docs/math/vb-mixture.md, section 2).

#include <cmath>
#include <limits>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "density/own_families.hpp"
#include "density/vb_mixture.hpp"
#include "tests/density/evidence.hpp"
#include "tests/density/test_data.hpp"
#include "tests/expect_error.hpp"

namespace lacuna::vb_prior_test {
namespace {

using test::expect_error;
using testing::all_types;
using testing::chain_rule_evidence;
using testing::log_densities;
using testing::random_blobs;

VbMixtureOptions own_covariance_options(CovarianceType type, Index n_components) {
  VbMixtureOptions options;
  options.covariance = type;
  options.components = n_components;
  options.own_covariance = true;
  options.covariance_scale = 1.3;
  options.mean_precision = 0.7;
  return options;
}

std::shared_ptr<const VbMixture> fit(const Matrix& rows, const VbMixtureOptions& options,
                                     std::span<const double> weights = {}) {
  return std::dynamic_pointer_cast<const VbMixture>(
      VbMixtureFamily(options).fit(WeightedRows(rows.view(), weights), {}));
}

TEST(VbPrior, FewRowsBorrowVarianceUnlessToldNotTo) {
  const std::vector<double> reference = {9.0, 1.0};
  const auto scale_of = [&](const Matrix& rows, bool own_covariance) {
    VbMixtureOptions options;
    options.own_covariance = own_covariance;
    DensityFitContext context;
    context.reference_variance = std::span(reference).first(static_cast<std::size_t>(rows.n_cols()));
    const std::vector<Index> levels = {0, 2};
    if (rows.n_cols() == 2) context.levels = levels;
    const auto density = VbMixtureFamily(options).fit(WeightedRows(rows.view()), context);
    return std::dynamic_pointer_cast<const VbMixture>(density)->frame().scale[0];
  };
  const Matrix two(2, 1, {-1.0, 1.0}); // variance 1
  EXPECT_DOUBLE_EQ(scale_of(two, false), std::sqrt((2.0 * 1.0 + 2.0 * 9.0) / 4.0));
  EXPECT_DOUBLE_EQ(scale_of(two, true), 1.0);
  const Matrix with_category(2, 2, {-1.0, 0.0, 1.0, 1.0}); // which is no feature of a covariance
  EXPECT_DOUBLE_EQ(scale_of(with_category, false), scale_of(two, false));
  EXPECT_DOUBLE_EQ(scale_of(Matrix(1, 1, {5.0}), true), 3.0); // one row has no variance of its own
}

TEST(VbPrior, OwnCovarianceIsThePriorScatter) {
  const Matrix rows = random_blobs(11, 40, 3, 2, 2.0);
  for (const CovarianceType type : all_types) {
    const auto model = fit(rows, own_covariance_options(type, 1));
    Eigen::MatrixXd z(40, 3);
    for (Index i = 0; i < 40; ++i)
      for (Index j = 0; j < 3; ++j) {
        const auto at = static_cast<std::size_t>(j);
        z(i, j) = (rows(i, j) - model->frame().center[at]) / model->frame().scale[at];
      }
    // Of 40 rows, unbiased; off the diagonal a millionth less.
    Eigen::MatrixXd covariance = (1.0 - 1e-6) * z.transpose() * z / 39.0;
    for (Index j = 0; j < 3; ++j) covariance(j, j) = 40.0 / 39.0;
    const double expected =
        chain_rule_evidence(z, type, 0.7, 3.0, 1.3 * covariance) + 40.0 * model->frame().log_jacobian();
    EXPECT_NEAR(model->summary().objective, expected, 1e-8) << static_cast<int>(type);
  }
}

// The rows' own covariance turns with them, so the density knows nothing of the axes.
TEST(VbPrior, OwnCovarianceIsInvariantToLinearMaps) {
  const Matrix rows = random_blobs(12, 100, 2, 2, 2.0);
  const double map[2][2] = {{0.6, -1.9}, {40.0, 7.0}};
  const double log_det = std::log(0.6 * 7.0 + 1.9 * 40.0);
  Matrix mapped(100, 2);
  for (Index i = 0; i < 100; ++i)
    for (Index j = 0; j < 2; ++j) mapped(i, j) = map[j][0] * rows(i, 0) + map[j][1] * rows(i, 1);
  const VbMixtureOptions options = own_covariance_options(CovarianceType::full, 1);
  const auto before = log_densities(*fit(rows, options), rows);
  const auto after = log_densities(*fit(mapped, options), mapped);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_NEAR(before[i], after[i] + log_det, 1e-4); // the millionth keeps it from being exact
}

TEST(VbPrior, OwnCovarianceCountsAWeightOfTwoAsTheRowTwice) {
  const Matrix rows = random_blobs(13, 30, 2, 1, 1.0);
  Matrix doubled(60, 2);
  for (Index i = 0; i < 60; ++i) std::copy_n(rows.row(i / 2), 2, doubled.row(i));
  const std::vector<double> weights(30, 2.0);
  for (const CovarianceType type : all_types) {
    const VbMixtureOptions options = own_covariance_options(type, 1);
    EXPECT_NEAR(fit(rows, options, weights)->summary().objective, fit(doubled, options)->summary().objective,
                1e-8);
  }
}

TEST(VbPrior, OwnCovarianceOfDegenerateRowsIsStillAPrior) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Matrix one(1, 3, {1.0, 2.0, 3.0});
  const Matrix two(2, 3, {1.0, 2.0, 3.0, 2.0, 4.0, 3.0}); // on a line; a feature that never varies
  const Matrix gaps(4, 3, {1.0, nan, 3.0, nan, 4.0, 3.5, 2.0, 1.0, nan, nan, nan, nan});
  const Matrix huge(3, 3, {1e300, -1e300, 0.0, -1e300, 1e300, 1e-300, 0.0, 1.0, -1e-300});
  const Matrix nothing(2, 3, {nan, nan, nan, nan, nan, nan});
  for (const CovarianceType type : all_types)
    for (const Matrix& rows : {one, two, gaps, huge, nothing}) {
      const auto model = fit(rows, own_covariance_options(type, 5));
      for (const double value : log_densities(*model, rows)) EXPECT_TRUE(std::isfinite(value));
    }
}

TEST(VbPrior, CorrelationIsSavedAndCheckedWhenLoaded) {
  const Matrix rows = random_blobs(14, 50, 2, 1, 1.0);
  const auto model = fit(rows, own_covariance_options(CovarianceType::full, 2));
  Archive archive;
  model->save(archive, "a/");
  const auto load = [&] { return std::dynamic_pointer_cast<const VbMixture>(load_density(archive, "a/")); };
  const auto loaded = load();
  EXPECT_EQ(log_densities(*loaded, rows), log_densities(*model, rows));
  EXPECT_EQ(loaded->prior().correlation, model->prior().correlation);
  EXPECT_EQ(loaded->prior().log_det_correlation, model->prior().log_det_correlation);
  EXPECT_NE(loaded->prior().correlation[1], 0.0);
  for (const std::vector<double>& damaged :
       {std::vector<double>{1.0, 1.0, 1.0}, {1.0, 0.0, 2.0}, {1.0, std::nan(""), 1.0}}) {
    archive.put("a/prior_correlation", damaged);
    expect_error(ErrorKind::data, {"damaged"}, load);
  }
}

// A stick's mean share is (1 + N_k) / (1 + N_k + gamma + N_later), of what the sticks before it left.
TEST(VbPrior, MeanWeightsOfSticks) {
  VbPrior prior;
  prior.weight_prior = WeightPrior::stick_breaking;
  prior.weight_concentration = 1.0;
  VbPosterior posterior;
  posterior.rows = {2.0, 1.0, 1.0};
  const double sticks[] = {3.0 / 6.0, 2.0 / 4.0, 2.0 / 3.0};
  const double shares[] = {sticks[0], 0.5 * sticks[1], 0.25 * sticks[2]};
  const double total = shares[0] + shares[1] + shares[2];
  const std::vector<double> weights = mean_weights(prior, posterior);
  ASSERT_EQ(weights.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(weights[k], shares[k] / total, 1e-12) << k;
}

} // namespace
} // namespace lacuna::vb_prior_test
