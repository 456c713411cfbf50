// Compiled once per instruction set (math/simd.hpp).

#include "density/kernels.hpp"
#include "math/simd.hpp"

#define LACUNA_TEXT_OF(x) #x
#define LACUNA_TEXT(x) LACUNA_TEXT_OF(x)

namespace lacuna {

namespace {

constexpr Index lanes = lanes_of<double>;
static_assert(kernel_lanes % lanes == 0);

/// AVX-512 has 32 vectors, the others 16.
constexpr bool many_registers = LACUNA_KERNEL_BYTES == 64;

/// With a fixed number of features the differences stay in registers.
template <int D>
void quadratic_full_of(const double* xt, Index stride, Index n, const double* mean, const double* a,
                       double* out) {
  constexpr Index width = 2; // vectors at a time
  for (Index b = 0; b < n; b += width * lanes) {
    Doubles difference[D][width];
    for (Index j = 0; j < D; ++j)
      for (Index w = 0; w < width; ++w) difference[j][w] = load(xt + j * stride + b + w * lanes) - mean[j];
    Doubles total[width] = {};
    const double* coefficient = a;
    for (Index i = 0; i < D; ++i) {
      Doubles z[width] = {};
      for (Index j = 0; j <= i; ++j, ++coefficient)
        for (Index w = 0; w < width; ++w) z[w] += difference[j][w] * *coefficient;
      for (Index w = 0; w < width; ++w) total[w] += z[w] * z[w];
    }
    for (Index w = 0; w < width; ++w) store(out + b + w * lanes, smaller(total[w], same(largest_quadratic)));
  }
}

/// Adds the squares of R entries of A (x - mean), from entry i on, to the totals of W vectors of rows. Each
/// difference is used R times, each coefficient W times, and R W independent sums hide the latency of the
/// additions.
template <int R, int W>
inline const double* add_squares(const double* xt, Index stride, const double* mean, const double* a, Index i,
                                 Doubles* total) {
  const double* rows[R];
  for (Index k = 0; k < R; ++k, a += i + k) rows[k] = a;
  Doubles z[R][W] = {};
  for (Index j = 0; j < i; ++j)
    for (Index w = 0; w < W; ++w) {
      const Doubles difference = load(xt + j * stride + w * lanes) - mean[j];
      for (Index k = 0; k < R; ++k) z[k][w] += difference * rows[k][j];
    }
#pragma GCC unroll 8
  for (Index m = 0; m < R; ++m)
    for (Index w = 0; w < W; ++w) {
      const Doubles difference = load(xt + (i + m) * stride + w * lanes) - mean[i + m];
      for (Index k = m; k < R; ++k) z[k][w] += difference * rows[k][i + m];
    }
  for (Index k = 0; k < R; ++k)
    for (Index w = 0; w < W; ++w) total[w] += z[k][w] * z[k][w];
  return a;
}

/// Entries `i` .. `last`; `a` is where the first of their rows begins.
template <int W>
inline void add_entries(const double* xt, Index stride, Index i, Index last, const double* mean,
                        const double* a, Doubles* total) {
  for (; i + 4 <= last; i += 4) a = add_squares<4, W>(xt, stride, mean, a, i, total);
  switch (last - i) {
  case 3: add_squares<3, W>(xt, stride, mean, a, i, total); break;
  case 2: add_squares<2, W>(xt, stride, mean, a, i, total); break;
  case 1: add_squares<1, W>(xt, stride, mean, a, i, total); break;
  default: break;
  }
}

template <int W>
inline void quadratic_rows(const double* xt, Index stride, Index d, const double* mean, const double* a,
                           double* out) {
  Doubles total[W] = {};
  add_entries<W>(xt, stride, 0, d, mean, a, total);
  for (Index w = 0; w < W; ++w) store(out + w * lanes, smaller(total[w], same(largest_quadratic)));
}

void add_quadratic(const double* xt, Index stride, Index n, Index first, Index last, const double* mean,
                   const double* a, double* out) {
  constexpr int width = 2;
  for (Index b = 0; b < n; b += width * lanes) {
    Doubles total[width];
    for (Index w = 0; w < width; ++w) total[w] = load(out + b + w * lanes);
    add_entries<width>(xt + b, stride, first, last, mean, a + first * (first + 1) / 2, total);
    for (Index w = 0; w < width; ++w) store(out + b + w * lanes, smaller(total[w], same(largest_quadratic)));
  }
}

/// Any number of features, as many rows at a time as there are registers for their sums.
void quadratic_full_any(const double* xt, Index stride, Index n, Index d, const double* mean, const double* a,
                        double* out) {
  constexpr int width = many_registers ? 4 : 2;
  Index b = 0;
  for (; b + width * lanes <= n; b += width * lanes)
    quadratic_rows<width>(xt + b, stride, d, mean, a, out + b);
  for (; b < n; b += 2 * lanes) quadratic_rows<2>(xt + b, stride, d, mean, a, out + b);
}

void quadratic_full(const double* xt, Index stride, Index n, Index d, const double* mean, const double* a,
                    double* out) {
  switch (d) {
  case 1: return quadratic_full_of<1>(xt, stride, n, mean, a, out);
  case 2: return quadratic_full_of<2>(xt, stride, n, mean, a, out);
  case 3: return quadratic_full_of<3>(xt, stride, n, mean, a, out);
  case 4: return quadratic_full_of<4>(xt, stride, n, mean, a, out);
  case 5: return quadratic_full_of<5>(xt, stride, n, mean, a, out);
  case 6: return quadratic_full_of<6>(xt, stride, n, mean, a, out);
  case 8: return quadratic_full_of<8>(xt, stride, n, mean, a, out);
  case 10: return quadratic_full_of<10>(xt, stride, n, mean, a, out);
  default: return quadratic_full_any(xt, stride, n, d, mean, a, out);
  }
}

void quadratic_diagonal(const double* xt, Index stride, Index n, Index d, const double* mean,
                        const double* precision, double* out) {
  for (Index b = 0; b < n; b += lanes) {
    Doubles total{};
    for (Index j = 0; j < d; ++j) {
      const Doubles difference = load(xt + j * stride + b) - mean[j];
      total += difference * difference * precision[j];
    }
    store(out + b, smaller(total, same(largest_quadratic)));
  }
}

void gaussian(double* values, Index n, double constant) {
  for (Index b = 0; b < n; b += lanes) store(values + b, constant - 0.5 * load(values + b));
}

void student(double* values, Index n, double constant, double power, double factor) {
  for (Index b = 0; b < n; b += lanes) {
    const Doubles u = smaller(load(values + b) * factor, same(largest_quadratic));
    store(values + b, constant - power * log1p_nonnegative(u));
  }
}

void student_product(const double* xt, Index stride, Index n, Index d, const double* mean,
                     const double* factor, double constant, double power, double* out) {
  for (Index b = 0; b < n; b += lanes) {
    Doubles total{};
    for (Index j = 0; j < d; ++j) {
      const Doubles difference = load(xt + j * stride + b) - mean[j];
      total += log1p_nonnegative(smaller(difference * difference * factor[j], same(largest_quadratic)));
    }
    store(out + b, constant - power * total);
  }
}

inline Doubles largest_logit(const double* logits, Index stride, Index n_components) {
  Doubles largest = load(logits);
  for (Index k = 1; k < n_components; ++k) largest = larger(largest, load(logits + k * stride));
  return largest;
}

void log_sum_exp(const double* logits, Index stride, Index n, Index n_components, double* out) {
  for (Index b = 0; b < n; b += lanes) {
    const Doubles largest = largest_logit(logits + b, stride, n_components);
    Doubles total{};
    for (Index k = 0; k < n_components; ++k)
      total += exp_nonpositive(load(logits + k * stride + b) - largest);
    store(out + b, largest + log_positive(total));
  }
}

void responsibilities(double* logits, Index stride, Index n, Index n_components, const double* weight,
                      double* out) {
  for (Index b = 0; b < n; b += lanes) {
    const Doubles largest = largest_logit(logits + b, stride, n_components);
    Doubles total{};
    for (Index k = 0; k < n_components; ++k) {
      double* const at = logits + k * stride + b;
      const Doubles e = exp_nonpositive(load(at) - largest);
      store(at, e);
      total += e;
    }
    store(out + b, largest + log_positive(total));
    const Doubles factor = load(weight + b) / total;
    for (Index k = 0; k < n_components; ++k) {
      double* const at = logits + k * stride + b;
      store(at, load(at) * factor);
    }
  }
}

template <int D>
void moments_full_of(const double* xt, Index stride, Index n, const double* shift, const double* r,
                     double* zeroth, double* first, double* second) {
  constexpr Index n_pairs = Index{D} * (D + 1) / 2;
  Doubles s0{};
  Doubles s1[D] = {};
  Doubles s2[n_pairs] = {};
  for (Index b = 0; b < n; b += lanes) {
    const Doubles weight = load(r + b);
    s0 += weight;
    Doubles difference[D];
    Index at = 0;
    for (Index i = 0; i < D; ++i) {
      difference[i] = load(xt + i * stride + b) - shift[i];
      const Doubles weighted = weight * difference[i];
      s1[i] += weighted;
      for (Index j = 0; j <= i; ++j, ++at) s2[at] += weighted * difference[j];
    }
  }
  *zeroth += sum(s0);
  for (Index i = 0; i < D; ++i) first[i] += sum(s1[i]);
  for (Index at = 0; at < n_pairs; ++at) second[at] += sum(s2[at]);
}

/// A tile of R x C second moments, entries i .. i+R by j .. j+C of the triangle; on its diagonal the lower
/// half.
template <int R, int C, bool Diagonal = false>
inline void second_moments(const double* y, Index stride, Index n, Index i, Index j, double* second) {
  Doubles sums[R][C] = {};
  const double* const left = y + i * stride;
  const double* const right = y + j * stride;
  for (Index b = 0; b < n; b += lanes) {
    Doubles factor[C];
    for (Index m = 0; m < C; ++m) factor[m] = load(right + m * stride + b);
    for (Index k = 0; k < R; ++k) {
      const Doubles one = Diagonal ? factor[k < C ? k : 0] : load(left + k * stride + b);
      for (Index m = 0; m < (Diagonal ? k + 1 : C); ++m) sums[k][m] += one * factor[m];
    }
  }
  for (Index k = 0; k < R; ++k)
    for (Index m = 0; m < (Diagonal ? k + 1 : C); ++m)
      second[(i + k) * (i + k + 1) / 2 + j + m] += sum(sums[k][m]);
}

/// The R rows of the triangle from row i on; they stay in the nearest cache while the others pass by.
template <int R>
inline void second_moment_rows(const double* y, Index stride, Index n, Index i, double* second) {
  Index j = 0;
  for (; j + 4 <= i; j += 4) second_moments<R, 4>(y, stride, n, i, j, second);
  second_moments<R, R, true>(y, stride, n, i, i, second);
}

/// Any number of features. y = sqrt(r) d is written down once, and the second moments are products of y with
/// itself, in tiles that keep their sums in registers.
void moments_full_any(const double* xt, Index stride, Index n, Index d, const double* shift, const double* r,
                      double* scratch, double* zeroth, double* first, double* second) {
  double* const root = scratch + d * stride;
  for (Index b = 0; b < n; ++b) root[b] = __builtin_sqrt(r[b]);
  Doubles s0{};
  for (Index b = 0; b < n; b += lanes) s0 += load(r + b);
  *zeroth += sum(s0);
  for (Index i = 0; i < d; ++i) {
    Doubles s1{};
    for (Index b = 0; b < n; b += lanes) {
      const Doubles y = load(root + b) * (load(xt + i * stride + b) - shift[i]);
      store(scratch + i * stride + b, y);
      s1 += load(root + b) * y;
    }
    first[i] += sum(s1);
  }
  Index i = 0;
  for (; i + 4 <= d; i += 4) second_moment_rows<4>(scratch, stride, n, i, second);
  switch (d - i) {
  case 3: second_moment_rows<3>(scratch, stride, n, i, second); break;
  case 2: second_moment_rows<2>(scratch, stride, n, i, second); break;
  case 1: second_moment_rows<1>(scratch, stride, n, i, second); break;
  default: break;
  }
}

void moments_full(const double* xt, Index stride, Index n, Index d, const double* shift, const double* r,
                  double* scratch, double* zeroth, double* first, double* second) {
  switch (d) {
  case 1: return moments_full_of<1>(xt, stride, n, shift, r, zeroth, first, second);
  case 2: return moments_full_of<2>(xt, stride, n, shift, r, zeroth, first, second);
  case 3: return moments_full_of<3>(xt, stride, n, shift, r, zeroth, first, second);
  case 4: return moments_full_of<4>(xt, stride, n, shift, r, zeroth, first, second);
  case 5: return moments_full_of<5>(xt, stride, n, shift, r, zeroth, first, second);
  case 6: return moments_full_of<6>(xt, stride, n, shift, r, zeroth, first, second);
  default: return moments_full_any(xt, stride, n, d, shift, r, scratch, zeroth, first, second);
  }
}

void moments_diagonal(const double* xt, Index stride, Index n, Index d, const double* shift, const double* r,
                      double* zeroth, double* first, double* second) {
  Doubles s0{};
  for (Index b = 0; b < n; b += lanes) s0 += load(r + b);
  *zeroth += sum(s0);
  for (Index j = 0; j < d; ++j) {
    Doubles s1{};
    Doubles s2{};
    for (Index b = 0; b < n; b += lanes) {
      const Doubles difference = load(xt + j * stride + b) - shift[j];
      const Doubles weighted = load(r + b) * difference;
      s1 += weighted;
      s2 += weighted * difference;
    }
    first[j] += sum(s1);
    second[j] += sum(s2);
  }
}

} // namespace

namespace LACUNA_INSTRUCTION_SET {

extern const Kernels kernels;
const Kernels kernels = {LACUNA_TEXT(LACUNA_INSTRUCTION_SET),
                         quadratic_full,
                         add_quadratic,
                         quadratic_diagonal,
                         gaussian,
                         student,
                         student_product,
                         log_sum_exp,
                         responsibilities,
                         moments_full,
                         moments_diagonal};

} // namespace LACUNA_INSTRUCTION_SET

} // namespace lacuna
