#include <algorithm>
#include <cmath>

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/toys.hpp"
#include "tests/expect_error.hpp"

namespace lacuna {
namespace {

struct Moments {
  double n = 0;
  Eigen::Vector2d mean = Eigen::Vector2d::Zero();
  Eigen::Matrix2d covariance = Eigen::Matrix2d::Zero();
  double ones = 0; ///< share of class 1
};

template <typename Keep>
Moments moments(const Dataset& data, Keep keep) {
  Moments m;
  for (Index i = 0; i < data.n_rows(); ++i) {
    if (!keep(i)) continue;
    const Eigen::Vector2d x(data.features(i, 0), data.features(i, 1));
    m.n += 1;
    m.mean += x;
    m.covariance += x * x.transpose();
    m.ones += data.labels[static_cast<std::size_t>(i)] == 1 ? 1 : 0;
  }
  m.mean /= m.n;
  m.covariance = m.covariance / m.n - m.mean * m.mean.transpose();
  m.ones /= m.n;
  return m;
}

Index n_labeled(const Dataset& data) {
  return std::count_if(data.labels.begin(), data.labels.end(),
                       [](int label) { return label != missing_label; });
}

TEST(Toys, HaveTheSizesOfThePaper) {
  for (const std::string name : {"quadrants", "coin"})
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const Toy toy = make_toy(name, seed);
      EXPECT_NO_THROW(check_dataset(toy.train));
      EXPECT_NO_THROW(check_dataset(toy.test));
      EXPECT_EQ(toy.train.n_rows(), 1000);
      EXPECT_EQ(n_labeled(toy.train), 250);
      EXPECT_EQ(toy.test.n_rows(), 10000);
      EXPECT_EQ(n_labeled(toy.test), 10000);
      EXPECT_EQ(toy.never_labeled.size(), 10000U);
      EXPECT_THAT(toy.train.feature_names, testing::ElementsAre("x1", "x2"));
    }
}

// The bounds below are five standard errors of 2,500 or 5,000 rows.
TEST(Toys, QuadrantsHasFourBlobsAndClassesByTheSecondCoordinate) {
  const Toy toy = make_toy("quadrants", 7);
  EXPECT_THAT(toy.test.class_names, testing::ElementsAre("lower", "upper"));
  for (Index i = 0; i < toy.test.n_rows(); ++i)
    ASSERT_EQ(toy.test.labels[static_cast<std::size_t>(i)], toy.test.features(i, 1) > 0 ? 1 : 0);
  for (const double side : {-1.0, 1.0})
    for (const bool hidden : {false, true}) {
      const Moments m = moments(toy.test, [&](Index i) {
        return toy.test.features(i, 0) * side > 0 &&
               (toy.never_labeled[static_cast<std::size_t>(i)] != 0) == hidden;
      });
      const double height = hidden ? side : -side; // labels are seen upper left and lower right
      EXPECT_NEAR(m.n, 2500, 220);
      EXPECT_NEAR(m.mean(0), 3 * side, 0.08);
      EXPECT_NEAR(m.mean(1), 1.2 * height, 0.045);
      EXPECT_NEAR(std::sqrt(m.covariance(0, 0)), 0.8, 0.057);
      EXPECT_NEAR(std::sqrt(m.covariance(1, 1)), 0.45, 0.032);
      EXPECT_NEAR(m.covariance(0, 1), 0.0, 0.036);
    }
}

TEST(Toys, QuadrantsIsLabeledInTwoBlobsOnly) {
  const Toy toy = make_toy("quadrants", 3);
  Index n_elsewhere = 0;
  for (Index i = 0; i < toy.train.n_rows(); ++i) {
    if (!toy.train.is_labeled(i)) continue;
    EXPECT_EQ(toy.train.labels[static_cast<std::size_t>(i)], toy.train.features(i, 1) > 0 ? 1 : 0);
    n_elsewhere += toy.train.features(i, 0) * toy.train.features(i, 1) > 0 ? 1 : 0;
  }
  EXPECT_LE(n_elsewhere, 6); // a point crosses an axis from its blob with chance 0.004
}

TEST(Toys, CoinHasAMiddleBlobWithClassesByLot) {
  const Toy toy = make_toy("coin", 11);
  EXPECT_THAT(toy.test.class_names, testing::ElementsAre("left", "right"));
  const auto hidden = [&](Index i) { return toy.never_labeled[static_cast<std::size_t>(i)] != 0; };
  const Moments middle = moments(toy.test, hidden);
  EXPECT_NEAR(middle.n, 5000, 250);
  EXPECT_NEAR(middle.mean(0), 0, 0.071);
  EXPECT_NEAR(middle.ones, 0.5, 0.036);
  EXPECT_NEAR(middle.covariance(0, 1), -0.5, 0.08);
  for (const double side : {-1.0, 1.0}) {
    const Moments m =
        moments(toy.test, [&](Index i) { return !hidden(i) && toy.test.features(i, 0) * side > 0; });
    EXPECT_NEAR(m.n, 2500, 220);
    EXPECT_NEAR(m.mean(0), 5 * side, 0.1);
    EXPECT_NEAR(m.mean(1), 5 * side, 0.1);
    EXPECT_NEAR(m.covariance(0, 0), 1, 0.15);
    EXPECT_NEAR(m.covariance(1, 1), 1, 0.15);
    EXPECT_NEAR(m.covariance(0, 1), -0.5, 0.12);
    EXPECT_EQ(m.ones, side > 0 ? 1 : 0);
  }
}

TEST(Toys, FollowTheSeed) {
  const Toy once = make_toy("coin", 1);
  const Toy again = make_toy("coin", 1);
  const Toy other = make_toy("coin", 2);
  EXPECT_TRUE(std::ranges::equal(once.train.features.values(), again.train.features.values()));
  EXPECT_EQ(once.train.labels, again.train.labels);
  EXPECT_FALSE(std::ranges::equal(once.train.features.values(), other.train.features.values()));
  EXPECT_NE(once.train.features(0, 0), once.test.features(0, 0)); // test rows are a fresh draw
}

TEST(Toys, RefuseAnUnknownName) {
  test::expect_error(ErrorKind::usage, {"moons", "quadrants"}, [] { make_toy("moons", 0); });
}

} // namespace
} // namespace lacuna
