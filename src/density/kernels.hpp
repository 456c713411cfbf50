#pragma once

#include <span>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// The inner loops of the mixtures, on blocks of rows stored feature by feature ("transposed": value j of row
/// b at xt[j * stride + b]). `n` is a multiple of kernel_lanes; rows beyond the real ones are padding.
///
/// Each instruction set has its own copy of these functions (kernels_impl.cpp is compiled once per set) and
/// the best one this processor has is chosen when the program starts.
struct Kernels {
  const char* name;

  /// out[b] = |A (x_b - mean)|^2 with A lower triangular, its rows packed one after another.
  void (*quadratic_full)(const double* xt, Index stride, Index n, Index d, const double* mean,
                         const double* a, double* out);
  /// Adds the squares of the entries `first` .. `last` of A (x_b - mean) to out[b], which are zero or the sum
  /// of those before.
  void (*add_quadratic)(const double* xt, Index stride, Index n, Index first, Index last, const double* mean,
                        const double* a, double* out);
  /// out[b] = sum_j precision_j (x_bj - mean_j)^2.
  void (*quadratic_diagonal)(const double* xt, Index stride, Index n, Index d, const double* mean,
                             const double* precision, double* out);
  /// values[b] = constant - 0.5 * values[b].
  void (*gaussian)(double* values, Index n, double constant);
  /// values[b] = constant - power * log(1 + values[b] * factor).
  void (*student)(double* values, Index n, double constant, double power, double factor);
  /// out[b] = sum_j of the one-dimensional Student-t terms: constant - power * log(1 + factor_j (x_bj -
  /// mean_j)^2).
  void (*student_product)(const double* xt, Index stride, Index n, Index d, const double* mean,
                          const double* factor, double constant, double power, double* out);
  /// out[b] = log sum_k exp(logits[k * stride + b]).
  void (*log_sum_exp)(const double* logits, Index stride, Index n, Index n_components, double* out);
  /// The same, and replaces the logits by weight[b] * exp(logit - out[b]).
  void (*responsibilities)(double* logits, Index stride, Index n, Index n_components, const double* weight,
                           double* out);
  /// Adds sum_b r_b, sum_b r_b d_b and sum_b r_b d_b d_b' (lower triangle, rows packed), with d_b = x_b -
  /// shift and r_b >= 0. `scratch` has room for moments_scratch(d) * stride values.
  void (*moments_full)(const double* xt, Index stride, Index n, Index d, const double* shift, const double* r,
                       double* scratch, double* zeroth, double* first, double* second);
  /// The same with the diagonal of the second moments only.
  void (*moments_diagonal)(const double* xt, Index stride, Index n, Index d, const double* shift,
                           const double* r, double* zeroth, double* first, double* second);
};

/// Blocks are padded to a multiple of this many rows.
inline constexpr Index kernel_lanes = 16;

/// Values per row that moments_full writes down for itself.
inline constexpr Index moments_scratch(Index n_features) {
  return n_features + 1;
}

/// The largest quadratic form that is passed on, so that logarithms of densities stay finite far from all
/// data.
inline constexpr double largest_quadratic = 1e300;

/// The kernels for this processor.
const Kernels& kernels();

/// Every set this processor can run, the plain one first; for tests and benchmarks.
std::span<const Kernels* const> available_kernels();

} // namespace lacuna
