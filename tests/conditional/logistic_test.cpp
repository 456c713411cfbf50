#include "conditional/logistic.hpp"

#include <array>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "tests/conditional/test_data.hpp"

namespace lacuna::testing {
namespace {

Dataset numbers_table(std::vector<double> values, std::vector<int> labels) {
  Dataset data;
  const auto n = static_cast<Index>(labels.size());
  const Index n_features = static_cast<Index>(values.size()) / n;
  data.features = Matrix(n, n_features, std::move(values));
  data.labels = std::move(labels);
  data.class_names = {"a", "b", "c"};
  return data;
}

/// log p(y|x) up to a constant per class, from the answers at one row.
double log_odds(const Conditional& conditional, std::vector<double> row, Index y, Index other) {
  const auto d = static_cast<Index>(row.size());
  const Matrix logs = answers(conditional, Matrix(1, d, std::move(row)).view());
  return logs(0, y) - logs(0, other);
}

/// The same optimum by Newton's method on the log odds of two classes: the penalty of both classes' slopes,
/// ridge / 2 (w_a^2 + w_b^2), is ridge / 4 times the square of their difference at its least.
TEST(Logistic, EqualsNewtonsMethodOnTwoClasses) {
  const Index n = 200;
  RandomStream random(5, RandomPurpose::simulation);
  std::vector<double> cells;
  std::vector<int> labels;
  for (Index i = 0; i < n; ++i) {
    const int y = random.uniform() < 0.3 ? 1 : 0;
    cells.push_back(y + random.normal());
    cells.push_back(3.0 - 2.0 * y * random.uniform() + 0.2 * random.normal());
    labels.push_back(y);
  }
  const double ridge = 4.0;
  const Dataset data = numbers_table(cells, labels);
  const auto fitted = LogisticFamily(ridge).fit(data, {});

  Eigen::MatrixXd x(n, 3);
  Eigen::VectorXd y(n);
  for (Index i = 0; i < n; ++i) {
    x.row(i) << 1.0, data.features(i, 0), data.features(i, 1);
    y(i) = data.labels[static_cast<std::size_t>(i)];
  }
  for (Index j = 1; j < 3; ++j) {
    x.col(j).array() -= x.col(j).mean();
    x.col(j) /= std::sqrt(x.col(j).squaredNorm() / static_cast<double>(n));
  }
  Eigen::VectorXd w = Eigen::VectorXd::Zero(3);
  const Eigen::Vector3d penalty(0.0, ridge / 2.0, ridge / 2.0);
  for (int step = 0; step < 50; ++step) {
    const Eigen::VectorXd p = (1.0 + (-(x * w).array()).exp()).inverse().matrix();
    const Eigen::VectorXd curvature = (p.array() * (1.0 - p.array())).matrix();
    Eigen::MatrixXd hessian = x.transpose() * curvature.asDiagonal() * x;
    hessian.diagonal() += penalty;
    w -= hessian.ldlt().solve(x.transpose() * (p - y) + penalty.cwiseProduct(w));
  }
  for (Index i = 0; i < n; i += 7)
    EXPECT_NEAR(log_odds(*fitted, {data.features(i, 0), data.features(i, 1)}, 1, 0), x.row(i).dot(w), 1e-4);
}

TEST(Logistic, WithoutSlopesIsTheClassShares) {
  // The only column says the same everywhere; intercepts are not shrunk.
  const auto fitted = LogisticFamily(1e6).fit(numbers_table({7, 7, 7, 7, 7}, {0, 0, 1, 2, 2}), {});
  EXPECT_NEAR(log_odds(*fitted, {7}, 0, 1), std::log(2.0), 1e-5);
  EXPECT_NEAR(log_odds(*fitted, {1e3}, 0, 2), 0.0, 1e-5);
}

TEST(Logistic, ClipsWhatLiesFarOut) {
  std::vector<double> cells;
  std::vector<int> labels;
  for (int i = 0; i < 100; ++i) {
    cells.push_back(i % 2 + 0.1 * (i % 7));
    labels.push_back(i % 2);
  }
  const auto fitted = LogisticFamily().fit(numbers_table(cells, labels), {});
  EXPECT_GT(log_odds(*fitted, {2.0}, 1, 0), log_odds(*fitted, {1.0}, 1, 0));
  EXPECT_EQ(log_odds(*fitted, {1e3}, 1, 0), log_odds(*fitted, {1e60}, 1, 0));
}

TEST(Logistic, OneRowFarOutDoesNotRule) {
  // The class is decided by the sign; one row of the first class lies at 30, where its weight unclipped would
  // turn the slope.
  std::vector<double> cells;
  std::vector<int> labels;
  RandomStream random(9, RandomPurpose::simulation);
  for (int i = 0; i < 200; ++i) {
    cells.push_back((i % 2 == 0 ? -1.0 : 1.0) + 0.5 * random.normal());
    labels.push_back(i % 2);
  }
  cells.push_back(30.0);
  labels.push_back(0);
  const auto fitted = LogisticFamily(1.0).fit(numbers_table(cells, labels), {});
  EXPECT_LT(log_odds(*fitted, {-1.0}, 1, 0), -1.0);
  EXPECT_GT(log_odds(*fitted, {1.0}, 1, 0), 1.0);
}

TEST(Logistic, AGapIsAPieceOfEvidenceWhereItWasOneBefore) {
  std::vector<double> cells;
  std::vector<int> labels;
  for (int i = 0; i < 120; ++i) {
    const int y = i % 2;
    cells.push_back(y == 1 && i % 3 != 0 ? gap : (i * 37 % 11) - 5.0); // mostly the second class lacks it
    labels.push_back(y);
  }
  const auto with_gaps = LogisticFamily().fit(numbers_table(cells, labels), {});
  EXPECT_GT(log_odds(*with_gaps, {gap}, 1, 0), 1.0);
  EXPECT_LT(log_odds(*with_gaps, {0.0}, 1, 0), 0.0);
  // Where no labeled row has a gap, it stands for the mean.
  std::vector<double> whole;
  for (int i = 0; i < 120; ++i) whole.push_back((i * 37 % 11) - 5.0 + 0.5 * (i % 2));
  const Dataset data = numbers_table(whole, labels);
  const auto without = LogisticFamily().fit(data, {});
  double mean = 0.0;
  for (const double value : whole) mean += value / 120.0;
  EXPECT_NEAR(log_odds(*without, {gap}, 1, 0), log_odds(*without, {mean}, 1, 0), 1e-12);
}

TEST(Logistic, ShrinksRareCategoriesAndKnowsNothingOfNewOnes) {
  // Categories 0 and 1 mark the classes; 1 in 60 rows, all of the second class, has category 2; 3 is never
  // seen.
  Dataset data;
  std::vector<double> cells;
  for (int i = 0; i < 120; ++i) {
    data.labels.push_back(i % 2);
    cells.push_back(i % 60 == 1 ? 2.0 : i % 2);
  }
  data.features = Matrix(120, 1, cells);
  data.levels = {4};
  data.class_names = {"a", "b"};
  const auto fitted = LogisticFamily().fit(data, {});
  const double common = log_odds(*fitted, {1.0}, 1, 0);
  const double rare = log_odds(*fitted, {2.0}, 1, 0);
  const double unseen = log_odds(*fitted, {3.0}, 1, 0);
  EXPECT_GT(common, rare);
  EXPECT_GT(rare, unseen);
  EXPECT_EQ(unseen, log_odds(*fitted, {gap}, 1, 0));
  EXPECT_EQ(unseen, log_odds(*fitted, {17.0}, 1, 0));
}

} // namespace
} // namespace lacuna::testing
