#pragma once

// Compiler vectors of LACUNA_KERNEL_BYTES bytes for the files that are compiled once per instruction set.
// Everything has internal linkage, so that no copy with wider instructions can be picked by the linker for
// the whole program.

#include "density/kernels.hpp"

namespace lacuna {

namespace {

using Vec = double __attribute__((vector_size(LACUNA_KERNEL_BYTES)));
using Bits = long long __attribute__((vector_size(LACUNA_KERNEL_BYTES)));
using UnsignedBits = unsigned long long __attribute__((vector_size(LACUNA_KERNEL_BYTES)));
using VecUnaligned = double __attribute__((vector_size(LACUNA_KERNEL_BYTES), aligned(8), may_alias));

constexpr Index lanes = LACUNA_KERNEL_BYTES / 8;
static_assert(kernel_lanes % lanes == 0);

inline Vec load(const double* p) {
  return *reinterpret_cast<const VecUnaligned*>(p);
}
inline void store(double* p, Vec v) {
  *reinterpret_cast<VecUnaligned*>(p) = v;
}
inline Vec same(double x) {
  return x - Vec{};
}
inline Vec smaller(Vec a, Vec b) {
  return a < b ? a : b;
}
inline Vec larger(Vec a, Vec b) {
  return a > b ? a : b;
}

inline double sum(Vec v) {
#if LACUNA_KERNEL_BYTES == 64
  v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
  v += __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
#elif LACUNA_KERNEL_BYTES == 32
  v += __builtin_shufflevector(v, v, 2, 3, 0, 1);
#endif
  return v[0] + v[1];
}

/// exp(x) for x <= 0, zero below -700. Error below 2 units in the last place
/// (tests/density/kernels_test.cpp).
inline Vec exp_nonpositive(Vec x) {
  constexpr double shifter = 0x1.8p52; // adding it rounds to a whole number, kept in the low bits
  const Vec bounded = larger(x, same(-700.0));
  const Vec shifted = bounded * 0x1.71547652b82fep0 + shifter;
  const Vec k = shifted - shifter;
  const Vec r = (bounded - k * 0x1.62e42fefa38p-1) - k * 0x1.ef35793c7673p-45;
  Vec p = same(1.0 / 6227020800.0);
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const Vec scaled =
      reinterpret_cast<Vec>(reinterpret_cast<Bits>(p) + (reinterpret_cast<Bits>(shifted) << 52));
  return x < -700.0 ? Vec{} : scaled;
}

} // namespace

} // namespace lacuna
