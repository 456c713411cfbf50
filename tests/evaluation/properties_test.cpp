#include <algorithm>
#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "lacuna/core/random.hpp"
#include "lacuna/evaluation/reliability.hpp"

namespace {

using lacuna::Metrics;
using lacuna::n_reliability_bins;
using lacuna::RandomPurpose;
using lacuna::RandomStream;
using lacuna::ReliabilityAccumulator;

struct ScoredRow {
  int label;
  int prediction;
  double error_probability;
  std::vector<double> probabilities;
};

Metrics metrics_of(const std::vector<ScoredRow>& rows) {
  ReliabilityAccumulator accumulator;
  for (const ScoredRow& row : rows)
    accumulator.add(row.label, row.prediction, row.error_probability, row.probabilities);
  return accumulator.metrics();
}

int random_below(RandomStream& random, int n) {
  return static_cast<int>(random.uniform() * n);
}

std::vector<ScoredRow> random_rows(std::uint64_t problem) {
  RandomStream random(11, RandomPurpose::simulation, problem);
  const int n_classes = 2 + random_below(random, 5);
  std::vector<ScoredRow> rows(static_cast<std::size_t>(1 + random_below(random, 400)));
  for (ScoredRow& row : rows) {
    double sum = 0.0;
    for (int k = 0; k < n_classes; ++k) sum += row.probabilities.emplace_back(random.gamma(0.5));
    for (double& p : row.probabilities) p /= sum;
    const auto best = std::max_element(row.probabilities.begin(), row.probabilities.end());
    row.prediction = static_cast<int>(best - row.probabilities.begin());
    row.error_probability = 1.0 - *best;
    row.label = random_below(random, n_classes);
  }
  return rows;
}

// The definitions of docs/metrics.md, word by word, in long double.
struct Definition {
  long double error_rate = 0, mean_error_probability = 0, over = 0, under = 0, brier_error = 0, brier = 0,
              nll = 0;
  explicit Definition(const std::vector<ScoredRow>& rows) {
    const auto n = static_cast<long double>(rows.size());
    for (const ScoredRow& row : rows) {
      const long double e = row.prediction == row.label ? 0 : 1;
      const long double q = row.error_probability;
      error_rate += e / n;
      mean_error_probability += q / n;
      brier_error += (e - q) * (e - q) / n;
      nll -= std::log(static_cast<long double>(row.probabilities[static_cast<std::size_t>(row.label)])) / n;
      for (std::size_t k = 0; k < row.probabilities.size(); ++k) {
        const long double y = static_cast<int>(k) == row.label ? 1 : 0;
        brier += (row.probabilities[k] - y) * (row.probabilities[k] - y) / n;
      }
    }
    for (int b = 0; b < 20; ++b) add_bin(rows, b / 20.0, (b + 1) / 20.0, b == 19);
  }

private:
  void add_bin(const std::vector<ScoredRow>& rows, double low, double high, bool is_last) {
    long double n_b = 0;
    long double errors = 0;
    long double q = 0;
    for (const ScoredRow& row : rows) {
      if (row.error_probability < low || (row.error_probability >= high && !is_last)) continue;
      n_b += 1;
      errors += row.prediction == row.label ? 0 : 1;
      q += row.error_probability;
    }
    if (n_b == 0) return;
    const long double weight = n_b / static_cast<long double>(rows.size());
    over += weight * std::max<long double>(0, errors / n_b - q / n_b);
    under += weight * std::max<long double>(0, q / n_b - errors / n_b);
  }
};

constexpr std::uint64_t n_tables = 200;
constexpr double rounding = 1e-13;

TEST(ReliabilityProperties, EqualTheirDefinitions) {
  for (std::uint64_t problem = 0; problem < n_tables; ++problem) {
    const auto rows = random_rows(problem);
    const Metrics metrics = metrics_of(rows);
    const Definition expected(rows);
    EXPECT_NEAR(metrics.error_rate, static_cast<double>(expected.error_rate), rounding);
    EXPECT_NEAR(metrics.mean_error_probability, static_cast<double>(expected.mean_error_probability),
                rounding);
    EXPECT_NEAR(metrics.overconfidence, static_cast<double>(expected.over), rounding);
    EXPECT_NEAR(metrics.underconfidence, static_cast<double>(expected.under), rounding);
    EXPECT_NEAR(metrics.ece, static_cast<double>(expected.over + expected.under), rounding);
    EXPECT_NEAR(metrics.brier_error, static_cast<double>(expected.brier_error), rounding);
    EXPECT_NEAR(metrics.brier, static_cast<double>(expected.brier), rounding);
    EXPECT_NEAR(metrics.nll, static_cast<double>(expected.nll), 1e-12);
  }
}

TEST(ReliabilityProperties, AddUpAndStayInRange) {
  for (std::uint64_t problem = 0; problem < n_tables; ++problem) {
    const auto rows = random_rows(problem);
    const Metrics metrics = metrics_of(rows);
    EXPECT_EQ(metrics.overconfidence + metrics.underconfidence, metrics.ece);
    EXPECT_GE(metrics.overconfidence, 0.0);
    EXPECT_GE(metrics.underconfidence, 0.0);
    EXPECT_LE(metrics.ece, 1.0 + rounding);
    EXPECT_NEAR(metrics.overconfidence - metrics.underconfidence,
                metrics.error_rate - metrics.mean_error_probability, rounding);
    // The mean gap can only shrink when rows of different bins are thrown together.
    EXPECT_GE(metrics.ece, std::abs(metrics.error_rate - metrics.mean_error_probability) - rounding);
    EXPECT_GE(metrics.brier_error, metrics.ece * metrics.ece - rounding); // Jensen
    EXPECT_LE(metrics.brier, 2.0);

    lacuna::Index n = 0;
    double errors = 0.0;
    double q = 0.0;
    for (const auto& bin : metrics.bins) {
      n += bin.n;
      if (bin.n == 0) continue;
      errors += static_cast<double>(bin.n) * bin.error_rate;
      q += static_cast<double>(bin.n) * bin.mean_error_probability;
      EXPECT_GE(bin.mean_error_probability, bin.low - rounding);
      EXPECT_LE(bin.mean_error_probability, bin.high + rounding);
    }
    EXPECT_EQ(n, metrics.n);
    EXPECT_EQ(n, static_cast<lacuna::Index>(rows.size()));
    EXPECT_NEAR(errors / static_cast<double>(n), metrics.error_rate, rounding);
    EXPECT_NEAR(q / static_cast<double>(n), metrics.mean_error_probability, rounding);
  }
}

void expect_same(const Metrics& a, const Metrics& b, double tolerance) {
  EXPECT_NEAR(a.error_rate, b.error_rate, tolerance);
  EXPECT_NEAR(a.mean_error_probability, b.mean_error_probability, tolerance);
  EXPECT_NEAR(a.ece, b.ece, tolerance);
  EXPECT_NEAR(a.overconfidence, b.overconfidence, tolerance);
  EXPECT_NEAR(a.brier_error, b.brier_error, tolerance);
  EXPECT_NEAR(a.brier, b.brier, tolerance);
  EXPECT_NEAR(a.nll, b.nll, 10 * tolerance);
}

TEST(ReliabilityProperties, DoNotDependOnTheOrderOfRows) {
  for (std::uint64_t problem = 0; problem < n_tables; ++problem) {
    auto rows = random_rows(problem);
    const Metrics before = metrics_of(rows);
    RandomStream random(12, RandomPurpose::simulation, problem);
    for (std::size_t i = rows.size(); i > 1; --i)
      std::swap(rows[i - 1], rows[static_cast<std::size_t>(random_below(random, static_cast<int>(i)))]);
    expect_same(metrics_of(rows), before, rounding);
  }
}

TEST(ReliabilityProperties, DoNotChangeWhenEveryRowStandsTwice) {
  for (std::uint64_t problem = 0; problem < n_tables; ++problem) {
    auto rows = random_rows(problem);
    const Metrics before = metrics_of(rows);
    const auto copy = rows;
    rows.insert(rows.end(), copy.begin(), copy.end());
    expect_same(metrics_of(rows), before, rounding);
    EXPECT_EQ(metrics_of(rows).n, 2 * before.n);
  }
}

// Rows whose error probability is exactly right, or, with `honesty` below one, too small by that factor.
Metrics simulate(int n, double honesty) {
  RandomStream random(13, RandomPurpose::simulation);
  ReliabilityAccumulator rows;
  for (int i = 0; i < n; ++i) {
    const double truth = random.uniform();
    const bool error = random.uniform() < truth;
    const double claimed = honesty * truth;
    const double p[] = {1.0 - claimed, claimed};
    rows.add(error ? 1 : 0, 0, claimed, p);
  }
  return rows.metrics();
}

// Hoeffding for each bin, all twenty together: given the claims, the ece of honest rows stays below this
// except for one seed in 10^9.
double ece_limit(const Metrics& metrics) {
  constexpr double false_alarm = 1e-9;
  double limit = 0.0;
  for (const auto& bin : metrics.bins)
    limit += std::sqrt(static_cast<double>(bin.n) * std::log(2.0 * n_reliability_bins / false_alarm) / 2.0);
  return limit / static_cast<double>(metrics.n);
}

TEST(ReliabilityProperties, HonestRowsLookHonest) {
  constexpr int n = 200'000;
  const Metrics metrics = simulate(n, 1.0);
  EXPECT_LT(metrics.ece, ece_limit(metrics));
  EXPECT_LT(ece_limit(metrics), 0.04); // the bound says something
  // Means of rows with known mean and variance: six standard errors, two seeds in 10^9.
  const auto expect_mean = [](double found, double mean, double variance) {
    EXPECT_NEAR(found, mean, 6.0 * std::sqrt(variance / n));
  };
  expect_mean(metrics.error_rate, 0.5, 0.25);
  expect_mean(metrics.mean_error_probability, 0.5, 1.0 / 12.0);
  expect_mean(metrics.brier_error, 1.0 / 6.0, 1.0 / 15.0 - 1.0 / 36.0);
  expect_mean(metrics.nll, 0.5, 0.25);
  EXPECT_NEAR(metrics.brier, 2.0 * metrics.brier_error, rounding);
}

TEST(ReliabilityProperties, OverconfidentRowsAreFoundOut) {
  const Metrics metrics = simulate(200'000, 0.5);
  // The claim is half the truth, whose mean is 1/2.
  EXPECT_NEAR(metrics.overconfidence, 0.25, ece_limit(metrics));
  EXPECT_LT(metrics.underconfidence, ece_limit(metrics));
}

} // namespace
