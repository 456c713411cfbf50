#include <algorithm>
#include <cmath>

#include <gtest/gtest.h>

#include "lacuna/core/errors.hpp"
#include "lacuna/evaluation/diagnostics.hpp"
#include "tests/evaluation/rows.hpp"

namespace {

using namespace lacuna;
using namespace lacuna::test;

RiskCoverage of(const ScoredRows& rows) {
  return risk_coverage(error_groups(rows));
}

// The area as everybody defines it, for rows in one order: the mean of the error rates of the first i rows.
double plain_aurc(const std::vector<int>& errors) {
  double area = 0.0;
  int sum = 0;
  for (std::size_t i = 0; i < errors.size(); ++i) {
    sum += errors[i];
    area += static_cast<double>(sum) / static_cast<double>(i + 1);
  }
  return area / static_cast<double>(errors.size());
}

TEST(RiskCoverage, WorkedExample) {
  const RiskCoverage found =
      of(rows_of({{0.1, false}, {0.2, false}, {0.3, true}, {0.4, false}, {0.5, true}}));
  ASSERT_EQ(found.curve.size(), 5U);
  EXPECT_DOUBLE_EQ(found.aurc, (0.0 + 0.0 + 1.0 / 3 + 1.0 / 4 + 2.0 / 5) / 5);
  EXPECT_DOUBLE_EQ(found.augrc, (0.0 + 0.0 + 0.5 + 1.0 + 1.5) / 25);
  EXPECT_DOUBLE_EQ(found.coverage_at_5_percent_risk, 0.4);
  EXPECT_DOUBLE_EQ(found.risk_at_80_percent_coverage, 0.25);
  EXPECT_DOUBLE_EQ(found.curve[2].coverage, 0.6);
  EXPECT_DOUBLE_EQ(found.curve[2].risk, 1.0 / 3);
  EXPECT_EQ(found.curve[2].error_probability, 0.3);
}

TEST(RiskCoverage, NoErrorsAndErrorsOnly) {
  const RiskCoverage right = of(rows_of({{0.1, false}, {0.2, false}}));
  EXPECT_EQ(right.aurc, 0.0);
  EXPECT_EQ(right.augrc, 0.0);
  EXPECT_EQ(right.coverage_at_5_percent_risk, 1.0);
  const RiskCoverage wrong = of(rows_of({{0.1, true}, {0.2, true}}));
  EXPECT_EQ(wrong.aurc, 1.0);
  EXPECT_EQ(wrong.augrc, 0.5);
  EXPECT_EQ(wrong.coverage_at_5_percent_risk, 0.0);
  EXPECT_EQ(wrong.risk_at_80_percent_coverage, 1.0);
}

// Exactly 5 % and exactly 80 % count, though neither is a binary fraction.
TEST(RiskCoverage, LimitsBelongToTheGoodSide) {
  std::vector<std::pair<double, bool>> outcomes(100, {0.0, false});
  for (std::size_t i = 0; i < 100; ++i) outcomes[i] = {static_cast<double>(i) / 100, i == 19 || i == 30};
  const RiskCoverage found = of(rows_of(outcomes));
  EXPECT_DOUBLE_EQ(found.coverage_at_5_percent_risk, 1.0);
  EXPECT_DOUBLE_EQ(found.risk_at_80_percent_coverage, 2.0 / 80);
}

// Rows that tie are accepted or refused together, so their areas are means over all orders.
TEST(RiskCoverage, TiesCountAsTheMeanOverAllOrders) {
  for (const int before : {0, 1, 3}) {
    for (const int n_errors : {0, 1, 2, 4}) {
      std::vector<int> tied(4, 0);
      std::fill_n(tied.begin() + (4 - n_errors), n_errors, 1);
      double sum = 0.0;
      int n_orders = 0;
      std::vector<std::pair<double, bool>> outcomes;
      std::vector<int> first;
      for (int i = 0; i < before; ++i) {
        first.push_back(i % 2);
        outcomes.push_back({0.1 * i, i % 2 == 1});
      }
      for (const int error : tied) outcomes.push_back({0.7, error == 1});
      outcomes.push_back({0.9, true});
      do { // goes through the different orders, each as likely as any other
        std::vector<int> errors = first;
        errors.insert(errors.end(), tied.begin(), tied.end());
        errors.push_back(1);
        sum += plain_aurc(errors);
        ++n_orders;
      } while (std::next_permutation(tied.begin(), tied.end()));
      EXPECT_NEAR(of(rows_of(outcomes)).aurc, sum / n_orders, 1e-13);
    }
  }
}

// The generalised area follows from the error rate and from how often an error has the larger error
// probability, ties half (docs/math/evaluation.md, equation 9).
TEST(RiskCoverage, GeneralisedAreaInClosedForm) {
  for (std::uint64_t problem = 0; problem < 200; ++problem) {
    const ScoredRows rows = random_scored_rows(problem);
    double n_pairs = 0.0;
    double n_right = 0.0;
    double n_errors = 0.0;
    for (Index i = 0; i < rows.n_rows(); ++i) {
      if (!rows.is_error(i)) continue;
      n_errors += 1.0;
      for (Index j = 0; j < rows.n_rows(); ++j) {
        if (rows.is_error(j)) continue;
        const double gap = rows.error_probability[static_cast<std::size_t>(i)] -
                           rows.error_probability[static_cast<std::size_t>(j)];
        n_pairs += 1.0;
        n_right += gap > 0.0 ? 1.0 : gap == 0.0 ? 0.5 : 0.0;
      }
    }
    const double rate = n_errors / static_cast<double>(rows.n_rows());
    const double auroc = n_pairs > 0.0 ? n_right / n_pairs : 0.0;
    EXPECT_NEAR(of(rows).augrc, (1.0 - auroc) * rate * (1.0 - rate) + 0.5 * rate * rate, 1e-12);
  }
}

TEST(RiskCoverage, TheOrderOfRowsChangesNoBit) {
  for (std::uint64_t problem = 0; problem < 200; ++problem) {
    const ScoredRows rows = random_scored_rows(problem);
    const RiskCoverage a = of(rows);
    const RiskCoverage b = of(shuffled(rows, problem));
    EXPECT_EQ(a.aurc, b.aurc);
    EXPECT_EQ(a.augrc, b.augrc);
    EXPECT_EQ(a.coverage_at_5_percent_risk, b.coverage_at_5_percent_risk);
    EXPECT_EQ(a.risk_at_80_percent_coverage, b.risk_at_80_percent_coverage);
    const RiskCoverage both = of(twice(rows));
    EXPECT_NEAR(both.augrc, a.augrc, 1e-13);
    EXPECT_EQ(both.coverage_at_5_percent_risk, a.coverage_at_5_percent_risk);
    EXPECT_EQ(both.risk_at_80_percent_coverage, a.risk_at_80_percent_coverage);
    EXPECT_EQ(a.curve.back().coverage, 1.0);
    EXPECT_GE(a.aurc, a.augrc - 1e-13); // errors per accepted row are at least errors per row
  }
}

TEST(RiskCoverage, WithoutRowsNothingIsKnown) {
  const RiskCoverage found = risk_coverage({});
  EXPECT_TRUE(found.curve.empty());
  for (const double value :
       {found.aurc, found.augrc, found.coverage_at_5_percent_risk, found.risk_at_80_percent_coverage})
    EXPECT_TRUE(std::isnan(value));
  EXPECT_TRUE(thinned(found.curve, 2).empty());
}

TEST(RiskCoverage, ThinningKeepsEndsAndPoints) {
  std::vector<std::pair<double, bool>> outcomes;
  for (int i = 0; i < 5000; ++i) outcomes.push_back({i / 5000.0, i % 7 == 0});
  const auto curve = of(rows_of(outcomes)).curve;
  for (const Index most : {2, 3, 512}) {
    const auto few = thinned(curve, most);
    EXPECT_LE(static_cast<Index>(few.size()), most);
    EXPECT_GE(static_cast<Index>(few.size()), most - 1);
    EXPECT_EQ(few.front().coverage, curve.front().coverage);
    EXPECT_EQ(few.back().coverage, 1.0);
    for (std::size_t i = 1; i < few.size(); ++i) {
      EXPECT_GT(few[i].coverage, few[i - 1].coverage);
      EXPECT_LE(few[i].coverage - few[i - 1].coverage, 1.01 / static_cast<double>(most - 1) + 2.0 / 5000);
    }
  }
  EXPECT_EQ(thinned(curve, 5000).size(), 5000U);
  EXPECT_THROW(thinned(curve, 1), Error);
}

} // namespace
