#pragma once

#include <span>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A lower triangle, its rows one after another, as the kernels take whiteners: element (i, j) at
/// i (i + 1) / 2 + j. Stands for a lower triangular matrix or for a symmetric one.
using Triangle = std::vector<double>;

inline std::size_t triangle_size(std::size_t n) {
  return n * (n + 1) / 2;
}

/// Replaces a symmetric matrix by its lower Cholesky factor; false when it is not positive definite.
bool cholesky(Triangle& a, std::size_t n);

/// Replaces a symmetric matrix that is positive definite by construction by its Cholesky factor, with a
/// jitter where rounding has spoiled it.
void safe_cholesky(Triangle& a, std::size_t n);

/// The inverse of a lower triangular matrix.
Triangle inverse(const Triangle& l, std::size_t n);

/// A B for lower triangular A and B.
Triangle product(const Triangle& a, const Triangle& b, std::size_t n);

/// L L', the symmetric matrix of a factor.
Triangle square(const Triangle& l, std::size_t n);

/// A S A' for lower triangular A and symmetric S.
Triangle sandwich(const Triangle& a, const Triangle& s, std::size_t n);

/// A x for lower triangular A.
std::vector<double> multiply(const Triangle& a, std::span<const double> x);

/// |A x|^2.
double squared_norm(const double* a, std::span<const double> x);

/// Sum of the squares of all elements.
double sum_of_squares(std::span<const double> values);

/// Sum of the diagonal.
double trace(const Triangle& s, std::size_t n);

/// log |L| of a lower triangular matrix with a positive diagonal.
double log_diagonal(const double* l, std::size_t n);

} // namespace lacuna
