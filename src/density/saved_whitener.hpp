#pragma once

#include <cmath>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// log |A' A| of a whitener as mixtures save it: a packed lower triangle A, or the diagonal of A' A.
inline double log_det_of(const double* whitener, Index d, bool is_diagonal) {
  double sum = 0.0;
  for (Index i = 0; i < d; ++i)
    sum += is_diagonal ? std::log(whitener[i]) : 2.0 * std::log(whitener[i * (i + 1) / 2 + i]);
  return sum;
}

/// Whether a saved determinant is the one of its whitener, but for rounding: else the density has another
/// mass than one.
inline bool agrees(double saved, double expected) {
  return std::abs(saved - expected) <= 1e-6 * (1.0 + std::abs(expected));
}

} // namespace lacuna
