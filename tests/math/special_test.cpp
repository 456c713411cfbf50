#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "math/cholesky.hpp"
#include "math/log_add_kernels.hpp"
#include "math/moments.hpp"
#include "math/special.hpp"

namespace lacuna {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(LogSumExp, SpecialInputs) {
  EXPECT_EQ(log_sum_exp({}), -infinity);
  const double nothing[] = {-infinity, -infinity};
  EXPECT_EQ(log_sum_exp(nothing), -infinity);
  const double everything[] = {infinity, 1.0};
  EXPECT_EQ(log_sum_exp(everything), infinity);
  const double bad[] = {1.0, std::nan("")};
  EXPECT_TRUE(std::isnan(log_sum_exp(bad)));
  const double large[] = {1000.0, 1000.0};
  EXPECT_NEAR(log_sum_exp(large), 1000.0 + std::log(2.0), 1e-12);
  const double small[] = {-1e5, -1e5 - 800.0};
  EXPECT_EQ(log_sum_exp(small), -1e5);
}

double plain_log_sum_exp(std::span<const double> values) {
  const double largest = *std::max_element(values.begin(), values.end());
  double sum = 0.0;
  for (const double value : values) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

TEST(LogSumExp, LeavesOutOnlyWhatChangesNoBit) {
  constexpr int n_cases = 100000;
  RandomStream random(1, RandomPurpose::simulation);
  std::vector<double> values;
  for (int i = 0; i < n_cases; ++i) {
    const double spread = std::exp(8.0 * random.uniform());
    values.resize(1 + static_cast<std::size_t>(i) % 12);
    for (double& value : values) value = spread * random.normal();
    EXPECT_EQ(log_sum_exp(values), plain_log_sum_exp(values));
    if (values.size() == 2) {
      EXPECT_EQ(log_sum_exp(values[0], values[1]), plain_log_sum_exp(values));
    }
  }
  // Where exp stops to matter beside 1, and where it becomes 0.
  for (const double edge :
       {-36.0, -36.7368, -37.0, -38.0, -79.0, -80.0, -81.0, -745.0, -745.2, -746.0, -747.0})
    for (const double near : {edge - 1e-9, edge, edge + 1e-9}) {
      EXPECT_EQ(log_sum_exp(0.0, near), plain_log_sum_exp(std::vector{0.0, near}));
      EXPECT_EQ(log_sum_exp(near, 0.0), plain_log_sum_exp(std::vector{near, 0.0}));
      for (const auto& some : {std::vector{near, -2.0, 0.0, near}, std::vector{near, 0.0, near, -30.0}})
        EXPECT_EQ(log_sum_exp(some), plain_log_sum_exp(some));
    }
}

TEST(LogSumExp, OfTwoTakesWhatTheListTakes) {
  const double kinds[] = {-infinity, infinity, std::nan(""), -0.0, 0.0, 3.0, -1e300, 1e300};
  for (const double a : kinds)
    for (const double b : kinds) {
      const double pair[] = {a, b};
      EXPECT_EQ(std::bit_cast<std::uint64_t>(log_sum_exp(a, b)),
                std::bit_cast<std::uint64_t>(log_sum_exp(pair)));
    }
}

TEST(LogSumExp, OfManyPairsHasTheBitsOfEach) {
  constexpr std::size_t n = 50003; // no multiple of any vector's width
  RandomStream random(2, RandomPurpose::simulation);
  std::vector<double> a(n);
  std::vector<double> b(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = std::exp(6.0 * random.uniform()) * random.normal();
    // Differences of every size, down to those whose power rounds to nothing beside 1.
    b[i] = a[i] + (i % 2 == 0 ? 1.0 : -1.0) * std::exp(6.0 * random.uniform() - 2.0);
  }
  const double kinds[] = {-infinity, infinity, std::nan(""), 0.0, -0.0, 1e300, -1e300, 5.0};
  std::size_t place = 0;
  for (const double x : kinds)
    for (const double y : kinds) {
      a[place] = x;
      b[place++] = y;
    }
  std::vector<double> out(n);
  log_sum_exp(a, b, out);
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_EQ(bits(out[i]), bits(log_sum_exp(a[i], b[i]))) << a[i] << ' ' << b[i];
  for (const LogAddKernel* const kernel : log_add_kernels()) {
    const auto n_done = static_cast<std::size_t>(kernel->log_add(a.data(), b.data(), n, out.data()));
    ASSERT_GT(n_done, n - 16);
    std::size_t n_known = 0;
    for (std::size_t i = 0; i < n_done; ++i) {
      if (std::isnan(out[i])) continue;
      ++n_known;
      ASSERT_EQ(bits(out[i]), bits(log_sum_exp(a[i], b[i]))) << a[i] << ' ' << b[i];
    }
    EXPECT_GT(n_known, n_done / 4 * 3); // else there is no point in it
  }
}

TEST(LogSumExp, OfColumnsHasTheBitsOfEach) {
  const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(x); };
  RandomStream random(4, RandomPurpose::simulation);
  const double kinds[] = {-infinity, infinity, std::nan(""), 0.0, -0.0, 1e300, -1e300, 5.0};
  for (const Index n_terms : {0, 1, 2, 5, 11}) {
    constexpr Index n = 20003;
    Matrix terms(n_terms, n);
    for (Index i = 0; i < n; ++i) {
      const double center = 100.0 * random.normal();
      const double spread = std::exp(9.0 * random.uniform() - 5.0); // from nearly alike to far apart
      for (Index k = 0; k < n_terms; ++k) terms(k, i) = center + spread * random.normal();
      if (i % 10 == 0)
        for (Index k = 0; k < n_terms; ++k)
          if (random.uniform() < 0.5) terms(k, i) = kinds[static_cast<std::size_t>(8.0 * random.uniform())];
    }
    std::vector<double> expected;
    for (Index i = 0; i < n; ++i) {
      std::vector<double> column;
      for (Index k = 0; k < n_terms; ++k) column.push_back(terms(k, i));
      expected.push_back(log_sum_exp(column));
    }
    std::vector<double> out(static_cast<std::size_t>(n));
    log_sum_exp_columns(terms.view(), out);
    for (std::size_t i = 0; i < out.size(); ++i)
      ASSERT_TRUE(std::isnan(expected[i]) ? std::isnan(out[i]) : bits(out[i]) == bits(expected[i])) << i;
    for (const LogAddKernel* const kernel : log_add_kernels()) {
      if (n_terms == 0) continue;
      const auto n_done =
          static_cast<std::size_t>(kernel->log_sum(terms.view().data, n, n_terms, n, out.data()));
      ASSERT_GT(n_done, n - 16);
      std::size_t n_known = 0;
      for (std::size_t i = 0; i < n_done; ++i) {
        if (std::isnan(out[i])) continue;
        ++n_known;
        ASSERT_EQ(bits(out[i]), bits(expected[i])) << i;
      }
      EXPECT_GT(n_known, n_done / 2); // else there is no point in it
    }
  }
}

TEST(BinomialAtMost, IsTheSumOfItsTerms) {
  for (const Index n : {1, 2, 7, 40})
    for (const double p : {0.0, 0.03, 0.5, 0.9, 1.0}) {
      double sum = 0.0;
      double choose = 1.0;
      for (Index k = 0; k <= n; ++k) {
        sum += choose * std::pow(p, static_cast<double>(k)) * std::pow(1.0 - p, static_cast<double>(n - k));
        choose *= static_cast<double>(n - k) / static_cast<double>(k + 1);
        EXPECT_NEAR(binomial_at_most(k, n, p), sum, 1e-13) << k << " of " << n;
      }
      EXPECT_EQ(binomial_at_most(-1, n, p), 0.0);
      EXPECT_EQ(binomial_at_most(n, n, p), 1.0);
    }
}

TEST(Special, KnownValues) {
  EXPECT_NEAR(log_gamma(0.5), 0.5 * std::log(std::numbers::pi), 1e-15);
  EXPECT_NEAR(log_gamma(171.0), 706.57306224578735, 1e-10);
  EXPECT_NEAR(digamma(1.0), -0.57721566490153286, 1e-15);
  EXPECT_NEAR(digamma(1e-3), -1000.5755719318103, 1e-9);
  EXPECT_NEAR(log_beta(2.0, 3.0), std::log(1.0 / 12.0), 1e-14);
  // Gamma_2(x) = sqrt(pi) Gamma(x) Gamma(x - 1/2).
  EXPECT_NEAR(log_multivariate_gamma(3.0, 2),
              0.5 * std::log(std::numbers::pi) + log_gamma(3.0) + log_gamma(2.5), 1e-14);
}

TEST(Cholesky, FactorInverseAndDeterminant) {
  const std::vector<double> matrix = {4.0, 2.0, 0.6, 2.0, 3.0, 0.4, 0.6, 0.4, 2.0};
  std::vector<double> factor = matrix;
  EXPECT_EQ(robust_cholesky(factor, 3), 0.0);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 3; ++k) sum += factor[3 * i + k] * factor[3 * j + k];
      EXPECT_NEAR(sum, matrix[3 * i + j], 1e-14);
    }
  EXPECT_NEAR(log_determinant(factor, 3), std::log(4 * (6 - 0.16) - 2 * (4 - 0.24) + 0.6 * (0.8 - 1.8)),
              1e-13);
  std::vector<double> inverse = factor;
  invert_lower(inverse, 3);
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j) {
      double sum = 0.0;
      for (std::size_t k = 0; k < 3; ++k) sum += inverse[3 * i + k] * factor[3 * k + j];
      EXPECT_NEAR(sum, i == j ? 1.0 : 0.0, 1e-14);
    }
}

TEST(Cholesky, AReorderedFactorHasTheSameQuadraticForm) {
  const std::vector<double> a = {2.0, 0.0, 0.0,  0.0, -1.0, 3.0, 0.0,  0.0,
                                 0.5, 4.0, 1e-9, 0.0, 7.0,  0.0, -2.0, 1e6};
  const std::vector<Index> order = {2, 0, 3, 1};
  std::vector<double> l = a;
  reorder_factor(l, 4, order);
  const auto product = [](const std::vector<double>& m, std::size_t i, std::size_t j) {
    double sum = 0.0;
    for (std::size_t k = 0; k < 4; ++k) sum += m[4 * k + i] * m[4 * k + j];
    return sum;
  };
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_GT(l[4 * i + i], 0.0);
    for (std::size_t j = i + 1; j < 4; ++j) EXPECT_EQ(l[4 * i + j], 0.0);
    for (std::size_t j = 0; j < 4; ++j) {
      const auto p = static_cast<std::size_t>(order[i]);
      const auto q = static_cast<std::size_t>(order[j]);
      EXPECT_NEAR(product(l, i, j), product(a, p, q), 1e-14 * std::sqrt(product(a, p, p) * product(a, q, q)));
    }
  }
}

TEST(Special, BetaQuantileInClosedForm) {
  for (const double p : {0.0, 1e-6, 0.025, 0.5, 0.975, 1.0}) {
    for (const double a : {0.5, 1.0, 3.0, 1e6}) {
      EXPECT_NEAR(beta_quantile(p, a, 1.0), std::pow(p, 1.0 / a), 1e-12);
      EXPECT_NEAR(beta_quantile(p, 1.0, a), -std::expm1(std::log1p(-p) / a), 1e-12);
    }
  }
}

TEST(Cholesky, SingularMatrixGetsTheSmallestJitterThatHelps) {
  std::vector<double> singular = {1.0, 1.0, 1.0, 1.0 - 1e-15};
  const double jitter = robust_cholesky(singular, 2);
  EXPECT_GT(jitter, 0.0);
  EXPECT_LE(jitter, 1e-13);
  std::vector<double> bad = {std::nan("")};
  EXPECT_THROW(robust_cholesky(bad, 1), Error);
  std::vector<double> negative = {-1.0};
  EXPECT_THROW(robust_cholesky(negative, 1), Error);
}

TEST(RowMoments, CentredAndWeighted) {
  const Matrix rows(4, 1, {1e9 + 1.0, 1e9 + 2.0, 1e9 + 4.0, 777.0});
  const std::vector<double> weights = {1.0, 2.0, 1.0, 0.0};
  const RowMoments moments = row_moments(WeightedRows(rows.view(), weights));
  EXPECT_EQ(moments.weight, 4.0);
  EXPECT_NEAR(moments.mean[0], 1e9 + 2.25, 1e-6);
  EXPECT_NEAR(moments.variance[0], (1.5625 + 2 * 0.0625 + 3.0625) / 4.0, 1e-6);
}

} // namespace
} // namespace lacuna
