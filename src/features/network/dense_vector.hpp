#pragma once

// Vectors of floats for dense_impl.cpp, which is compiled once per instruction set. Everything is in an
// unnamed namespace: no set may lend its code to another.

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "lacuna/core/matrix.hpp"

#ifndef LACUNA_DENSE_SET
#define LACUNA_DENSE_SET dense_plain
#define LACUNA_KERNEL_BYTES 16
#endif

namespace lacuna {

namespace {

typedef float Vector __attribute__((vector_size(LACUNA_KERNEL_BYTES)));
typedef float LooseVector __attribute__((vector_size(LACUNA_KERNEL_BYTES), aligned(4), may_alias));
typedef int Integers __attribute__((vector_size(LACUNA_KERNEL_BYTES)));

constexpr Index lanes = LACUNA_KERNEL_BYTES / static_cast<Index>(sizeof(float));

inline Vector load(const float* from) {
  return *reinterpret_cast<const LooseVector*>(from);
}

inline void store(Vector values, float* to) {
  *reinterpret_cast<LooseVector*>(to) = values;
}

inline Vector load_some(const float* from, Index count) {
  if (count >= lanes) return load(from);
  Vector values{};
  for (Index i = 0; i < count; ++i) values[i] = from[i];
  return values;
}

inline void store_some(Vector values, float* to, Index count) {
  if (count >= lanes) return store(values, to);
  for (Index i = 0; i < count; ++i) to[i] = values[i];
}

inline Vector all(float value) {
  return Vector{} + value;
}

// NaN stays NaN.
inline Vector at_least(Vector x, float bound) {
  return x < bound ? all(bound) : x;
}

inline Vector magnitude(Vector x) {
  return reinterpret_cast<Vector>(reinterpret_cast<Integers>(x) & 0x7fffffff);
}

inline Vector inverse(Vector x) {
#ifdef __AVX512F__
  // The processor's division takes 16 cycles; its estimate has 14 bits, a step of Newton's doubles them.
  const Vector estimate = _mm512_maskz_rcp14_ps(0xffff, x);
  return estimate * (2.0F - x * estimate);
#else
  return 1.0F / x;
#endif
}

// For x >= 0; below 1e-38 anything of about 1e-19.
inline Vector square_root(Vector x) {
#ifdef __AVX512F__
  const Vector bounded = at_least(x, 1.2e-38F);
  const Vector estimate = _mm512_maskz_rsqrt14_ps(0xffff, bounded);
  const Vector root = bounded * estimate;
  return root + 0.5F * root * (1.0F - root * estimate);
#elif LACUNA_KERNEL_BYTES == 32
  return __builtin_ia32_sqrtps256(x);
#else
  for (Index i = 0; i < lanes; ++i) x[i] = __builtin_sqrtf(x[i]);
  return x;
#endif
}

/// e^x as scale (1 + excess), so that e^x - 1 keeps its digits near 0. For x <= 0; what is below -87 counts
/// as -87.
struct Exponential {
  Vector scale;
  Vector excess;

  explicit Exponential(Vector x) {
    const Vector bounded = at_least(x, -87.0F);
    // Towards zero after subtracting a half: the nearest whole number, because x is not positive.
    const Integers whole = __builtin_convertvector(bounded * 1.44269504F - 0.5F, Integers);
    const Vector times = __builtin_convertvector(whole, Vector);
    // log 2 in two parts, the first with so few digits that its product is exact.
    const Vector r = (bounded - times * 0.693359375F) + times * 2.12194440e-4F;
    // Taylor's series to r^7: the rest is below 6e-9 for |r| <= log(2) / 2.
    Vector p = r * (1.0F / 5040.0F) + 1.0F / 720.0F;
    p = p * r + 1.0F / 120.0F;
    p = p * r + 1.0F / 24.0F;
    p = p * r + 1.0F / 6.0F;
    p = p * r + 0.5F;
    excess = p * (r * r) + r;
    scale = reinterpret_cast<Vector>((whole + 127) << 23);
  }

  Vector value() const { return scale * excess + scale; }
  Vector minus_one() const { return scale * excess + (scale - 1.0F); }
};

} // namespace

} // namespace lacuna
