#include "density/triangle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "math/cholesky.hpp"

namespace lacuna {

namespace {

/// Where row i begins.
std::size_t row(std::size_t i) {
  return i * (i + 1) / 2;
}

/// Element (i, j) of a symmetric matrix.
double symmetric(const Triangle& s, std::size_t i, std::size_t j) {
  return i >= j ? s[row(i) + j] : s[row(j) + i];
}

} // namespace

bool cholesky(Triangle& a, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = a[row(i) + j];
      for (std::size_t k = 0; k < j; ++k) sum -= a[row(i) + k] * a[row(j) + k];
      if (j < i) {
        a[row(i) + j] = sum / a[row(j) + j];
        continue;
      }
      if (!(sum > 0.0) || !std::isfinite(sum)) return false;
      a[row(i) + i] = std::sqrt(sum);
    }
  return true;
}

void safe_cholesky(Triangle& a, std::size_t n) {
  Triangle factor = a;
  if (!cholesky(factor, n)) {
    std::vector<double> full(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) full[i * n + j] = full[j * n + i] = a[row(i) + j];
    robust_cholesky(full, static_cast<Index>(n));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j <= i; ++j) factor[row(i) + j] = full[i * n + j];
  }
  a = std::move(factor);
}

Triangle inverse(const Triangle& l, std::size_t n) {
  Triangle result(triangle_size(n));
  for (std::size_t i = 0; i < n; ++i) {
    const double pivot = 1.0 / l[row(i) + i];
    result[row(i) + i] = pivot;
    for (std::size_t j = 0; j < i; ++j) {
      double sum = 0.0;
      for (std::size_t k = j; k < i; ++k) sum += l[row(i) + k] * result[row(k) + j];
      result[row(i) + j] = -pivot * sum;
    }
  }
  return result;
}

Triangle product(const Triangle& a, const Triangle& b, std::size_t n) {
  Triangle result(triangle_size(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      const double factor = a[row(i) + k];
      for (std::size_t j = 0; j <= k; ++j) result[row(i) + j] += factor * b[row(k) + j];
    }
  return result;
}

Triangle square(const Triangle& l, std::size_t n) {
  Triangle result(triangle_size(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t k = 0; k <= j; ++k) result[row(i) + j] += l[row(i) + k] * l[row(j) + k];
  return result;
}

Triangle sandwich(const Triangle& a, const Triangle& s, std::size_t n) {
  std::vector<double> half(n * n); // A S
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t k = 0; k <= i; ++k) {
      const double factor = a[row(i) + k];
      for (std::size_t j = 0; j < n; ++j) half[i * n + j] += factor * symmetric(s, k, j);
    }
  Triangle result(triangle_size(n));
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j)
      for (std::size_t k = 0; k <= j; ++k) result[row(i) + j] += half[i * n + k] * a[row(j) + k];
  return result;
}

std::vector<double> multiply(const Triangle& a, std::span<const double> x) {
  std::vector<double> result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) result[i] += a[row(i) + j] * x[j];
  return result;
}

double squared_norm(const double* a, std::span<const double> x) {
  double sum = 0.0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    double z = 0.0;
    for (std::size_t j = 0; j <= i; ++j) z += *a++ * x[j];
    sum += z * z;
  }
  return sum;
}

double sum_of_squares(std::span<const double> values) {
  return std::inner_product(values.begin(), values.end(), values.begin(), 0.0);
}

double trace(const Triangle& s, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += s[row(i) + i];
  return sum;
}

double log_diagonal(const double* l, std::size_t n) {
  double sum = 0.0;
  for (std::size_t i = 0; i < n; ++i) sum += std::log(l[row(i) + i]);
  return sum;
}

} // namespace lacuna
