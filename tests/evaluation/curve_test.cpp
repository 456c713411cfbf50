#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "lacuna/core/errors.hpp"
#include "lacuna/evaluation/reliability_curve.hpp"
#include "math/special.hpp"
#include "tests/evaluation/rows.hpp"

namespace {

using namespace lacuna;
using namespace lacuna::test;

constexpr std::uint64_t n_curves = 200;
constexpr double curve_rounding = 1e-13;

// P(X <= k) for X ~ Binomial(n, p), summed term by term.
double binomial_below(int n, int k, double p) {
  if (p == 0.0 || p == 1.0) return p == 0.0 || k == n ? 1.0 : 0.0;
  double sum = 0.0;
  for (int i = 0; i <= k; ++i)
    sum += std::exp(log_gamma(n + 1.0) - log_gamma(i + 1.0) - log_gamma(n - i + 1.0) + i * std::log(p) +
                    (n - i) * std::log1p(-p));
  return sum;
}

TEST(ClopperPearson, TailsAreExactlyHalfOfTheRest) {
  for (const int n : {1, 2, 7, 30, 200}) {
    for (int k = 0; k <= n; ++k) {
      const Interval interval = clopper_pearson(n, k, 0.95);
      if (k > 0) {
        EXPECT_NEAR(1.0 - binomial_below(n, k - 1, interval.low), 0.025, 1e-9);
      } else {
        EXPECT_EQ(interval.low, 0.0);
      }
      if (k < n) {
        EXPECT_NEAR(binomial_below(n, k, interval.high), 0.025, 1e-9);
      } else {
        EXPECT_EQ(interval.high, 1.0);
      }
      EXPECT_LE(interval.low, static_cast<double>(k) / n);
      EXPECT_GE(interval.high, static_cast<double>(k) / n);
    }
  }
}

// No simulation: all outcomes are gone through, with their probabilities.
TEST(ClopperPearson, CoversAtLeastAsOftenAsItSays) {
  for (const double level : {0.8, 0.95, 0.99}) {
    for (const int n : {1, 3, 10, 40}) {
      for (double p = 0.01; p < 1.0; p += 0.01) {
        double covered = 0.0;
        for (int k = 0; k <= n; ++k) {
          const Interval interval = clopper_pearson(n, k, level);
          const double probability = binomial_below(n, k, p) - (k > 0 ? binomial_below(n, k - 1, p) : 0.0);
          if (interval.low <= p && p <= interval.high) covered += probability;
        }
        EXPECT_GE(covered, level - 1e-12) << "n " << n << ", p " << p;
      }
    }
  }
}

TEST(ClopperPearson, WithoutRowsAnythingIsPossible) {
  EXPECT_EQ(clopper_pearson(0, 0, 0.95).low, 0.0);
  EXPECT_EQ(clopper_pearson(0, 0, 0.95).high, 1.0);
}

TEST(ReliabilityCurve, HasTheBinsOfEceByDefault) {
  const ScoredRows rows = rows_of({{0.10, false}, {0.12, true}, {0.30, false}, {0.32, false}, {0.60, false}});
  const ReliabilityCurve curve = reliability_curve(rows, BinKind::equal_width, 20);
  ASSERT_EQ(curve.bins.size(), 20U);
  EXPECT_EQ(curve.bins[2].n, 2);
  EXPECT_EQ(curve.bins[2].n_errors, 1);
  EXPECT_DOUBLE_EQ(curve.bins[2].mean_error_probability, 0.11);
  EXPECT_EQ(curve.bins[2].error_rate, 0.5);
  EXPECT_NEAR(curve.calibration_error, 0.4, curve_rounding); // the worked example of docs/metrics.md
  EXPECT_TRUE(std::isnan(curve.bins[0].error_rate));
  EXPECT_EQ(curve.bins[0].interval.high, 1.0);
  EXPECT_TRUE(curve.bins[2].contributions.empty());
}

TEST(ReliabilityCurve, BinsHoldEveryRowOnce) {
  for (std::uint64_t problem = 0; problem < n_curves; ++problem) {
    const ScoredRows rows = random_scored_rows(problem);
    for (const BinKind kind : {BinKind::equal_width, BinKind::equal_mass}) {
      for (const Index n_bins : {1, 7, 20, 1000}) {
        const ReliabilityCurve curve = reliability_curve(rows, kind, n_bins);
        EXPECT_LE(static_cast<Index>(curve.bins.size()), n_bins);
        Index n = 0;
        double above = -1.0;
        for (const CurveBin& bin : curve.bins) {
          n += bin.n;
          if (bin.n == 0) continue;
          EXPECT_GE(bin.mean_error_probability, bin.low - curve_rounding);
          EXPECT_LE(bin.mean_error_probability, bin.high + curve_rounding);
          EXPECT_GE(bin.low, above);
          above = bin.high;
          EXPECT_NEAR(std::accumulate(bin.contributions.begin(), bin.contributions.end(), 0.0),
                      bin.error_rate, curve_rounding);
        }
        EXPECT_EQ(n, rows.n_rows());
      }
    }
  }
}

TEST(ReliabilityCurve, MurphysTermsAddUpToTheBrierScore) {
  for (std::uint64_t problem = 0; problem < n_curves; ++problem) {
    const ScoredRows rows = random_scored_rows(problem);
    for (const BinKind kind : {BinKind::equal_width, BinKind::equal_mass}) {
      for (const Index n_bins : {1, 3, 20}) {
        const MurphyDecomposition murphy = reliability_curve(rows, kind, n_bins).murphy;
        EXPECT_NEAR(murphy.reliability - murphy.resolution + murphy.uncertainty + murphy.within_bins,
                    brier_error(rows), 1e-12);
        EXPECT_GE(murphy.reliability, 0.0);
        EXPECT_GE(murphy.resolution, 0.0);
        EXPECT_LE(murphy.resolution, murphy.uncertainty + curve_rounding);
      }
    }
  }
}

// Where a bin holds one error probability only, nothing is left within it.
TEST(ReliabilityCurve, NothingIsWithinBinsOfEqualRows) {
  const ScoredRows rows = rows_of({{0.25, false}, {0.25, true}, {0.75, true}, {0.75, true}});
  const MurphyDecomposition murphy = reliability_curve(rows, BinKind::equal_width, 2).murphy;
  EXPECT_EQ(murphy.within_bins, 0.0);
  EXPECT_DOUBLE_EQ(murphy.reliability, 0.0625);
  EXPECT_DOUBLE_EQ(murphy.resolution, 0.0625);
  EXPECT_DOUBLE_EQ(murphy.uncertainty, 0.1875);
}

TEST(ReliabilityCurve, EqualMassBinsHaveEquallyManyRowsWithoutTies) {
  std::vector<std::pair<double, bool>> outcomes;
  for (int i = 0; i < 103; ++i) outcomes.push_back({std::pow((i + 0.5) / 103.0, 3.0), i % 3 == 0});
  const ReliabilityCurve curve = reliability_curve(rows_of(outcomes), BinKind::equal_mass, 10);
  ASSERT_EQ(curve.bins.size(), 10U);
  for (const CurveBin& bin : curve.bins) {
    EXPECT_GE(bin.n, 10);
    EXPECT_LE(bin.n, 11);
  }
}

TEST(ReliabilityCurve, EqualMassBinsNeverPartTies) {
  const ScoredRows rows =
      rows_of({{0.1, true}, {0.2, false}, {0.2, true}, {0.2, false}, {0.2, false}, {0.9, true}});
  const ReliabilityCurve curve = reliability_curve(rows, BinKind::equal_mass, 6);
  ASSERT_EQ(curve.bins.size(), 3U);
  EXPECT_EQ(curve.bins[1].n, 4);
  EXPECT_EQ(curve.bins[1].low, 0.2);
  EXPECT_EQ(curve.bins[1].high, 0.2);
}

void expect_same_bits(const ReliabilityCurve& a, const ReliabilityCurve& b) {
  ASSERT_EQ(a.bins.size(), b.bins.size());
  EXPECT_EQ(a.calibration_error, b.calibration_error);
  EXPECT_EQ(a.murphy.within_bins, b.murphy.within_bins);
  for (std::size_t i = 0; i < a.bins.size(); ++i) {
    EXPECT_EQ(a.bins[i].n, b.bins[i].n);
    EXPECT_EQ(a.bins[i].n_errors, b.bins[i].n_errors);
    if (a.bins[i].n == 0) continue;
    EXPECT_EQ(a.bins[i].mean_error_probability, b.bins[i].mean_error_probability);
    EXPECT_EQ(a.bins[i].contributions, b.bins[i].contributions);
  }
}

TEST(ReliabilityCurve, TheOrderOfRowsChangesNoBit) {
  for (std::uint64_t problem = 0; problem < n_curves; ++problem) {
    const ScoredRows rows = random_scored_rows(problem);
    for (const BinKind kind : {BinKind::equal_width, BinKind::equal_mass})
      expect_same_bits(reliability_curve(rows, kind, 20),
                       reliability_curve(shuffled(rows, problem), kind, 20));
  }
}

TEST(ReliabilityCurve, EveryRowTwiceIsTheSameCurve) {
  for (std::uint64_t problem = 0; problem < n_curves; ++problem) {
    const ScoredRows rows = random_scored_rows(problem);
    for (const BinKind kind : {BinKind::equal_width, BinKind::equal_mass}) {
      const ReliabilityCurve once = reliability_curve(rows, kind, 11);
      const ReliabilityCurve both = reliability_curve(twice(rows), kind, 11);
      ASSERT_EQ(once.bins.size(), both.bins.size());
      EXPECT_NEAR(once.calibration_error, both.calibration_error, curve_rounding);
      EXPECT_NEAR(once.murphy.reliability, both.murphy.reliability, curve_rounding);
      EXPECT_NEAR(once.murphy.within_bins, both.murphy.within_bins, curve_rounding);
      for (std::size_t b = 0; b < once.bins.size(); ++b) EXPECT_EQ(2 * once.bins[b].n, both.bins[b].n);
    }
  }
}

TEST(ReliabilityCurve, WithoutRowsNothingIsKnown) {
  const ReliabilityCurve wide = reliability_curve({}, BinKind::equal_width, 5);
  EXPECT_EQ(wide.bins.size(), 5U);
  EXPECT_TRUE(std::isnan(wide.calibration_error));
  EXPECT_TRUE(std::isnan(wide.murphy.uncertainty));
  EXPECT_TRUE(reliability_curve({}, BinKind::equal_mass, 5).bins.empty());
}

TEST(ReliabilityCurve, RefusesBadNumbers) {
  const ScoredRows rows = random_scored_rows(0);
  EXPECT_THROW(reliability_curve(rows, BinKind::equal_width, 0), Error);
  EXPECT_THROW(reliability_curve(rows, BinKind::equal_width, 1001), Error);
  EXPECT_THROW(reliability_curve(rows_of({{std::nan(""), true}}), BinKind::equal_width, 2), Error);
  EXPECT_THROW(reliability_curve(rows_of({{1.5, true}}), BinKind::equal_mass, 2), Error);
  ScoredRows uneven = rows;
  uneven.prediction.pop_back();
  EXPECT_THROW(reliability_curve(uneven, BinKind::equal_mass, 2), Error);
  EXPECT_FALSE(find_choice<BinKind>("equal"));
}

// Rows whose error probability is right: each of the twenty intervals misses with probability at most 0.05,
// and they are independent given the claims. More than 9 misses of 20 come with probability below 1.3e-8
// (binomial tail), so 100 data sets raise a false alarm with probability below 1.3e-6; the mean share of
// misses over the 2000 bins exceeds 0.08 with probability below 1e-8 (binomial tail again).
TEST(ReliabilityCurve, IntervalsOfHonestRowsCoverAtTheirLevel) {
  int n_bins = 0;
  int n_misses = 0;
  for (std::uint64_t problem = 0; problem < 100; ++problem) {
    RandomStream random(23, RandomPurpose::simulation, problem);
    std::vector<std::pair<double, bool>> outcomes;
    for (int i = 0; i < 2000; ++i) {
      // One error probability per bin: the interval is for one binomial probability.
      const double q = (random_below(random, 20) + 0.5) / 20.0;
      outcomes.push_back({q, random.uniform() < q});
    }
    int misses = 0;
    for (const CurveBin& bin : reliability_curve(rows_of(outcomes), BinKind::equal_width, 20).bins) {
      ++n_bins;
      const double truth = bin.mean_error_probability;
      misses += truth < bin.interval.low || truth > bin.interval.high ? 1 : 0;
    }
    EXPECT_LE(misses, 9);
    n_misses += misses;
  }
  EXPECT_LE(n_misses, 0.08 * n_bins);
  EXPECT_GE(n_misses, 1) << "intervals that never miss say nothing";
}

} // namespace
