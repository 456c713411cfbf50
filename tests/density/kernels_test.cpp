// Every instruction set this processor has, against plain loops in long double.

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "density/kernels.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna::kernels_test {
namespace {

constexpr Index n = 48; // three times kernel_lanes: not all kernels take such a block in one stride
constexpr Index stride = 80;

std::vector<double> random_values(std::uint64_t seed, Index size) {
  RandomStream random(seed, RandomPurpose::simulation);
  std::vector<double> values(static_cast<std::size_t>(size));
  for (double& v : values) v = random.normal();
  return values;
}

/// |got - expected| in units of 1e-15 of the expected size.
void expect_close(double got, long double expected, double tolerance, const char* what) {
  EXPECT_NEAR(got, static_cast<double>(expected),
              tolerance * std::max(1.0, std::abs(static_cast<double>(expected))))
      << what;
}

TEST(Kernels, PlainSetIsAlwaysThereAndTheWidestIsUsed) {
  ASSERT_FALSE(available_kernels().empty());
  EXPECT_STREQ(available_kernels().front()->name, "plain");
  EXPECT_EQ(&kernels(), available_kernels().back());
}

TEST(Kernels, LogSumExpAndResponsibilities) {
  for (const Kernels* set : available_kernels())
    for (const double spread : {0.0, 1e-8, 1.0, 30.0, 400.0, 1e5}) {
      const Index n_components = 7;
      std::vector<double> logits = random_values(1, n_components * stride);
      for (double& v : logits) v = spread * v - 3.0;
      const std::vector<double> weights = random_values(2, stride);
      const std::vector<double> before = logits;
      std::vector<double> total(stride);
      std::vector<double> same_total(stride);
      set->log_sum_exp(logits.data(), stride, n, n_components, same_total.data());
      set->responsibilities(logits.data(), stride, n, n_components, weights.data(), total.data());
      for (Index b = 0; b < n; ++b) {
        const auto logit = [&](Index k) {
          return static_cast<long double>(before[static_cast<std::size_t>(k * stride + b)]);
        };
        long double largest = logit(0);
        for (Index k = 1; k < n_components; ++k) largest = std::max(largest, logit(k));
        long double sum = 0.0L;
        for (Index k = 0; k < n_components; ++k) sum += std::exp(logit(k) - largest);
        const long double expected = largest + std::log(sum);
        const auto at = static_cast<std::size_t>(b);
        expect_close(total[at], expected, 1e-15, set->name);
        EXPECT_EQ(total[at], same_total[at]);
        for (Index k = 0; k < n_components; ++k)
          EXPECT_NEAR(logits[static_cast<std::size_t>(k * stride + b)],
                      static_cast<double>(weights[at] * std::exp(logit(k) - expected)),
                      4e-16 * std::abs(weights[at]) + 1e-300)
              << set->name;
      }
    }
}

TEST(Kernels, StudentTail) {
  for (const Kernels* set : available_kernels())
    for (const double scale : {0.0, 1e-300, 1e-12, 1e-3, 1.0, 1e6, 1e200, 1e300}) {
      std::vector<double> q = random_values(3, n);
      for (double& v : q) v = std::min(std::abs(v) * scale, largest_quadratic);
      std::vector<double> out = q;
      set->student(out.data(), n, 0.25, 1.5, 0.75);
      for (Index b = 0; b < n; ++b) {
        const auto at = static_cast<std::size_t>(b);
        expect_close(out[at], 0.25L - 1.5L * std::log1p(0.75L * static_cast<long double>(q[at])), 1e-15,
                     set->name);
      }
    }
}

TEST(Kernels, QuadraticFormsAndMoments) {
  for (const Kernels* set : available_kernels())
    for (const Index d : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 16, 31, 32, 33, 50}) {
      const std::vector<double> x = random_values(4, d * stride);
      const std::vector<double> mean = random_values(5, d);
      const std::vector<double> a = random_values(6, d * (d + 1) / 2);
      std::vector<double> precision = random_values(7, d);
      for (double& p : precision) p = std::abs(p);
      std::vector<double> r = random_values(8, stride);
      for (double& weight : r) weight = std::abs(weight);
      std::vector<double> full(stride);
      std::vector<double> diagonal(stride);
      std::vector<double> product(stride);
      set->quadratic_full(x.data(), stride, n, d, mean.data(), a.data(), full.data());
      std::vector<double> in_steps(stride);
      const std::array<Index, 4> ends = {0, d / 3, d - d / 4, d};
      for (std::size_t i = 1; i < ends.size(); ++i)
        set->add_quadratic(x.data(), stride, n, ends[i - 1], ends[i], mean.data(), a.data(), in_steps.data());
      set->quadratic_diagonal(x.data(), stride, n, d, mean.data(), precision.data(), diagonal.data());
      set->student_product(x.data(), stride, n, d, mean.data(), precision.data(), 2.0, 3.0, product.data());

      const auto n_pairs = static_cast<std::size_t>(d * (d + 1) / 2);
      std::vector<long double> s1(static_cast<std::size_t>(d));
      std::vector<long double> s2(n_pairs);
      long double s0 = 0.0L;
      for (Index b = 0; b < n; ++b) {
        const auto delta = [&](Index j) {
          return static_cast<long double>(x[static_cast<std::size_t>(j * stride + b)]) -
                 mean[static_cast<std::size_t>(j)];
        };
        const long double weight = r[static_cast<std::size_t>(b)];
        long double expected_full = 0.0L;
        long double expected_diagonal = 0.0L;
        long double expected_product = 2.0L;
        s0 += weight;
        std::size_t at = 0;
        for (Index i = 0; i < d; ++i) {
          long double z = 0.0L;
          s1[static_cast<std::size_t>(i)] += weight * delta(i);
          for (Index j = 0; j <= i; ++j, ++at) {
            z += a[at] * delta(j);
            s2[at] += weight * delta(i) * delta(j);
          }
          const long double square = precision[static_cast<std::size_t>(i)] * delta(i) * delta(i);
          expected_full += z * z;
          expected_diagonal += square;
          expected_product -= 3.0L * std::log1p(square);
        }
        expect_close(full[static_cast<std::size_t>(b)], expected_full, 1e-13, set->name);
        expect_close(in_steps[static_cast<std::size_t>(b)], expected_full, 1e-13, set->name);
        expect_close(diagonal[static_cast<std::size_t>(b)], expected_diagonal, 1e-14, set->name);
        expect_close(product[static_cast<std::size_t>(b)], expected_product, 1e-14, set->name);
      }

      double zeroth = 1.0; // moments are added to what is there
      std::vector<double> first(static_cast<std::size_t>(d), 1.0);
      std::vector<double> second(n_pairs, 1.0);
      std::vector<double> scratch(static_cast<std::size_t>(moments_scratch(d) * stride));
      set->moments_full(x.data(), stride, n, d, mean.data(), r.data(), scratch.data(), &zeroth, first.data(),
                        second.data());
      expect_close(zeroth, s0 + 1.0L, 1e-13, set->name);
      for (std::size_t i = 0; i < first.size(); ++i) expect_close(first[i], s1[i] + 1.0L, 1e-13, set->name);
      for (std::size_t i = 0; i < n_pairs; ++i) expect_close(second[i], s2[i] + 1.0L, 1e-13, set->name);
      std::vector<double> first_again(static_cast<std::size_t>(d), 1.0);
      std::vector<double> squares(static_cast<std::size_t>(d), 1.0);
      set->moments_diagonal(x.data(), stride, n, d, mean.data(), r.data(), &zeroth, first_again.data(),
                            squares.data());
      for (Index i = 0; i < d; ++i)
        expect_close(squares[static_cast<std::size_t>(i)],
                     s2[static_cast<std::size_t>(i * (i + 1) / 2 + i)] + 1.0L, 1e-13, set->name);
    }
}

} // namespace
} // namespace lacuna::kernels_test
