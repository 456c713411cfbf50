#pragma once

#include <span>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// Logs of sums of powers, of many lists at a time, one copy per instruction set (math/simd.hpp). The numbers
/// of the C library are the ones wanted, to the bit, so what a kernel computes is given only where all that
/// lies within its error rounds to the same number; NaN stands elsewhere.
struct LogAddKernel {
  /// log(exp(a) + exp(b)) of the first pairs; returns how many, all but a few.
  Index (*log_add)(const double* a, const double* b, Index n, double* out);
  /// The same for lists of n_terms numbers, added up in their order: term k of list i is at
  /// terms[k * stride + i].
  Index (*log_sum)(const double* terms, Index stride, Index n_terms, Index n, double* out);
};

/// Those that may run on this processor, from the narrowest to the widest.
std::span<const LogAddKernel* const> log_add_kernels();

} // namespace lacuna
