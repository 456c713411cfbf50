#include "math/symmetric_eigen.hpp"

#include <Eigen/Eigenvalues>

namespace lacuna {

SymmetricEigen symmetric_eigen(std::span<const double> a, Index n) {
  const Eigen::Map<const Eigen::MatrixXd> matrix(a.data(), n, n);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  if (solver.info() != Eigen::Success || !solver.eigenvalues().allFinite()) return {};
  SymmetricEigen result{{solver.eigenvalues().begin(), solver.eigenvalues().end()}, Matrix(n, n)};
  for (Index k = 0; k < n; ++k)
    for (Index j = 0; j < n; ++j) result.vectors(k, j) = solver.eigenvectors()(j, k);
  return result;
}

} // namespace lacuna
