#include <cmath>

#include <gtest/gtest.h>

#include "lacuna/core/errors.hpp"
#include "lacuna/evaluation/evaluator.hpp"
#include "tests/evaluation/rows.hpp"

namespace {

using namespace lacuna;
using namespace lacuna::test;

TEST(Classwise, WorkedExample) {
  ClasswiseAccumulator rows(3);
  const double first[] = {0.62, 0.28, 0.10};
  const double second[] = {0.64, 0.02, 0.34};
  rows.add(0, first);
  rows.add(2, second);
  // Class 0: one bin, announced 1.26, came 1. Class 1: two bins, 0.28 and 0.02 came never. Class 2: 0.10
  // came not, 0.34 did.
  const std::vector<double> errors = rows.calibration_errors();
  EXPECT_NEAR(errors[0], 0.26 / 2, 1e-15);
  EXPECT_NEAR(errors[1], 0.30 / 2, 1e-15);
  EXPECT_NEAR(errors[2], (0.10 + 0.66) / 2, 1e-15);
  EXPECT_NEAR(rows.mean_calibration_error(), (0.26 + 0.30 + 0.76) / 6, 1e-15);
}

TEST(Classwise, IsZeroForCertainAndRight) {
  ClasswiseAccumulator rows(2);
  const double p[] = {0.0, 1.0};
  rows.add(1, p);
  EXPECT_EQ(rows.mean_calibration_error(), 0.0);
  EXPECT_TRUE(std::isnan(ClasswiseAccumulator(2).mean_calibration_error()));
}

TEST(Evaluator, GathersEverythingFromTheSameRows) {
  RandomStream random(51, RandomPurpose::simulation);
  Evaluator evaluator(3);
  ReliabilityAccumulator overall;
  const std::string names[] = {"x", "y"};
  for (int i = 0; i < 500; ++i) {
    std::vector<double> p{random.uniform(), random.uniform(), random.uniform()};
    const double sum = p[0] + p[1] + p[2];
    for (double& value : p) value /= sum;
    const int prediction = static_cast<int>(std::max_element(p.begin(), p.end()) - p.begin());
    const int label = random_below(random, 3);
    const double q = 1.0 - p[static_cast<std::size_t>(prediction)];
    evaluator.add(label, prediction, q, p, &names[i % 2]);
    overall.add(label, prediction, q, p);
  }
  const Evaluation evaluation = evaluator.evaluation();
  const Diagnostics diagnostics = evaluator.diagnostics({});
  EXPECT_EQ(evaluation.overall.brier, overall.metrics().brier);
  EXPECT_EQ(evaluation.strata.at("x").n, 250);
  EXPECT_EQ(evaluation.strata.at("y").n, 250);
  EXPECT_EQ(evaluator.rows().stratum_names, (std::vector<std::string>{"x", "y"}));
  EXPECT_NEAR(diagnostics.reliability.calibration_error, evaluation.overall.ece, 1e-14);
  EXPECT_NEAR(diagnostics.corp.miscalibration - diagnostics.corp.discrimination +
                  diagnostics.corp.uncertainty,
              evaluation.overall.brier_error, 1e-13);
  EXPECT_NEAR(diagnostics.risk_coverage.curve.back().risk, evaluation.overall.error_rate, 1e-15);
  Index n_right = 0;
  Index n = 0;
  for (int a = 0; a < 3; ++a)
    for (int b = 0; b < 3; ++b) {
      n += diagnostics.confusion_matrix.count(a, b);
      n_right += a == b ? diagnostics.confusion_matrix.count(a, b) : 0;
    }
  EXPECT_EQ(n, 500);
  EXPECT_NEAR(1.0 - static_cast<double>(n_right) / 500.0, evaluation.overall.error_rate, 1e-15);
}

TEST(Evaluator, AStratumIsJudgedAsIfItWereAlone) {
  RandomStream random(52, RandomPurpose::simulation);
  Evaluator all(2);
  Evaluator alone(2);
  const std::string names[] = {"x", "y"};
  for (int i = 0; i < 300; ++i) {
    const double q = 0.5 * random.uniform();
    const double p[2] = {1.0 - q, q};
    const int label = random_below(random, 2);
    all.add(label, 0, q, p, &names[i % 2]);
    if (i % 2 == 1) alone.add(label, 0, q, p);
  }
  const StratumDiagnostics part = all.diagnostics({}).strata.at("y");
  const Diagnostics expected = alone.diagnostics({});
  EXPECT_EQ(part.classwise_calibration_error, expected.classwise_calibration_error);
  EXPECT_EQ(part.risk_coverage.aurc, expected.risk_coverage.aurc);
  EXPECT_EQ(part.risk_coverage.augrc, expected.risk_coverage.augrc);
  EXPECT_EQ(part.risk_coverage.risk_at_80_percent_coverage,
            expected.risk_coverage.risk_at_80_percent_coverage);
  EXPECT_TRUE(expected.strata.empty());
}

TEST(Evaluator, ARefusedRowLeavesNoTrace) {
  Evaluator evaluator(2);
  const double good[] = {0.9, 0.1};
  const double too_long[] = {0.8, 0.1, 0.1};
  const double no_number[] = {0.9, std::nan("")};
  evaluator.add(0, 0, 0.1, good);
  EXPECT_THROW(evaluator.add(0, 0, 0.1, too_long), Error);
  EXPECT_THROW(evaluator.add(0, 0, 0.1, no_number), Error);
  EXPECT_THROW(evaluator.add(0, 0, 2.0, good), Error);
  EXPECT_THROW(evaluator.add(0, 2, 0.1, good), Error);
  EXPECT_EQ(evaluator.rows().n_rows(), 1);
  EXPECT_EQ(evaluator.evaluation().overall.n, 1);
  const Diagnostics diagnostics = evaluator.diagnostics({});
  EXPECT_NEAR(diagnostics.classwise_calibration_error, 0.1, 1e-15);
  EXPECT_EQ(diagnostics.confusion_matrix.count(0, 0), 1);
}

TEST(Evaluator, WithoutRowsNothingIsKnown) {
  const Diagnostics diagnostics = Evaluator(2).diagnostics({});
  EXPECT_TRUE(std::isnan(diagnostics.classwise_calibration_error));
  EXPECT_TRUE(std::isnan(diagnostics.risk_coverage.aurc));
  EXPECT_TRUE(std::isnan(diagnostics.corp.uncertainty));
}

} // namespace
