// Compiled once per instruction set (math/simd.hpp).

#include "math/log_add_kernels.hpp"
#include "math/simd.hpp"

namespace lacuna {

namespace {

constexpr Index lanes = lanes_of<double>;

/// The least and the largest number that the C library may give for something.
struct Between {
  Doubles least;
  Doubles most;
};

/// `large` + `small`, where `slack` is what the small part and the library may be off by.
inline Between between(Doubles large, Doubles small, Doubles slack) {
  return {large + (small - slack), large + (small + slack)};
}

/// The first 26 digits of x, whose square is exact.
inline Doubles first_half(Doubles x) {
  return reinterpret_cast<Doubles>(reinterpret_cast<UnsignedBits>(x) & 0xfffffffff8000000ULL);
}

/// The series 1/3! + r/4! + ...; for |r| <= log(2) / 2 what follows is below 2^-62.
template <int from = 3>
inline Doubles exp_tail(Doubles r) {
  if constexpr (from == 15)
    return same(1.0 / factorial(15));
  else
    return exp_tail<from + 1>(r) * r + 1.0 / factorial(from);
}

/// exp(x) for -700 <= x <= 0, as 1 + r + r^2 / 2 + ... times a power of two. What is large is added up
/// without rounding: the first half a of r has an exact square, and what an addition loses is kept. What is
/// rounded is below 0.01, so that the error is a fiftieth of a unit in the last place of the result; the
/// library's (glibc since 2.28) is as much more than the half that rounding takes.
inline Between exp_between(Doubles x) {
  const DoublesReduced reduced(x);
  const Doubles high = reduced.x - reduced.k * 0x1.62e42fefa38p-1; // exact, as in exp_nonpositive
  const Doubles low = reduced.k * 0x1.ef35793c7673p-45;
  const Doubles r = high - low;
  const Doubles lost_of_r = (high - r) - low;
  const Doubles a = first_half(r);
  const Doubles half_square = 0.5 * (a * a);
  const Doubles rest_of_half_square = 0.5 * ((r + a) * (r - a));
  const Doubles first = r + 1.0;
  const Doubles lost_of_first = r - (first - 1.0);
  const Doubles sum = first + half_square;
  const Doubles lost_of_sum = half_square - (sum - first);
  const Doubles cube = 2.0 * (half_square + rest_of_half_square) * r;
  const Doubles small = cube * exp_tail(r) + (rest_of_half_square + lost_of_r * first);
  const Between series = between(sum, small + (lost_of_first + lost_of_sum), same(0x1.8p-58));
  return {reduced.scaled(series.least), reduced.scaled(series.most)};
}

/// log(m 2^k) = k log 2 + f - f^2 / 2 + s (f^2 / 2 + 2 z (1/3 + z/5 + ...)) with f = m - 1, s = f / (2 + f)
/// and z = s^2, for normal x. As above, what is large is not rounded.
inline Between log_between(Doubles x) {
  const LogReduced reduced(x);
  const Doubles f = reduced.m - 1.0;
  const Doubles s = f / (f + 2.0);
  const Doubles z = s * s;
  const Doubles a = first_half(f);
  const Doubles half_square = 0.5 * (a * a);
  const Doubles rest_of_half_square = 0.5 * ((f + a) * (f - a));
  const Doubles multiple = reduced.k * 0x1.62e42fefa38p-1; // exact
  const Doubles first = multiple + f;
  const Doubles lost_of_first = f - (first - multiple);
  const Doubles sum = first - half_square;
  const Doubles lost_of_sum = (first - sum) - half_square;
  const Doubles small = s * (half_square + rest_of_half_square + 2.0 * z * atanh_tail(z)) +
                        (reduced.k * 0x1.ef35793c7673p-45 - rest_of_half_square);
  // Three units in the last place of what is rounded; and the library's, a fiftieth of one.
  const Doubles slack = magnitude(small) * 0x1.8p-51 + magnitude(sum) * 0x1.8p-58;
  return between(sum, small + (lost_of_first + lost_of_sum), slack);
}

/// exp of less is below half a unit in the last place of 1.
constexpr double lost_beside_one = -37.0;

Index log_add(const double* a, const double* b, Index n, double* out) {
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    const Doubles x = load(a + i);
    const Doubles y = load(b + i);
    const Doubles largest = larger(x, y);
    const Doubles power = smaller(x, y) - largest;
    const Between e = exp_between(power);
    const Doubles sum = e.most + 1.0;
    const Between log_sum = log_between(sum);
    const Doubles least = log_sum.least + largest;
    const Doubles most = log_sum.most + largest;
    const Doubles none = same(__builtin_nan(""));
    const Doubles known = ((e.least + 1.0 == sum) & (least == most)) ? most : none;
    const Doubles result = power < lost_beside_one ? largest + 0.0 : known;
    // NOLINTNEXTLINE(misc-redundant-expression): a NaN is not equal to itself
    store(out + i, ((x == x) & (y == y)) ? result : none);
  }
  return i;
}

Index log_sum(const double* terms, Index stride, Index n_terms, Index n, double* out) {
  Index i = 0;
  for (; i + lanes <= n; i += lanes) {
    Doubles largest = load(terms + i);
    for (Index k = 1; k < n_terms; ++k) largest = larger(load(terms + k * stride + i), largest);
    Between sum{};
    DoubleBits is_known = sum.least == 0.0;
    for (Index k = 0; k < n_terms; ++k) {
      const Doubles power = load(terms + k * stride + i) - largest;
      is_known &= power <= 0.0;             // neither a NaN nor a difference of infinities
      const Between e = exp_between(power); // below -700 what is nothing beside the largest power, 1
      sum.least += e.least;
      sum.most += e.most;
    }
    const Between log_of_sum = log_between(sum.most);
    const Doubles least = log_of_sum.least + largest;
    const Doubles most = log_of_sum.most + largest;
    store(out + i, (is_known & (sum.least == sum.most) & (least == most)) ? most : same(__builtin_nan("")));
  }
  return i;
}

} // namespace

namespace LACUNA_INSTRUCTION_SET {
extern const LogAddKernel log_add_kernel;
const LogAddKernel log_add_kernel{log_add, log_sum};
} // namespace LACUNA_INSTRUCTION_SET

} // namespace lacuna
