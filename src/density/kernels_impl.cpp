// Compiled once per instruction set, with LACUNA_KERNEL_SET naming the copy and LACUNA_KERNEL_BYTES the width
// of its vectors. Only plain arrays and compiler vectors here: an inline function of some header, compiled
// with wider instructions, could be picked by the linker for the whole program.

#include "density/kernels.hpp"

#ifndef LACUNA_KERNEL_SET
#define LACUNA_KERNEL_SET kernels_plain
#define LACUNA_KERNEL_BYTES 16
#endif
#include "density/vectors.hpp"
#define LACUNA_TEXT_OF(x) #x
#define LACUNA_TEXT(x) LACUNA_TEXT_OF(x)

namespace lacuna {

namespace {

/// log(x) for normal positive x.
inline Vec log_positive(Vec x) {
  // x = m 2^e with m in [sqrt(1/2), sqrt(2)); log m = 2 atanh((m - 1) / (m + 1)).
  constexpr long long sqrt_half = 0x3fe6a09e667f3bcd;
  // Without a sign, so that a negative x, as a damaged model may bring, gives a wrong number and nothing
  // worse.
  const auto offset =
      reinterpret_cast<Bits>(reinterpret_cast<UnsignedBits>(x) - static_cast<unsigned long long>(sqrt_half));
  const Bits e = offset >> 52;
  const Vec m = reinterpret_cast<Vec>((offset & 0x000fffffffffffffLL) + sqrt_half);
  const Vec f = m - 1.0;
  const Vec s = f / (m + 1.0);
  const Vec z = s * s;
  Vec p = same(1.0 / 23.0);
  p = p * z + 1.0 / 21.0;
  p = p * z + 1.0 / 19.0;
  p = p * z + 1.0 / 17.0;
  p = p * z + 1.0 / 15.0;
  p = p * z + 1.0 / 13.0;
  p = p * z + 1.0 / 11.0;
  p = p * z + 1.0 / 9.0;
  p = p * z + 1.0 / 7.0;
  p = p * z + 1.0 / 5.0;
  p = p * z + 1.0 / 3.0;
  const Vec k = __builtin_convertvector(e, Vec);
  return k * 0x1.62e42fefa39efp-1 + (2.0 * s + 2.0 * s * z * p);
}

/// log(1 + u) for u >= 0, exact for small u as well.
inline Vec log1p_nonnegative(Vec u) {
  const Vec t = u + 1.0;
  return log_positive(t) + (u - (t - 1.0)) / t;
}

/// With a fixed number of features the differences stay in registers.
template <int D>
void quadratic_full_of(const double* xt, Index stride, Index n, const double* mean, const double* a,
                       double* out) {
  constexpr Index width = 2; // vectors at a time
  for (Index b = 0; b < n; b += width * lanes) {
    Vec difference[D][width];
    for (Index j = 0; j < D; ++j)
      for (Index w = 0; w < width; ++w) difference[j][w] = load(xt + j * stride + b + w * lanes) - mean[j];
    Vec total[width] = {};
    const double* coefficient = a;
    for (Index i = 0; i < D; ++i) {
      Vec z[width] = {};
      for (Index j = 0; j <= i; ++j, ++coefficient)
        for (Index w = 0; w < width; ++w) z[w] += difference[j][w] * *coefficient;
      for (Index w = 0; w < width; ++w) total[w] += z[w] * z[w];
    }
    for (Index w = 0; w < width; ++w) store(out + b + w * lanes, smaller(total[w], same(largest_quadratic)));
  }
}

/// Any number of features: four rows of the triangle at a time, so that each difference is used four times
/// and eight independent sums hide the latency of the additions.
void quadratic_full_any(const double* xt, Index stride, Index n, Index d, const double* mean, const double* a,
                        double* out) {
  constexpr Index width = 2;
  constexpr Index n_together = 4;
  for (Index b = 0; b < n; b += width * lanes) {
    Vec total[width] = {};
    const double* row = a;
    for (Index i = 0; i < d; i += n_together) {
      const Index n_rows = d - i < n_together ? d - i : n_together;
      const double* rows[n_together]; // missing rows repeat the last one and are not added up
      for (Index k = 0; k < n_together; ++k) {
        rows[k] = row;
        if (k + 1 < n_rows) row += i + k + 1;
      }
      row += i + n_rows;
      Vec z[n_together][width] = {};
      for (Index j = 0; j < i; ++j) {
        const double* const x = xt + j * stride + b;
        for (Index w = 0; w < width; ++w) {
          const Vec difference = load(x + w * lanes) - mean[j];
          for (Index k = 0; k < n_together; ++k) z[k][w] += difference * rows[k][j];
        }
      }
      for (Index k = 0; k < n_rows; ++k)
        for (Index w = 0; w < width; ++w) {
          for (Index j = i; j <= i + k; ++j)
            z[k][w] += (load(xt + j * stride + b + w * lanes) - mean[j]) * rows[k][j];
          total[w] += z[k][w] * z[k][w];
        }
    }
    for (Index w = 0; w < width; ++w) store(out + b + w * lanes, smaller(total[w], same(largest_quadratic)));
  }
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
    Vec total{};
    for (Index j = 0; j < d; ++j) {
      const Vec difference = load(xt + j * stride + b) - mean[j];
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
    const Vec u = smaller(load(values + b) * factor, same(largest_quadratic));
    store(values + b, constant - power * log1p_nonnegative(u));
  }
}

void student_product(const double* xt, Index stride, Index n, Index d, const double* mean,
                     const double* factor, double constant, double power, double* out) {
  for (Index b = 0; b < n; b += lanes) {
    Vec total{};
    for (Index j = 0; j < d; ++j) {
      const Vec difference = load(xt + j * stride + b) - mean[j];
      total += log1p_nonnegative(smaller(difference * difference * factor[j], same(largest_quadratic)));
    }
    store(out + b, constant - power * total);
  }
}

inline Vec largest_logit(const double* logits, Index stride, Index n_components) {
  Vec largest = load(logits);
  for (Index k = 1; k < n_components; ++k) largest = larger(largest, load(logits + k * stride));
  return largest;
}

void log_sum_exp(const double* logits, Index stride, Index n, Index n_components, double* out) {
  for (Index b = 0; b < n; b += lanes) {
    const Vec largest = largest_logit(logits + b, stride, n_components);
    Vec total{};
    for (Index k = 0; k < n_components; ++k)
      total += exp_nonpositive(load(logits + k * stride + b) - largest);
    store(out + b, largest + log_positive(total));
  }
}

void responsibilities(double* logits, Index stride, Index n, Index n_components, const double* weight,
                      double* out) {
  for (Index b = 0; b < n; b += lanes) {
    const Vec largest = largest_logit(logits + b, stride, n_components);
    Vec total{};
    for (Index k = 0; k < n_components; ++k) {
      double* const at = logits + k * stride + b;
      const Vec e = exp_nonpositive(load(at) - largest);
      store(at, e);
      total += e;
    }
    store(out + b, largest + log_positive(total));
    const Vec factor = load(weight + b) / total;
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
  Vec s0{};
  Vec s1[D] = {};
  Vec s2[n_pairs] = {};
  for (Index b = 0; b < n; b += lanes) {
    const Vec weight = load(r + b);
    s0 += weight;
    Vec difference[D];
    Index at = 0;
    for (Index i = 0; i < D; ++i) {
      difference[i] = load(xt + i * stride + b) - shift[i];
      const Vec weighted = weight * difference[i];
      s1[i] += weighted;
      for (Index j = 0; j <= i; ++j, ++at) s2[at] += weighted * difference[j];
    }
  }
  *zeroth += sum(s0);
  for (Index i = 0; i < D; ++i) first[i] += sum(s1[i]);
  for (Index at = 0; at < n_pairs; ++at) second[at] += sum(s2[at]);
}

/// A tile of `R` x `C` second moments: rows i .. i+R, columns j .. j+C of the triangle.
template <int R, int C>
inline void second_moments(const double* xt, Index stride, Index n, const double* shift, const double* r,
                           Index i, Index j, double* const* to) {
  Vec sums[R][C] = {};
  for (Index b = 0; b < n; b += lanes) {
    const Vec weight = load(r + b);
    Vec weighted[R];
    for (Index k = 0; k < R; ++k) weighted[k] = weight * (load(xt + (i + k) * stride + b) - shift[i + k]);
    for (Index m = 0; m < C; ++m) {
      const Vec difference = load(xt + (j + m) * stride + b) - shift[j + m];
      for (Index k = 0; k < R; ++k) sums[k][m] += weighted[k] * difference;
    }
  }
  for (Index k = 0; k < R; ++k)
    for (Index m = 0; m < C; ++m) to[k][j + m] += sum(sums[k][m]);
}

/// Any number of features, in tiles that keep the sums in registers.
void moments_full_any(const double* xt, Index stride, Index n, Index d, const double* shift, const double* r,
                      double* zeroth, double* first, double* second) {
  Vec s0{};
  for (Index b = 0; b < n; b += lanes) s0 += load(r + b);
  *zeroth += sum(s0);
  for (Index i = 0; i < d; ++i) {
    Vec s1{};
    for (Index b = 0; b < n; b += lanes) s1 += load(r + b) * (load(xt + i * stride + b) - shift[i]);
    first[i] += sum(s1);
  }
  double* row = second;
  for (Index i = 0; i < d;) {
    double* const rows[2] = {row, row + i + 1};
    const bool pair = i + 1 < d;
    Index j = 0;
    for (; pair && j + 4 <= i + 1; j += 4) second_moments<2, 4>(xt, stride, n, shift, r, i, j, rows);
    for (; j <= i; ++j) {
      second_moments<1, 1>(xt, stride, n, shift, r, i, j, rows);
      if (pair) second_moments<1, 1>(xt, stride, n, shift, r, i + 1, j, rows + 1);
    }
    if (pair) second_moments<1, 1>(xt, stride, n, shift, r, i + 1, i + 1, rows + 1);
    row += pair ? 2 * i + 3 : i + 1;
    i += pair ? 2 : 1;
  }
}

void moments_full(const double* xt, Index stride, Index n, Index d, const double* shift, const double* r,
                  double* zeroth, double* first, double* second) {
  switch (d) {
  case 1: return moments_full_of<1>(xt, stride, n, shift, r, zeroth, first, second);
  case 2: return moments_full_of<2>(xt, stride, n, shift, r, zeroth, first, second);
  case 3: return moments_full_of<3>(xt, stride, n, shift, r, zeroth, first, second);
  case 4: return moments_full_of<4>(xt, stride, n, shift, r, zeroth, first, second);
  case 5: return moments_full_of<5>(xt, stride, n, shift, r, zeroth, first, second);
  case 6: return moments_full_of<6>(xt, stride, n, shift, r, zeroth, first, second);
  default: return moments_full_any(xt, stride, n, d, shift, r, zeroth, first, second);
  }
}

void moments_diagonal(const double* xt, Index stride, Index n, Index d, const double* shift, const double* r,
                      double* zeroth, double* first, double* second) {
  Vec s0{};
  for (Index b = 0; b < n; b += lanes) s0 += load(r + b);
  *zeroth += sum(s0);
  for (Index j = 0; j < d; ++j) {
    Vec s1{};
    Vec s2{};
    for (Index b = 0; b < n; b += lanes) {
      const Vec difference = load(xt + j * stride + b) - shift[j];
      const Vec weighted = load(r + b) * difference;
      s1 += weighted;
      s2 += weighted * difference;
    }
    first[j] += sum(s1);
    second[j] += sum(s2);
  }
}

} // namespace

extern const Kernels LACUNA_KERNEL_SET;
const Kernels LACUNA_KERNEL_SET = {LACUNA_TEXT(LACUNA_KERNEL_SET),
                                   quadratic_full,
                                   quadratic_diagonal,
                                   gaussian,
                                   student,
                                   student_product,
                                   log_sum_exp,
                                   responsibilities,
                                   moments_full,
                                   moments_diagonal};

} // namespace lacuna
