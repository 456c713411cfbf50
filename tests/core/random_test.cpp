#include "lacuna/core/random.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

namespace {

using lacuna::derive_seed;
using lacuna::philox;
using lacuna::RandomPurpose;
using lacuna::RandomStream;
using Counter = std::array<std::uint32_t, 4>;

// Every statistical test below would fail for one seed in 10^9 if the generator were perfect.
constexpr double false_alarm = 1e-9;
constexpr double z_limit = 6.11; // two-sided normal quantile of the above
constexpr int n_draws = 400'000;

std::vector<double> draws(std::uint64_t seed, const std::function<double(RandomStream&)>& draw) {
  RandomStream stream(seed, RandomPurpose::simulation);
  std::vector<double> values(n_draws);
  for (double& value : values) value = draw(stream);
  return values;
}

// Dvoretzky, Kiefer, Wolfowitz and Massart: P(sup |F_n - F| > d) <= 2 exp(-2 n d^2), for every n.
void expect_distribution(std::vector<double> values, const std::function<double(double)>& cdf) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double p = cdf(values[i]);
    distance = std::max({distance, p - static_cast<double>(i) / n, static_cast<double>(i + 1) / n - p});
  }
  EXPECT_LT(distance, std::sqrt(std::log(2.0 / false_alarm) / (2.0 * n)));
}

// Mean and variance against their true values, by the central limit theorem; `fourth` is the true fourth
// central moment.
void expect_moments(const std::vector<double>& values, double mean, double variance, double fourth) {
  const auto n = static_cast<double>(values.size());
  double sum = 0.0;
  double squares = 0.0;
  for (const double value : values) {
    sum += value - mean;
    squares += (value - mean) * (value - mean);
  }
  EXPECT_LT(std::abs(sum / n), z_limit * std::sqrt(variance / n));
  EXPECT_LT(std::abs(squares / n - variance), z_limit * std::sqrt((fourth - variance * variance) / n));
}

// The vectors published with Random123.
TEST(Philox, GivesThePublishedAnswers) {
  EXPECT_EQ(philox({0, 0, 0, 0}, {0, 0}), (Counter{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  EXPECT_EQ(philox({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}),
            (Counter{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}),
            (Counter{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

// How seed, purpose, index and position enter is part of every result: it must never change.
TEST(RandomStream, IsPhiloxOfIndexPurposeAndPositionUnderTheSeed) {
  constexpr std::uint64_t seed = 0x0123456789abcdefU;
  constexpr std::uint64_t index = 0xfedcba9876543210U;
  RandomStream stream(seed, RandomPurpose::label_draw, index);
  for (std::uint32_t position = 0; position < 3; ++position) {
    const Counter block = philox({0x76543210, 0xfedcba98, 3, position}, {0x89abcdef, 0x01234567});
    EXPECT_EQ(stream.next(), (std::uint64_t{block[1]} << 32U) | block[0]);
    EXPECT_EQ(stream.next(), (std::uint64_t{block[3]} << 32U) | block[2]);
  }
}

TEST(RandomStream, DoesNotDependOnTheOrderOfWork) {
  constexpr std::uint64_t n_rows = 50;
  const auto row_draws = [](std::uint64_t row) {
    RandomStream stream(7, RandomPurpose::label_draw, row);
    return std::vector<double>{stream.uniform(), stream.normal(), stream.gamma(0.7)};
  };
  std::vector<std::vector<double>> forwards(n_rows);
  std::vector<std::vector<double>> backwards(n_rows);
  for (std::uint64_t row = 0; row < n_rows; ++row) forwards[row] = row_draws(row);
  for (std::uint64_t row = n_rows; row-- > 0;) backwards[row] = row_draws(row);
  EXPECT_EQ(forwards, backwards);

  RandomStream a(7, RandomPurpose::label_draw, 1);
  RandomStream b(7, RandomPurpose::label_draw, 2);
  for (std::uint64_t i = 0; i < 10; ++i) { // interleaved with another stream
    RandomStream fresh(7, RandomPurpose::label_draw, 1);
    for (std::uint64_t skip = 0; skip < i; ++skip) fresh.next();
    EXPECT_EQ(a.next(), fresh.next());
    b.next();
  }
}

TEST(RandomStream, EverySeedPurposeAndIndexHasItsOwnNumbers) {
  std::set<std::uint64_t> seen;
  int n_streams = 0;
  for (const std::uint64_t seed : {0ULL, 1ULL, 1ULL << 32U, ~0ULL})
    for (std::uint32_t purpose = 1; purpose <= 10; ++purpose)
      for (const std::uint64_t index : {0ULL, 1ULL, 2ULL, 1ULL << 32U, ~0ULL}) {
        seen.insert(RandomStream(seed, static_cast<RandomPurpose>(purpose), index).next());
        ++n_streams;
      }
  EXPECT_EQ(static_cast<int>(seen.size()), n_streams); // a chance meeting: 10^-15
}

TEST(RandomStream, NeighbouringStreamsAreUncorrelated) {
  double sum = 0.0;
  for (std::uint64_t i = 0; i < n_draws; ++i) {
    const double here = RandomStream(3, RandomPurpose::label_draw, i).uniform() - 0.5;
    const double next = RandomStream(3, RandomPurpose::label_draw, i + 1).uniform() - 0.5;
    const double other_seed = RandomStream(4, RandomPurpose::label_draw, i).uniform() - 0.5;
    const double other_purpose = RandomStream(3, RandomPurpose::fold, i).uniform() - 0.5;
    sum += here * (next + other_seed + other_purpose);
  }
  // The terms have variance 3/144 and are uncorrelated.
  EXPECT_LT(std::abs(sum), z_limit * std::sqrt(n_draws * 3.0 / 144.0));
}

TEST(RandomStream, UniformIsUniformAndNeverZeroOrOne) {
  const auto values = draws(1, [](RandomStream& stream) { return stream.uniform(); });
  EXPECT_GT(*std::min_element(values.begin(), values.end()), 0.0);
  EXPECT_LT(*std::max_element(values.begin(), values.end()), 1.0);
  expect_distribution(values, [](double x) { return x; });
  expect_moments(values, 0.5, 1.0 / 12.0, 1.0 / 80.0);
}

TEST(RandomStream, NormalIsNormal) {
  const auto values = draws(2, [](RandomStream& stream) { return stream.normal(); });
  expect_distribution(values, [](double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); });
  expect_moments(values, 0.0, 1.0, 3.0);
}

// Shapes whose distribution function has a closed form.
double gamma_cdf(double shape, double x) {
  if (shape == 0.5) return std::erf(std::sqrt(x));
  if (shape == 1.5) return std::erf(std::sqrt(x)) - 2.0 * std::sqrt(x / std::acos(-1.0)) * std::exp(-x);
  double term = std::exp(-x); // whole shapes: a Poisson sum
  double below = 0.0;
  for (int k = 0; k < static_cast<int>(shape); ++k) {
    below += term;
    term *= x / (k + 1);
  }
  return 1.0 - below;
}

TEST(RandomStream, GammaHasItsDistribution) {
  for (const double shape : {0.5, 1.0, 1.5, 2.0, 30.0}) {
    SCOPED_TRACE(shape);
    const auto values = draws(3, [shape](RandomStream& stream) { return stream.gamma(shape); });
    expect_distribution(values, [shape](double x) { return gamma_cdf(shape, x); });
  }
}

TEST(RandomStream, GammaHasItsMoments) {
  for (const double shape : {0.3, 0.5, 1.0, 1.5, 30.0, 1e4}) {
    SCOPED_TRACE(shape);
    const auto values = draws(4, [shape](RandomStream& stream) { return stream.gamma(shape); });
    EXPECT_GE(*std::min_element(values.begin(), values.end()), 0.0);
    expect_moments(values, shape, shape, 3.0 * shape * shape + 6.0 * shape);
  }
}

TEST(DeriveSeed, IsRepeatableAndItsOwnForEveryPart) {
  EXPECT_EQ(derive_seed(5, RandomPurpose::restart, 2), derive_seed(5, RandomPurpose::restart, 2));
  std::set<std::uint64_t> seeds;
  for (std::uint64_t index = 0; index < 1000; ++index)
    for (const RandomPurpose purpose : {RandomPurpose::restart, RandomPurpose::draw})
      seeds.insert(derive_seed(5, purpose, index));
  EXPECT_EQ(seeds.size(), 2000U);
  // The first number of the stream with the same key: Philox of counter {2, 0, 4, 0} under key {9, 0}.
  const Counter block = philox({2, 0, 4, 0}, {9, 0});
  EXPECT_EQ(derive_seed(9, RandomPurpose::draw, 2), (std::uint64_t{block[1]} << 32U) | block[0]);
}

// 52 bits, in the middle of their steps.
TEST(RandomStream, UniformsAreStrictlyInsideTheirRange) {
  RandomStream bits(5, RandomPurpose::simulation);
  RandomStream uniforms(5, RandomPurpose::simulation);
  for (int i = 0; i < 1000; ++i) {
    const double low = static_cast<double>(bits.next() >> 12U) / 0x1.0p52;
    const double u = uniforms.uniform();
    EXPECT_LT(low, u);
    EXPECT_LT(u, low + 0x1.0p-52);
  }
}

} // namespace
