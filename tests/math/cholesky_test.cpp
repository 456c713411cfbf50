#include "math/cholesky.hpp"

#include <random>

#include <Eigen/Cholesky>
#include <gtest/gtest.h>

#include "core/interruption.hpp"
#include "core/parallel.hpp"
#include "tests/expect_error.hpp"

namespace lacuna {
namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Positive definite, larger than what is factored in one go, and no multiple of a block.
constexpr Index n_many = 1100;

RowMatrix covariance(Index n) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal;
  RowMatrix half(n, n);
  for (double& value : half.reshaped()) value = normal(random);
  return half * half.transpose() + 10.0 * RowMatrix::Identity(n, n);
}

std::span<double> values_of(RowMatrix& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

TEST(Cholesky, BlocksOfALargeMatrixChangeNoBit) {
  const RowMatrix a = covariance(n_many);
  const RowMatrix expected = Eigen::LLT<RowMatrix, Eigen::Lower>(a).matrixL();
  RowMatrix found = a;
  EXPECT_EQ(robust_cholesky(values_of(found), n_many), 0.0);
  EXPECT_EQ(found, expected);
}

TEST(Cholesky, TheInverseOfALargeFactorIsOne) {
  RowMatrix factor = covariance(n_many);
  robust_cholesky(values_of(factor), n_many);
  RowMatrix inverse = factor;
  invert_lower(values_of(inverse), n_many);
  EXPECT_LT((factor * inverse - RowMatrix::Identity(n_many, n_many)).cwiseAbs().maxCoeff(), 1e-12);
  EXPECT_EQ(inverse.triangularView<Eigen::StrictlyUpper>().toDenseMatrix().cwiseAbs().maxCoeff(), 0.0);
}

TEST(Cholesky, ALargeMatrixThatIsNotPositiveDefiniteGetsJitter) {
  RowMatrix a = RowMatrix::Ones(n_many, n_many); // of rank one
  EXPECT_GT(robust_cholesky(values_of(a), n_many), 0.0);
  EXPECT_TRUE(a.allFinite());
}

/// Says that the user asked to stop when it is asked for the second time.
class SecondLook : public Observer {
public:
  bool cancelled() const override { return ++n_looks_ > 1; }

private:
  mutable std::atomic<int> n_looks_{0};
};

TEST(Cholesky, WorkOnALargeMatrixCanBeStoppedFromOutside) {
  const RowMatrix a = covariance(n_many);
  const auto stops = [&](auto work) {
    RowMatrix copy = a;
    const SecondLook observer;
    const Interruptible interruptible(&observer);
    test::expect_error(ErrorKind::interrupted, {}, [&] { work(values_of(copy)); });
  };
  stops([](std::span<double> m) { robust_cholesky(m, n_many); });
  stops([](std::span<double> m) { invert_lower(m, n_many); });
  stops([](std::span<double> m) { raise_eigenvalues(m, n_many, 1.0); });
  stops([](std::span<double> m) {
    std::vector<Index> order(n_many);
    for (Index i = 0; i < n_many; ++i) order[static_cast<std::size_t>(i)] = n_many - 1 - i;
    reorder_factor(m, n_many, order);
  });
}

TEST(Interruptible, ReachesTheHelpersOfATeamThreads) {
  const SecondLook observer;
  const Interruptible interruptible(&observer);
  std::atomic<int> n_done{0};
  test::expect_error(ErrorKind::interrupted, {}, [&] { parallel_for(64, 4, [&](Index) { ++n_done; }); });
  EXPECT_LT(n_done, 64);
}

TEST(Interruptible, EndsWithItsScope) {
  const SecondLook observer;
  {
    const Interruptible outer(&observer);
    { const Interruptible inner(nullptr); }
    EXPECT_EQ(Interruptible::observer(), &observer);
  }
  EXPECT_EQ(Interruptible::observer(), nullptr);
  EXPECT_NO_THROW(stop_if_asked());
}

} // namespace
} // namespace lacuna
