#include "math/symmetric_eigen.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "lacuna/core/errors.hpp"
#include "math/cholesky.hpp"

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

TEST(SymmetricEigen, OfWhatIsNotFiniteIsEmpty) {
  const double endless = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(symmetric_eigen(std::vector{endless, 1.0, 1.0, 2.0}, 2).values.empty());
}

} // namespace
} // namespace lacuna
