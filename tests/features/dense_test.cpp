// The inner loops of dense networks against double precision, for every instruction set of this processor.
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "core/aligned.hpp"
#include "features/network/dense.hpp"
#include "lacuna/core/random.hpp"

namespace {

using lacuna::AlignedFloats;
using lacuna::DenseKernels;
using lacuna::FloatView;
using lacuna::Index;
using Floats = std::vector<float>;

constexpr double half_ulp = 0x1p-24;

std::size_t size(Index n) {
  return static_cast<std::size_t>(n);
}

Floats normals(Index n, std::uint64_t seed) {
  lacuna::RandomStream stream(seed, lacuna::RandomPurpose::simulation);
  Floats values(size(n));
  for (float& value : values) value = static_cast<float>(stream.normal());
  return values;
}

class DenseKernelSets : public testing::TestWithParam<std::size_t> {
protected:
  const DenseKernels& kernels() const { return *lacuna::available_dense_kernels()[GetParam()]; }
};
INSTANTIATE_TEST_SUITE_P(Set, DenseKernelSets,
                         testing::Range<std::size_t>(0, lacuna::available_dense_kernels().size()),
                         [](const testing::TestParamInfo<std::size_t>& set) {
                           const auto& kernels = *lacuna::available_dense_kernels()[set.param];
                           return "Lanes" + std::to_string(kernels.lanes);
                         });

struct Shape {
  Index m;
  Index n;
  Index k;
};

// Either operand in either order of storage, with or without a start. Numbers beside the result must stay.
void check_product(const DenseKernels& kernels, const Shape& shape, bool a_by_row, bool b_by_row,
                   bool has_start) {
  const auto [m, n, k] = shape;
  const Floats a = normals(m * k, 1);
  const Floats b = normals(k * n, 2);
  const Floats start = normals(n, 3);
  const FloatView a_view = a_by_row ? FloatView{a.data(), k, 1} : FloatView{a.data(), 1, m};
  const FloatView b_view = b_by_row ? FloatView{b.data(), n, 1} : FloatView{b.data(), 1, k};
  AlignedFloats packed(size(kernels.packed_size(k, n) + 1), 99.0F);
  kernels.pack(b_view, k, n, packed.data());
  EXPECT_EQ(packed.back(), 99.0F);
  const Index c_row = n + 3;
  Floats c(size(m * c_row), 77.0F);
  kernels.multiply(a_view, packed.data(), has_start ? start.data() : nullptr, c.data(), c_row, m, n, k);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j) {
      double sum = has_start ? static_cast<double>(start[size(j)]) : 0.0;
      double magnitude = std::abs(sum);
      for (Index p = 0; p < k; ++p) {
        const double term = static_cast<double>(a_view.data[i * a_view.row + p * a_view.column]) *
                            static_cast<double>(b_view.data[p * b_view.row + j * b_view.column]);
        sum += term;
        magnitude += std::abs(term);
      }
      // The bound for k + 1 roundings of products and sums in any order.
      ASSERT_NEAR(static_cast<double>(c[size(i * c_row + j)]), sum,
                  2.0 * static_cast<double>(k + 1) * half_ulp * magnitude)
          << i << ", " << j;
    }
    for (Index j = n; j < c_row; ++j) ASSERT_EQ(c[size(i * c_row + j)], 77.0F) << "row " << i;
  }
}

TEST_P(DenseKernelSets, ProductsAgreeWithDoublePrecision) {
  for (const Shape& shape : std::vector<Shape>{{1, 1, 1},
                                               {1, 4, 256},
                                               {7, 5, 3},
                                               {8, 48, 128},
                                               {9, 49, 129},
                                               {13, 47, 17},
                                               {3, 100, 2},
                                               {29, 33, 70},
                                               {16, 96, 300},
                                               {31, 65, 257},
                                               {4, 16, 0},
                                               {64, 24, 784}})
    for (const bool a_by_row : {true, false})
      for (const bool b_by_row : {true, false})
        for (const bool has_start : {true, false}) {
          SCOPED_TRACE(testing::Message() << shape.m << " x " << shape.n << " x " << shape.k);
          check_product(kernels(), shape, a_by_row, b_by_row, has_start);
        }
}

TEST_P(DenseKernelSets, ARowDoesNotDependOnItsNeighbours) {
  const Index m = 21;
  const Index n = 53;
  const Index k = 400;
  const Floats a = normals(m * k, 4);
  const Floats b = normals(k * n, 5);
  AlignedFloats packed(size(kernels().packed_size(k, n)));
  kernels().pack({b.data(), n, 1}, k, n, packed.data());
  Floats whole(size(m * n));
  kernels().multiply({a.data(), k, 1}, packed.data(), nullptr, whole.data(), n, m, n, k);
  for (Index i = 0; i < m; ++i) {
    Floats row(size(n));
    kernels().multiply({a.data() + i * k, k, 1}, packed.data(), nullptr, row.data(), n, 1, n, k);
    EXPECT_EQ(row, Floats(whole.begin() + i * n, whole.begin() + (i + 1) * n)) << i;
  }
}

TEST_P(DenseKernelSets, SumsRows) {
  const Index k = 77;
  const Index n = 21;
  const Floats b = normals(k * n, 6);
  AlignedFloats packed(size(kernels().packed_size(k, n)));
  kernels().pack({b.data(), n, 1}, k, n, packed.data());
  for (Index first = 0; first < n; first += kernels().panel) {
    const Index width = kernels().width(first, n);
    Floats sums(size(width));
    kernels().sum_rows(packed.data() + first * k, k, width, sums.data());
    for (Index j = 0; j < width; ++j) {
      double expected = 0.0;
      for (Index p = 0; p < k && first + j < n; ++p)
        expected += static_cast<double>(b[size(p * n + first + j)]);
      EXPECT_NEAR(static_cast<double>(sums[size(j)]), expected, 1e-4);
    }
  }
}

// From tiny to far beyond what a float's exponential holds, both signs.
Floats many_arguments() {
  Floats arguments = {0.0F, -0.0F, 1e-30F, -1e-30F, 3e38F, -3e38F};
  for (double x = 1e-9; x < 200.0; x *= 1.003)
    for (const double sign : {1.0, -1.0}) arguments.push_back(static_cast<float>(sign * x));
  return arguments;
}

// `smallest`: results below it, where e^-87 stands for all that is less, need only be as close as that.
template <typename Function>
void check_curve(const lacuna::DenseActivation& activation, const Function& function, double smallest) {
  const Floats arguments = many_arguments();
  Floats results = arguments;
  activation.apply(results.data(), static_cast<Index>(results.size()));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const double expected = function(static_cast<double>(arguments[i]));
    ASSERT_NEAR(static_cast<double>(results[i]), expected, smallest + 6.0 * half_ulp * std::abs(expected))
        << "at " << arguments[i];
    float alone = arguments[i];
    activation.apply(&alone, 1);
    ASSERT_EQ(alone, results[i]) << "a number's bits depend on its place";
  }
  Floats strange = {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                    -std::numeric_limits<float>::infinity()};
  activation.apply(strange.data(), 3);
  EXPECT_TRUE(std::isnan(strange[0]));
  EXPECT_EQ(strange[1], static_cast<float>(function(std::numeric_limits<double>::infinity())));
  EXPECT_NEAR(static_cast<double>(strange[2]), function(-std::numeric_limits<double>::infinity()), smallest);
}

TEST_P(DenseKernelSets, ActivationsAreWithinThreeUnitsOfTheLastPlace) {
  check_curve(
      kernels().relu, [](double x) { return x > 0.0 ? x : 0.0; }, 0.0);
  check_curve(
      kernels().tanh, [](double x) { return std::tanh(x); }, 0.0);
  check_curve(
      kernels().sigmoid, [](double x) { return 1.0 / (1.0 + std::exp(-x)); }, 2e-38);
}

TEST_P(DenseKernelSets, GradientsOfActivations) {
  const Index n = 37;
  Floats results = normals(n, 7);
  for (float& value : results) value = 0.5F + 0.1F * value;
  results[3] = 0.0F;
  const Floats gradients = normals(n, 8);
  const auto check = [&](const lacuna::DenseActivation& activation, auto derivative) {
    Floats pulled = gradients;
    activation.pull_back(results.data(), pulled.data(), n);
    for (std::size_t i = 0; i < pulled.size(); ++i)
      EXPECT_NEAR(static_cast<double>(pulled[i]),
                  static_cast<double>(gradients[i]) * derivative(static_cast<double>(results[i])), 1e-6);
  };
  check(kernels().relu, [](double y) { return y > 0.0 ? 1.0 : 0.0; });
  check(kernels().tanh, [](double y) { return 1.0 - y * y; });
  check(kernels().sigmoid, [](double y) { return y * (1.0 - y); });
}

TEST_P(DenseKernelSets, BernoulliLikelihoodAndItsGradient) {
  for (const Index n : {1, 5, 16, 33, 784, 2500}) {
    const Floats uniform = normals(n, 9);
    Floats x(size(n));
    Floats y = normals(n, 10);
    for (std::size_t j = 0; j < x.size(); ++j) {
      x[j] = std::abs(uniform[j]) < 1.0F ? std::abs(uniform[j]) : 0.0F;
      y[j] *= j % 7 == 0 ? 40.0F : 4.0F;
    }
    Floats gradient(size(n + 1), 55.0F);
    const float found = kernels().bernoulli(x.data(), y.data(), gradient.data(), n, 0.25F);
    double expected = 0.0;
    double magnitude = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const auto logit = static_cast<double>(y[j]);
      const auto truth = static_cast<double>(x[j]);
      const double softplus = std::max(logit, 0.0) + std::log1p(std::exp(-std::abs(logit)));
      expected += truth * logit - softplus;
      magnitude += std::abs(truth * logit) + softplus;
      EXPECT_NEAR(static_cast<double>(gradient[j]), 0.25 * (1.0 / (1.0 + std::exp(-logit)) - truth), 1e-7);
    }
    EXPECT_NEAR(static_cast<double>(found), expected, 1e-6 * magnitude) << n;
    EXPECT_EQ(gradient.back(), 55.0F);
  }
}

TEST_P(DenseKernelSets, AStepOfAdam) {
  const Index n = 101;
  const lacuna::AdamStep step{0.9F, 0.1F, 0.999F, 0.001F, 2e-3F, 1.7F, 1e-8F};
  Floats gradients = normals(n, 11);
  Floats first = normals(n, 12);
  Floats second = normals(n, 13);
  for (float& value : second) value *= value;
  // Nothing to do, next to nothing, and far too much.
  gradients[0] = first[0] = second[0] = 0.0F;
  gradients[1] = first[1] = 1e-25F;
  second[1] = 1e-42F;
  gradients[2] = first[2] = 1e15F;
  second[2] = 1e30F;
  const Floats old = normals(n, 14);
  Floats parameters = old;
  Floats mean = first;
  Floats square = second;
  kernels().adam(step, gradients.data(), parameters.data(), mean.data(), square.data(), n);
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto g = static_cast<double>(gradients[i]);
    const double m = 0.9 * static_cast<double>(first[i]) + 0.1 * g;
    const double v = 0.999 * static_cast<double>(second[i]) + 0.001 * g * g;
    EXPECT_NEAR(static_cast<double>(mean[i]), m, 1e-6 * std::abs(m) + 1e-7 * std::abs(g));
    EXPECT_NEAR(static_cast<double>(square[i]), v, 1e-6 * v + 1e-44);
    const double move = 2e-3 * m / (std::sqrt(v) * 1.7 + 1e-8);
    EXPECT_NEAR(static_cast<double>(parameters[i]), static_cast<double>(old[i]) - move,
                2e-7 * std::abs(static_cast<double>(old[i])) + 1e-6 * std::abs(move) + 1e-12)
        << i;
  }
  EXPECT_EQ(parameters[0], old[0]);
}

} // namespace
