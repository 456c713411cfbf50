// Compiled once per instruction set, like kernels_impl.cpp.

#include "density/kde_kernels.hpp"

#ifndef LACUNA_KDE_SET
#define LACUNA_KDE_SET kde_kernels_plain
#define LACUNA_KERNEL_BYTES 16
#endif
#include "density/vectors.hpp"
#define LACUNA_TEXT_OF(x) #x
#define LACUNA_TEXT(x) LACUNA_TEXT_OF(x)

namespace lacuna {

namespace {

static_assert(kde_group % lanes == 0);

void node_distances(const double* query, const double* low, const double* high, const double* centroid,
                    const double* scatter, Index stride, Index n, Index d, double* nearest, double* mean,
                    double* farthest) {
  for (Index b = 0; b < n; b += lanes) {
    Vec least{};
    Vec middle = load(scatter + b);
    Vec most{};
    for (Index j = 0; j < d; ++j) {
      const Vec below = load(low + j * stride + b) - query[j];
      const Vec above = query[j] - load(high + j * stride + b);
      const Vec outside = larger(larger(below, above), Vec{});
      const Vec across = larger(-below, -above);
      const Vec off = load(centroid + j * stride + b) - query[j];
      least += outside * outside;
      middle += off * off;
      most += across * across;
    }
    store(nearest + b, smaller(least, same(largest_quadratic)));
    store(mean + b, smaller(middle, same(largest_quadratic)));
    store(farthest + b, smaller(most, same(largest_quadratic)));
  }
}

/// exp, but never infinite: bounds that large are never good enough to stop at.
inline Vec bounded_exp(Vec x) {
  return exp_nonpositive(smaller(x, same(600.0)));
}

void node_bounds(const double* nearest, const double* mean, const double* farthest, Index n, double precision,
                 double shift, double* lower, double* upper) {
  const double half = -0.5 * precision;
  const double half_shift = 0.5 * shift;
  for (Index b = 0; b < n; b += lanes) {
    const Vec least = load(nearest + b);
    const Vec most = load(farthest + b);
    const Vec middle = smaller(larger(load(mean + b), least), most);
    const Vec share = (middle - least) / larger(most - least, same(1e-300));
    const Vec at_least = bounded_exp(least * half + half_shift);
    const Vec at_most = bounded_exp(most * half + half_shift);
    store(lower + b, bounded_exp(middle * half + half_shift));
    store(upper + b, at_least + share * (at_most - at_least));
  }
}

template <int D>
inline Vec squared_distance(const double* query, const double* x, Index stride, Index d) {
  Vec total{};
  for (Index j = 0; j < (D > 0 ? D : d); ++j) {
    const Vec difference = load(x + j * stride) - query[j];
    total += difference * difference;
  }
  return smaller(total, same(largest_quadratic));
}

inline double least_of(Vec values) {
  double result = values[0];
  for (Index i = 1; i < lanes; ++i) result = values[i] < result ? values[i] : result;
  return result;
}

template <int D>
double distances_of(const double* query, const double* x, Index stride, Index n, Index d, double* out) {
  Vec least = same(largest_quadratic);
  for (Index b = 0; b < n; b += lanes) {
    const Vec distance = squared_distance<D>(query, x + b, stride, d);
    least = smaller(least, distance);
    store(out + b, distance);
  }
  return least_of(least);
}

double distances(const double* query, const double* x, Index stride, Index n, Index d, double* out) {
  switch (d) {
  case 1: return distances_of<1>(query, x, stride, n, d, out);
  case 2: return distances_of<2>(query, x, stride, n, d, out);
  case 3: return distances_of<3>(query, x, stride, n, d, out);
  case 4: return distances_of<4>(query, x, stride, n, d, out);
  case 5: return distances_of<5>(query, x, stride, n, d, out);
  default: return distances_of<0>(query, x, stride, n, d, out);
  }
}

double kernel_sum(const double* distance, const double* weight, Index n, double precision, double shift) {
  const double half = -0.5 * precision;
  const double half_shift = 0.5 * shift;
  Vec total{};
  for (Index b = 0; b < n; b += lanes)
    total += load(weight + b) * exp_nonpositive(smaller(load(distance + b) * half + half_shift, Vec{}));
  return sum(total);
}

/// exp(x) for x <= quick_limit; the series leaves out less than (log(2) / 2)^8 / 8! = 5.2e-9.
inline Vec quick_exp(Vec x) {
  constexpr double shifter = 0x1.8p52;
  const Vec bounded = larger(x, same(-700.0));
  const Vec shifted = bounded * 0x1.71547652b82fep0 + shifter;
  const Vec r = bounded - (shifted - shifter) * 0x1.62e42fefa39efp-1;
  Vec p = same(1.0 / 5040.0);
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  // Beyond the limit the result means nothing, but the sum of bits must not overflow.
  return reinterpret_cast<Vec>(reinterpret_cast<UnsignedBits>(p) +
                               (reinterpret_cast<UnsignedBits>(shifted) << 52));
}

template <int D>
double quick_sum_of(const double* query, const double* x, const double* weight, Index stride, Index n,
                    Index d, double precision, double shift, double& least) {
  const double half = -0.5 * precision;
  const double half_shift = 0.5 * shift;
  Vec total{};
  Vec nearest = same(largest_quadratic);
  for (Index b = 0; b < n; b += lanes) {
    const Vec distance = squared_distance<D>(query, x + b, stride, d);
    nearest = smaller(nearest, distance);
    total += load(weight + b) * quick_exp(distance * half + half_shift);
  }
  least = least_of(nearest);
  return sum(total);
}

double quick_sum(const double* query, const double* x, const double* weight, Index stride, Index n, Index d,
                 double precision, double shift, double& least) {
  switch (d) {
  case 1: return quick_sum_of<1>(query, x, weight, stride, n, d, precision, shift, least);
  case 2: return quick_sum_of<2>(query, x, weight, stride, n, d, precision, shift, least);
  case 3: return quick_sum_of<3>(query, x, weight, stride, n, d, precision, shift, least);
  case 4: return quick_sum_of<4>(query, x, weight, stride, n, d, precision, shift, least);
  case 5: return quick_sum_of<5>(query, x, weight, stride, n, d, precision, shift, least);
  default: return quick_sum_of<0>(query, x, weight, stride, n, d, precision, shift, least);
  }
}

} // namespace

extern const KdeKernels LACUNA_KDE_SET;
const KdeKernels LACUNA_KDE_SET = {
    LACUNA_TEXT(LACUNA_KDE_SET), node_distances, node_bounds, distances, kernel_sum, quick_sum};

} // namespace lacuna
