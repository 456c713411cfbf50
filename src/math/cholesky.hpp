#pragma once

#include <span>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

// On large matrices, which take many seconds, each of these may throw Error(interrupted):
// core/interruption.hpp.

/// Replaces the symmetric matrix `a` (n x n, row-major; the lower triangle is read) by its lower Cholesky
/// factor, zeros above. When `a` is not positive definite to working precision, the smallest rung of a ladder
/// of multiples of its mean diagonal that makes it so is added to the diagonal; returns that jitter, 0 when
/// none was needed. Throws Error(internal) when `a` is not finite or its diagonal is not positive.
double robust_cholesky(std::span<double> a, Index n);

/// Replaces every eigenvalue of the symmetric matrix `a` (n x n, row-major, both triangles given) that is
/// below `floor` by `floor`, and keeps the eigenvectors; does nothing when there is none.
void raise_eigenvalues(std::span<double> a, Index n, double floor);

/// Replaces a lower triangular matrix by its inverse, which is lower triangular too.
void invert_lower(std::span<double> l, Index n);

/// Replaces a lower triangular A by the lower triangular L with L' L = P' A' A P, where P moves column
/// order[j] to place j: the factor of the same quadratic form after its variables have changed places. No
/// squares are formed, so no digits are lost.
void reorder_factor(std::span<double> a, Index n, std::span<const Index> order);

/// log determinant of L L' for a lower triangular L.
double log_determinant(std::span<const double> l, Index n);

} // namespace lacuna
