#include "math/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <Eigen/Core>
#include <gtest/gtest.h>

#include "core/interruption.hpp"
#include "lacuna/core/errors.hpp"
#include "math/cholesky.hpp"
#include "tests/expect_error.hpp"

namespace lacuna {
namespace {

TEST(SymmetricEigen, OfATwoByTwoMatrixAreTheClosedForms) {
  const double nan = std::numeric_limits<double>::quiet_NaN(); // above the diagonal nothing is read
  const auto [values, vectors] = symmetric_eigen(std::vector{2.0, 1.0, nan, 2.0}, 2);
  EXPECT_NEAR(values[0], 1.0, 1e-14);
  EXPECT_NEAR(values[1], 3.0, 1e-14);
  EXPECT_NEAR(vectors(0, 0), -vectors(0, 1), 1e-14);
  EXPECT_NEAR(vectors(1, 0), vectors(1, 1), 1e-14);
}

TEST(RaiseEigenvalues, RefusesWhatHasNone) {
  std::vector<double> matrix(9, std::numeric_limits<double>::quiet_NaN());
  matrix[0] = -1.0; // not positive definite: the eigenvalues are asked for
  EXPECT_THROW(raise_eigenvalues(matrix, 3, 1e-6), Error);
}

TEST(SymmetricEigen, PutsTheMatrixTogetherAgain) {
  constexpr Index n = 7;
  std::vector<double> a(n * n);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j)
      a[static_cast<std::size_t>(j * n + i)] = std::sin(static_cast<double>((i + 1) * (j + 1)));
  const auto [values, vectors] = symmetric_eigen(a, n);
  EXPECT_TRUE(std::is_sorted(values.begin(), values.end()));
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) {
      double sum = 0.0;
      for (Index k = 0; k < n; ++k)
        sum += values[static_cast<std::size_t>(k)] * vectors(k, i) * vectors(k, j);
      EXPECT_NEAR(sum, a[static_cast<std::size_t>(j * n + i)], 1e-13);
    }
}

/// Larger than what is solved in one go, with values of 1 to 3, some of them twice.
constexpr Index n_large = 1030;

Eigen::MatrixXd large_matrix() {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(n_large, n_large);
  for (Index i = 0; i < n_large; ++i) matrix(i, i) = 1.0 + static_cast<double>(i / 2) / n_large;
  for (const double seed : {1.0, 2.0, 3.0}) { // reflections leave the values as they are
    Eigen::VectorXd v(n_large);
    for (Index i = 0; i < n_large; ++i) v[i] = std::sin(seed + static_cast<double>(i * i));
    v.normalize();
    matrix -= 2.0 * v * (v.transpose() * matrix).eval();
    matrix -= 2.0 * (matrix * v).eval() * v.transpose();
  }
  return matrix;
}

TEST(SymmetricEigen, OfALargeMatrixAreTheValuesItWasMadeOf) {
  const Eigen::MatrixXd a = large_matrix();
  const auto [values, vectors] = symmetric_eigen({a.data(), static_cast<std::size_t>(a.size())}, n_large);
  ASSERT_EQ(values.size(), static_cast<std::size_t>(n_large));
  for (Index i = 0; i < n_large; ++i)
    EXPECT_NEAR(values[static_cast<std::size_t>(i)], 1.0 + static_cast<double>(i / 2) / n_large, 1e-12);
  const Eigen::Map<const Eigen::MatrixXd> columns(vectors.row(0), n_large, n_large);
  EXPECT_LT(
      (columns.transpose() * columns - Eigen::MatrixXd::Identity(n_large, n_large)).cwiseAbs().maxCoeff(),
      1e-12);
  const Eigen::Map<const Eigen::VectorXd> found(values.data(), n_large);
  EXPECT_LT((a * columns - columns * found.asDiagonal()).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(SymmetricEigen, OfALargeMatrixWithoutCorrelationsAreItsDiagonal) {
  for (const double value : {0.0, 1e-300, 7.0}) {
    const Eigen::MatrixXd a = value * Eigen::MatrixXd::Identity(n_large, n_large);
    const auto values = symmetric_eigen({a.data(), static_cast<std::size_t>(a.size())}, n_large).values;
    EXPECT_EQ(values, std::vector<double>(static_cast<std::size_t>(n_large), value));
  }
}

/// Says that the user asked to stop when it is asked for the n-th time.
class LaterLook : public Observer {
public:
  explicit LaterLook(Index n) : left_(n) {}
  bool cancelled() const override { return --left_ <= 0; }

private:
  mutable Index left_;
};

TEST(SymmetricEigen, OfALargeMatrixCanBeLeft) {
  const Eigen::MatrixXd a = large_matrix();
  for (const Index n_looks : {Index{2}, n_large + 5, n_large + 200}) { // in each of the three parts
    const LaterLook observer(n_looks);
    const Interruptible interruptible(&observer);
    test::expect_error(ErrorKind::interrupted, {}, [&] {
      symmetric_eigen({a.data(), static_cast<std::size_t>(a.size())}, n_large);
    });
  }
}

TEST(SymmetricEigen, OfWhatIsNotFiniteIsEmpty) {
  const double endless = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(symmetric_eigen(std::vector{endless, 1.0, 1.0, 2.0}, 2).values.empty());
  Eigen::MatrixXd large = Eigen::MatrixXd::Identity(n_large, n_large);
  large(n_large - 1, 0) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(
      symmetric_eigen({large.data(), static_cast<std::size_t>(large.size())}, n_large).values.empty());
}

} // namespace
} // namespace lacuna
