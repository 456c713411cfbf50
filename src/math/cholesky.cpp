#include "lacuna/math/cholesky.hpp"

#include <cmath>
#include <vector>

#include <Eigen/Dense>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

} // namespace

double robust_cholesky(std::span<double> a, Index n) {
  Eigen::Map<RowMatrix> matrix(a.data(), n, n);
  const double mean_diagonal = matrix.diagonal().mean();
  if (!std::isfinite(mean_diagonal) || mean_diagonal <= 0.0)
    throw Error(ErrorKind::internal, "a covariance matrix has a diagonal that is not positive and finite");
  const RowMatrix original = matrix;
  double jitter = 0.0;
  for (double rung = 1e-14; rung < 1.0; rung *= 10.0) {
    const Eigen::LLT<RowMatrix, Eigen::Lower> factor(original + jitter * RowMatrix::Identity(n, n));
    if (factor.info() == Eigen::Success && factor.matrixLLT().diagonal().allFinite()) {
      matrix = factor.matrixL();
      return jitter;
    }
    jitter = rung * mean_diagonal;
  }
  throw Error(ErrorKind::internal, "a covariance matrix could not be made positive definite");
}

void raise_eigenvalues(std::span<double> a, Index n, double floor) {
  Eigen::Map<RowMatrix> matrix(a.data(), n, n);
  const Eigen::LLT<RowMatrix, Eigen::Lower> above(matrix - floor * RowMatrix::Identity(n, n));
  if (above.info() == Eigen::Success) return; // the usual case, at a fraction of the cost
  const Eigen::SelfAdjointEigenSolver<RowMatrix> solver(matrix);
  const RowMatrix vectors = solver.eigenvectors();
  matrix = vectors * solver.eigenvalues().cwiseMax(floor).asDiagonal() * vectors.transpose();
}

void invert_lower(std::span<double> l, Index n) {
  Eigen::Map<RowMatrix> matrix(l.data(), n, n);
  const RowMatrix inverse = matrix.triangularView<Eigen::Lower>().solve(RowMatrix::Identity(n, n));
  matrix = inverse.triangularView<Eigen::Lower>();
}

void reorder_factor(std::span<double> a, Index n, std::span<const Index> order) {
  Eigen::Map<RowMatrix> matrix(a.data(), n, n);
  // A QR factor is upper triangular; with rows and columns in reverse it is lower.
  RowMatrix reversed(n, n);
  for (Index j = 0; j < n; ++j) reversed.col(n - 1 - j) = matrix.col(order[static_cast<std::size_t>(j)]);
  const Eigen::HouseholderQR<RowMatrix> qr(reversed);
  for (Index i = 0; i < n; ++i) {
    const double sign = qr.matrixQR()(i, i) < 0.0 ? -1.0 : 1.0;
    for (Index j = 0; j < n; ++j) matrix(n - 1 - i, n - 1 - j) = j < i ? 0.0 : sign * qr.matrixQR()(i, j);
  }
}

double log_determinant(std::span<const double> l, Index n) {
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) sum += std::log(l[static_cast<std::size_t>(i * n + i)]);
  return 2.0 * sum;
}

} // namespace lacuna
