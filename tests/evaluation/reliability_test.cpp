#include "lacuna/evaluation/reliability.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/expect_error.hpp"

namespace {

using lacuna::Metrics;
using lacuna::n_reliability_bins;
using lacuna::ReliabilityAccumulator;

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

// Two classes, prediction 0: the least that makes a row with the given error and error probability.
void add(ReliabilityAccumulator& rows, bool error, double error_probability) {
  const double p[] = {1.0 - error_probability, error_probability};
  rows.add(error ? 1 : 0, 0, error_probability, p);
}

int bin_with_a_row(double error_probability) {
  ReliabilityAccumulator rows;
  add(rows, false, error_probability);
  const Metrics metrics = rows.metrics();
  int found = -1;
  for (int b = 0; b < n_reliability_bins; ++b)
    if (metrics.bins[static_cast<std::size_t>(b)].n == 1) found = b;
  return found;
}

// The worked example of docs/metrics.md, computed by hand.
TEST(Reliability, WorkedExample) {
  ReliabilityAccumulator rows;
  rows.add(0, 0, 0.10, std::vector<double>{0.90, 0.06, 0.04});
  rows.add(1, 0, 0.12, std::vector<double>{0.88, 0.10, 0.02});
  rows.add(1, 1, 0.30, std::vector<double>{0.20, 0.70, 0.10});
  rows.add(2, 2, 0.32, std::vector<double>{0.10, 0.22, 0.68});
  rows.add(1, 1, 0.60, std::vector<double>{0.35, 0.40, 0.25});
  const Metrics metrics = rows.metrics();
  constexpr double tiny = 1e-15;
  EXPECT_EQ(metrics.n, 5);
  EXPECT_NEAR(metrics.error_rate, 0.2, tiny);
  EXPECT_NEAR(metrics.mean_error_probability, 0.288, tiny);
  EXPECT_NEAR(metrics.overconfidence, 0.156, tiny);
  EXPECT_NEAR(metrics.underconfidence, 0.244, tiny);
  EXPECT_NEAR(metrics.ece, 0.4, tiny);
  EXPECT_NEAR(metrics.brier_error, 0.26736, tiny);
  EXPECT_NEAR(metrics.brier, 0.48916, tiny);
  EXPECT_NEAR(metrics.nll, -std::log(0.90 * 0.10 * 0.70 * 0.68 * 0.40) / 5.0, tiny);
  EXPECT_EQ(metrics.bins[2].n, 2);
  EXPECT_NEAR(metrics.bins[2].mean_error_probability, 0.11, tiny);
  EXPECT_NEAR(metrics.bins[2].error_rate, 0.5, tiny);
  EXPECT_EQ(metrics.bins[6].n, 2);
  EXPECT_NEAR(metrics.bins[6].mean_error_probability, 0.31, tiny);
  EXPECT_EQ(metrics.bins[6].error_rate, 0.0);
  EXPECT_EQ(metrics.bins[12].n, 1);
}

TEST(Reliability, BinsAreTwentyEqualPartsOfTheUnitInterval) {
  const Metrics metrics = ReliabilityAccumulator().metrics();
  for (int b = 0; b < n_reliability_bins; ++b) {
    EXPECT_EQ(metrics.bins[static_cast<std::size_t>(b)].low, b / 20.0);
    EXPECT_EQ(metrics.bins[static_cast<std::size_t>(b)].high, (b + 1) / 20.0);
  }
}

// The lower edge belongs to the bin, the upper one to the next; a rounding error makes no difference.
TEST(Reliability, EdgesBelongToTheUpperBin) {
  for (int b = 0; b < n_reliability_bins; ++b) {
    const double edge = b / 20.0;
    EXPECT_EQ(bin_with_a_row(edge), b);
    EXPECT_EQ(bin_with_a_row(std::nextafter(edge, 2.0)), b);
    if (b > 0) {
      EXPECT_EQ(bin_with_a_row(std::nextafter(edge, -1.0)), b);
      EXPECT_EQ(bin_with_a_row(edge - 1e-13), b);
      EXPECT_EQ(bin_with_a_row(edge - 2e-12), b - 1);
    }
  }
  EXPECT_EQ(bin_with_a_row(std::nextafter(1.0, 0.0)), 19);
  EXPECT_EQ(bin_with_a_row(1.0), 19);
  EXPECT_EQ(bin_with_a_row(std::numeric_limits<double>::denorm_min()), 0);
  EXPECT_EQ(bin_with_a_row(-0.0), 0);
}

TEST(Reliability, WithoutRowsNothingIsKnown) {
  const Metrics metrics = ReliabilityAccumulator().metrics();
  EXPECT_EQ(metrics.n, 0);
  for (const double value :
       {metrics.error_rate, metrics.mean_error_probability, metrics.ece, metrics.overconfidence,
        metrics.underconfidence, metrics.brier_error, metrics.brier, metrics.nll})
    EXPECT_TRUE(std::isnan(value));
  for (const auto& bin : metrics.bins) {
    EXPECT_EQ(bin.n, 0);
    EXPECT_TRUE(std::isnan(bin.mean_error_probability));
    EXPECT_TRUE(std::isnan(bin.error_rate));
  }
}

TEST(Reliability, CertainAndRightIsPerfect) {
  ReliabilityAccumulator rows;
  for (int i = 0; i < 3; ++i) add(rows, false, 0.0);
  const Metrics metrics = rows.metrics();
  for (const double value : {metrics.error_rate, metrics.mean_error_probability, metrics.ece,
                             metrics.brier_error, metrics.brier, metrics.nll})
    EXPECT_EQ(value, 0.0);
  EXPECT_TRUE(std::isnan(metrics.bins[1].error_rate));
}

TEST(Reliability, CertainAndWrongIsAsBadAsCanBe) {
  ReliabilityAccumulator rows;
  add(rows, true, 0.0);
  add(rows, true, 0.0);
  const Metrics metrics = rows.metrics();
  EXPECT_EQ(metrics.error_rate, 1.0);
  EXPECT_EQ(metrics.overconfidence, 1.0);
  EXPECT_EQ(metrics.underconfidence, 0.0);
  EXPECT_EQ(metrics.ece, 1.0);
  EXPECT_EQ(metrics.brier_error, 1.0);
  EXPECT_EQ(metrics.brier, 2.0);
  EXPECT_EQ(metrics.nll, infinity);
}

TEST(Reliability, OneImpossibleRowMakesTheLikelihoodInfinite) {
  ReliabilityAccumulator rows;
  add(rows, true, 0.0);
  for (int i = 0; i < 100; ++i) add(rows, false, 0.1);
  EXPECT_EQ(rows.metrics().nll, infinity);
  EXPECT_TRUE(std::isfinite(rows.metrics().brier));
}

TEST(Reliability, GapsWithinABinCancelAndAcrossBinsDoNot) {
  ReliabilityAccumulator same_bin;
  add(same_bin, true, 0.5);
  add(same_bin, false, 0.5);
  EXPECT_EQ(same_bin.metrics().ece, 0.0);
  ReliabilityAccumulator two_bins;
  add(two_bins, true, 0.25);
  add(two_bins, false, 0.75);
  EXPECT_EQ(two_bins.metrics().ece, 0.75);
  EXPECT_EQ(two_bins.metrics().overconfidence, 0.375);
}

struct BadRow {
  int label;
  int prediction;
  double error_probability;
  std::vector<double> probabilities;
  const char* text;
};

TEST(Reliability, RefusesBadRowsAndStaysAsItWas) {
  const BadRow bad_rows[] = {
      {-1, 0, 0.1, {0.9, 0.1}, "true class is -1"},
      {2, 0, 0.1, {0.9, 0.1}, "true class is 2"},
      {0, -1, 0.1, {0.9, 0.1}, "predicted class is -1"},
      {0, 2, 0.1, {0.9, 0.1}, "predicted class is 2"},
      {0, 0, 0.1, {}, "true class is 0"},
      {0, 0, -0.1, {0.9, 0.1}, "error probability is -0.1"},
      {0, 0, 1.1, {0.9, 0.1}, "error probability is 1.1"},
      {0, 0, nan, {0.9, 0.1}, "error probability is nan"},
      {0, 0, infinity, {0.9, 0.1}, "error probability is inf"},
      {0, 0, 0.1, {1.5, 0.1}, "class 0 is 1.5"},
      {0, 0, 0.1, {0.9, -1e-9}, "class 1 is -1e-09"},
      {0, 0, 0.1, {0.9, nan}, "class 1 is nan"},
      {0, 0, 0.1, {0.9, infinity}, "class 1 is inf"},
  };
  ReliabilityAccumulator rows;
  add(rows, false, 0.1);
  add(rows, true, 0.7);
  for (const BadRow& bad : bad_rows) {
    SCOPED_TRACE(bad.text);
    lacuna::test::expect_error(lacuna::ErrorKind::data, {bad.text, "row 3"}, [&] {
      rows.add(bad.label, bad.prediction, bad.error_probability, bad.probabilities);
    });
  }
  EXPECT_EQ(rows.metrics().n, 2);
  EXPECT_EQ(rows.metrics().error_rate, 0.5);
  EXPECT_DOUBLE_EQ(rows.metrics().mean_error_probability, 0.4);
}

} // namespace
