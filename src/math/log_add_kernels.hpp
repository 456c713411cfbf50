#pragma once

#include <span>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// log(exp(a) + exp(b)) of many pairs, one copy per instruction set (math/simd.hpp). The numbers of the C
/// library are the ones wanted, to the bit, so what a kernel computes is given only where all that lies
/// within its error rounds to the same number; NaN stands elsewhere.
struct LogAddKernel {
  /// Of the first pairs; returns how many, all but a few.
  Index (*log_add)(const double* a, const double* b, Index n, double* out);
};

/// Those that may run on this processor, from the narrowest to the widest.
std::span<const LogAddKernel* const> log_add_kernels();

} // namespace lacuna
