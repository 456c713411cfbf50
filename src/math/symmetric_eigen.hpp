#pragma once

#include <span>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// Eigenvalues, rising, and as rows the eigenvectors of a symmetric matrix.
struct SymmetricEigen {
  std::vector<double> values;
  Matrix vectors;
};

/// Of the symmetric matrix `a` (n x n, column after column; the lower triangle is read). Empty when the
/// iteration does not converge or ends in values that are not finite.
SymmetricEigen symmetric_eigen(std::span<const double> a, Index n);

} // namespace lacuna
