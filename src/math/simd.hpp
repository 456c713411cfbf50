#pragma once

// Vectors of numbers and their elementary functions, for the files that are compiled once per instruction
// set: LACUNA_INSTRUCTION_SET names the copy, LACUNA_KERNEL_BYTES is the width of its vectors. Such a file
// includes nothing but this and plain structs, and everything here has internal linkage: of an inline
// function in some header the linker might choose the copy with the widest instructions for the whole
// program, on processors that cannot run it.

#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "lacuna/core/matrix.hpp"

#ifndef LACUNA_INSTRUCTION_SET
#define LACUNA_INSTRUCTION_SET plain
#define LACUNA_KERNEL_BYTES 16
#endif

namespace lacuna {

namespace {

using Doubles = double __attribute__((vector_size(LACUNA_KERNEL_BYTES)));
using Floats = float __attribute__((vector_size(LACUNA_KERNEL_BYTES)));
using DoubleBits = long long __attribute__((vector_size(LACUNA_KERNEL_BYTES)));
using UnsignedBits = unsigned long long __attribute__((vector_size(LACUNA_KERNEL_BYTES)));
using FloatBits = int __attribute__((vector_size(LACUNA_KERNEL_BYTES)));
using Shorts = unsigned short __attribute__((vector_size(LACUNA_KERNEL_BYTES)));

/// How many numbers a vector holds.
template <typename Number>
constexpr Index lanes_of = LACUNA_KERNEL_BYTES / static_cast<Index>(sizeof(Number));

// In memory a vector may begin at any number. With `using` clang would ignore `aligned`.
// NOLINTBEGIN(modernize-use-using)
typedef double LooseDoubles __attribute__((vector_size(LACUNA_KERNEL_BYTES), aligned(8), may_alias));
typedef float LooseFloats __attribute__((vector_size(LACUNA_KERNEL_BYTES), aligned(4), may_alias));
typedef float LooseHalf __attribute__((vector_size(LACUNA_KERNEL_BYTES / 2), aligned(4), may_alias));
typedef unsigned short LooseShorts __attribute__((vector_size(LACUNA_KERNEL_BYTES), aligned(2), may_alias));
// NOLINTEND(modernize-use-using)
static_assert(alignof(LooseDoubles) == alignof(double) && alignof(LooseFloats) == alignof(float));

inline Doubles load(const double* from) {
  return *reinterpret_cast<const LooseDoubles*>(from);
}
inline Floats load(const float* from) {
  return *reinterpret_cast<const LooseFloats*>(from);
}
/// So many floats as a vector has doubles.
inline Doubles load_doubles(const float* from) {
  return __builtin_convertvector(*reinterpret_cast<const LooseHalf*>(from), Doubles);
}
inline Shorts load(const unsigned short* from) {
  return *reinterpret_cast<const LooseShorts*>(from);
}
inline void store(double* to, Doubles values) {
  *reinterpret_cast<LooseDoubles*>(to) = values;
}
inline void store(float* to, Floats values) {
  *reinterpret_cast<LooseFloats*>(to) = values;
}
inline void store(unsigned short* to, Shorts values) {
  *reinterpret_cast<LooseShorts*>(to) = values;
}

/// The first `count` numbers, zeros behind them.
inline Floats load_some(const float* from, Index count) {
  if (count >= lanes_of<float>) return load(from);
  Floats values{};
  for (Index i = 0; i < count; ++i) values[i] = from[i];
  return values;
}
inline void store_some(float* to, Index count, Floats values) {
  if (count >= lanes_of<float>) return store(to, values);
  for (Index i = 0; i < count; ++i) to[i] = values[i];
}

/// One number in every place.
inline Doubles same(double x) {
  return x - Doubles{};
}
inline Floats same(float x) {
  return x - Floats{};
}

inline Doubles smaller(Doubles a, Doubles b) {
  return a < b ? a : b;
}
inline Doubles larger(Doubles a, Doubles b) {
  return a > b ? a : b;
}
/// Unlike with `larger`, NaN stays NaN, so that a training that diverges shows.
inline Floats at_least(Floats x, float bound) {
  return x < bound ? same(bound) : x;
}
inline Doubles magnitude(Doubles x) {
  return reinterpret_cast<Doubles>(reinterpret_cast<DoubleBits>(x) & 0x7fffffffffffffffLL);
}
inline Floats magnitude(Floats x) {
  return reinterpret_cast<Floats>(reinterpret_cast<FloatBits>(x) & 0x7fffffff);
}

inline double sum(Doubles v) {
#if LACUNA_KERNEL_BYTES == 64
  v += __builtin_shufflevector(v, v, 4, 5, 6, 7, 0, 1, 2, 3);
  v += __builtin_shufflevector(v, v, 2, 3, 0, 1, 6, 7, 4, 5);
#elif LACUNA_KERNEL_BYTES == 32
  v += __builtin_shufflevector(v, v, 2, 3, 0, 1);
#endif
  return v[0] + v[1];
}

inline Floats inverse(Floats x) {
#ifdef __AVX512F__
  // The processor's division takes 16 cycles; its estimate has 14 bits, a step of Newton's doubles them.
  const Floats estimate = _mm512_maskz_rcp14_ps(0xffff, x);
  return estimate * (2.0F - x * estimate);
#else
  return 1.0F / x;
#endif
}

// For x >= 0; below 1e-38 anything of about 1e-19.
inline Floats square_root(Floats x) {
#ifdef __AVX512F__
  const Floats bounded = at_least(x, 1.2e-38F);
  const Floats estimate = _mm512_maskz_rsqrt14_ps(0xffff, bounded);
  const Floats root = bounded * estimate;
  return root + 0.5F * root * (1.0F - root * estimate);
#elif LACUNA_KERNEL_BYTES == 32
  return __builtin_ia32_sqrtps256(x);
#else
  for (Index i = 0; i < lanes_of<float>; ++i) x[i] = __builtin_sqrtf(x[i]);
  return x;
#endif
}

/// x, or -700 if that is more, as k log 2 + r with the whole k that makes r least. Adding `shifter` rounds to
/// a whole number and keeps it in the low bits.
struct DoublesReduced {
  static constexpr double shifter = 0x1.8p52;

  explicit DoublesReduced(Doubles of)
      : x(larger(of, same(-700.0))), shifted(x * 0x1.71547652b82fep0 + shifter), k(shifted - shifter) {}

  /// exp(x) from exp(r). Without a sign, so that the sum of bits cannot overflow, whatever x was.
  Doubles scaled(Doubles exp_r) const {
    return reinterpret_cast<Doubles>(reinterpret_cast<UnsignedBits>(exp_r) +
                                     (reinterpret_cast<UnsignedBits>(shifted) << 52));
  }

  Doubles x;
  Doubles shifted;
  Doubles k;
};

constexpr double factorial(int n) {
  return n < 2 ? 1.0 : n * factorial(n - 1);
}

/// Taylor's series of exp up to r^degree.
template <int degree, int from = 0>
inline Doubles exp_series(Doubles r) {
  if constexpr (from == degree)
    return same(1.0 / factorial(degree));
  else
    return exp_series<degree, from + 1>(r) * r + 1.0 / factorial(from);
}

/// exp(x) for x <= 0, zero below -700. Error below 2 units in the last place
/// (tests/density/kernels_test.cpp).
inline Doubles exp_nonpositive(Doubles x) {
  const DoublesReduced reduced(x);
  // log 2 in two parts, the first with so few digits that its product is exact.
  const Doubles r = (reduced.x - reduced.k * 0x1.62e42fefa38p-1) - reduced.k * 0x1.ef35793c7673p-45;
  return x < -700.0 ? Doubles{} : reduced.scaled(exp_series<13>(r));
}

/// exp(x) for x up to some hundreds, in two thirds of the time: a sum over the rows of a kernel estimate,
/// which is made of little else, needs no more. The series leaves out less than (log(2) / 2)^8 / 8! = 5.2e-9.
inline Doubles quick_exp(Doubles x) {
  const DoublesReduced reduced(x);
  return reduced.scaled(exp_series<7>(reduced.x - reduced.k * 0x1.62e42fefa39efp-1));
}

/// e^x as scale (1 + excess), so that e^x - 1 keeps its digits near 0. For x <= 0; what is below -87 counts
/// as -87.
struct Exponential {
  Floats scale;
  Floats excess;

  explicit Exponential(Floats x) {
    const Floats bounded = at_least(x, -87.0F);
    // Towards zero after subtracting a half: the nearest whole number, because x is not positive.
    const FloatBits whole = __builtin_convertvector(bounded * 1.44269504F - 0.5F, FloatBits);
    const Floats times = __builtin_convertvector(whole, Floats);
    // log 2 in two parts, as above.
    const Floats r = (bounded - times * 0.693359375F) + times * 2.12194440e-4F;
    // Taylor's series to r^7: the rest is below 6e-9 for |r| <= log(2) / 2.
    Floats p = r * (1.0F / 5040.0F) + 1.0F / 720.0F;
    p = p * r + 1.0F / 120.0F;
    p = p * r + 1.0F / 24.0F;
    p = p * r + 1.0F / 6.0F;
    p = p * r + 0.5F;
    excess = p * (r * r) + r;
    scale = reinterpret_cast<Floats>((whole + 127) << 23);
  }

  Floats value() const { return scale * excess + scale; }
  Floats minus_one() const { return scale * excess + (scale - 1.0F); }
};

/// x = m 2^k with m in [sqrt(1/2), sqrt(2)), for normal positive x.
struct LogReduced {
  explicit LogReduced(Doubles x) {
    constexpr long long sqrt_half = 0x3fe6a09e667f3bcd;
    // Without a sign, so that a negative x, as a damaged model may bring, gives a wrong number and nothing
    // worse.
    const auto offset = reinterpret_cast<DoubleBits>(reinterpret_cast<UnsignedBits>(x) -
                                                     static_cast<unsigned long long>(sqrt_half));
    k = __builtin_convertvector(offset >> 52, Doubles);
    m = reinterpret_cast<Doubles>((offset & 0x000fffffffffffffLL) + sqrt_half);
  }

  Doubles k;
  Doubles m;
};

/// atanh(s) = s + s z (1/3 + z/5 + ...) with z = s^2: what stands in brackets.
inline Doubles atanh_tail(Doubles z) {
  Doubles p = same(1.0 / 23.0);
  p = p * z + 1.0 / 21.0;
  p = p * z + 1.0 / 19.0;
  p = p * z + 1.0 / 17.0;
  p = p * z + 1.0 / 15.0;
  p = p * z + 1.0 / 13.0;
  p = p * z + 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z + 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  return p * z + 1.0 / 3.0;
}

/// log(x) for normal positive x.
inline Doubles log_positive(Doubles x) {
  const LogReduced reduced(x); // log m = 2 atanh((m - 1) / (m + 1))
  const Doubles s = (reduced.m - 1.0) / (reduced.m + 1.0);
  const Doubles z = s * s;
  return reduced.k * 0x1.62e42fefa39efp-1 + (2.0 * s + 2.0 * s * z * atanh_tail(z));
}

/// log(1 + u) for u >= 0, exact for small u as well.
inline Doubles log1p_nonnegative(Doubles u) {
  const Doubles t = u + 1.0;
  return log_positive(t) + (u - (t - 1.0)) / t;
}

} // namespace

} // namespace lacuna
