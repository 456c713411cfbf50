// Compiled once per instruction set (math/simd.hpp).

#include "density/kde_kernels.hpp"
#include "density/kernels.hpp"
#include "math/simd.hpp"

namespace lacuna {

namespace {

constexpr Index lanes = lanes_of<double>;
static_assert(kde_group % lanes == 0);

void node_distances(const double* query, const double* low, const double* high, const double* centroid,
                    const double* scatter, Index stride, Index n, Index d, double* nearest, double* mean,
                    double* farthest) {
  for (Index b = 0; b < n; b += lanes) {
    Doubles least{};
    Doubles middle = load(scatter + b);
    Doubles most{};
    for (Index j = 0; j < d; ++j) {
      const Doubles below = load(low + j * stride + b) - query[j];
      const Doubles above = query[j] - load(high + j * stride + b);
      const Doubles outside = larger(larger(below, above), Doubles{});
      const Doubles across = larger(-below, -above);
      const Doubles off = load(centroid + j * stride + b) - query[j];
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
inline Doubles bounded_exp(Doubles x) {
  return exp_nonpositive(smaller(x, same(600.0)));
}

void node_bounds(const double* nearest, const double* mean, const double* farthest, Index n, double precision,
                 double shift, double* lower, double* upper) {
  const double half = -0.5 * precision;
  const double half_shift = 0.5 * shift;
  for (Index b = 0; b < n; b += lanes) {
    const Doubles least = load(nearest + b);
    const Doubles most = load(farthest + b);
    const Doubles middle = smaller(larger(load(mean + b), least), most);
    const Doubles share = (middle - least) / larger(most - least, same(1e-300));
    const Doubles at_least = bounded_exp(least * half + half_shift);
    const Doubles at_most = bounded_exp(most * half + half_shift);
    store(lower + b, bounded_exp(middle * half + half_shift));
    store(upper + b, at_least + share * (at_most - at_least));
  }
}

template <int D>
inline Doubles squared_distance(const double* query, const double* x, Index stride, Index d) {
  Doubles total{};
  for (Index j = 0; j < (D > 0 ? D : d); ++j) {
    const Doubles difference = load(x + j * stride) - query[j];
    total += difference * difference;
  }
  return smaller(total, same(largest_quadratic));
}

inline double least_of(Doubles values) {
  double result = values[0];
  for (Index i = 1; i < lanes; ++i) result = values[i] < result ? values[i] : result;
  return result;
}

template <int D>
double distances_of(const double* query, const double* x, Index stride, Index n, Index d, double* out) {
  Doubles least = same(largest_quadratic);
  for (Index b = 0; b < n; b += lanes) {
    const Doubles distance = squared_distance<D>(query, x + b, stride, d);
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
  Doubles total{};
  for (Index b = 0; b < n; b += lanes)
    total += load(weight + b) * exp_nonpositive(smaller(load(distance + b) * half + half_shift, Doubles{}));
  return sum(total);
}

template <int D>
double quick_sum_of(const double* query, const double* x, const double* weight, Index stride, Index n,
                    Index d, double precision, double shift, double& least) {
  const double half = -0.5 * precision;
  const double half_shift = 0.5 * shift;
  Doubles total{};
  Doubles nearest = same(largest_quadratic);
  for (Index b = 0; b < n; b += lanes) {
    const Doubles distance = squared_distance<D>(query, x + b, stride, d);
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

namespace LACUNA_INSTRUCTION_SET {

extern const KdeKernels kde_kernels;
const KdeKernels kde_kernels = {node_distances, node_bounds, distances, kernel_sum, quick_sum};

} // namespace LACUNA_INSTRUCTION_SET

} // namespace lacuna
