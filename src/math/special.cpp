#include "math/special.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <vector>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>

#include "core/index.hpp"
#include "math/log_add_kernels.hpp"

namespace lacuna {

namespace {

/// exp of less is below half a unit in the last place of 1.
constexpr double lost_beside_one = -37.0;
/// So are the sums of as many numbers as fit into memory.
constexpr double none_of_many = -80.0;
/// exp of less is 0.
constexpr double smallest_power = -746.0;

const LogAddKernel& kernel() {
  static const LogAddKernel& widest = *log_add_kernels().back();
  return widest;
}

} // namespace

double log_gamma(double x) {
  return boost::math::lgamma(x);
}

double digamma(double x) {
  return boost::math::digamma(x);
}

double log_multivariate_gamma(double x, Index d) {
  double sum = 0.25 * static_cast<double>(d * (d - 1)) * std::log(std::numbers::pi);
  for (Index i = 0; i < d; ++i) sum += log_gamma(x - 0.5 * static_cast<double>(i));
  return sum;
}

double log_beta(double a, double b) {
  return log_gamma(a) + log_gamma(b) - log_gamma(a + b);
}

double beta_quantile(double p, double a, double b) {
  return boost::math::ibeta_inv(a, b, p);
}

// Most powers are far too small to change a sum that has 1 in it already, and calls of exp and log are what
// scoring consists of. So what cannot change a bit of the result is not computed.

double binomial_at_most(Index k, Index n, double p) {
  if (k < 0) return 0.0;
  if (k >= n) return 1.0;
  return boost::math::ibetac(static_cast<double>(k + 1), static_cast<double>(n - k), p);
}

double log_sum_exp(std::span<const double> values) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double value : values) {
    if (std::isnan(value)) return value;
    if (value > largest) largest = value;
  }
  if (std::isinf(largest)) return largest; // also covers "no values"
  std::size_t first = 0;
  while (values[first] - largest < none_of_many) ++first;
  if (values[first] != largest) first = 0; // these add up with what comes before the 1
  double sum = 0.0;
  for (std::size_t i = first; i < values.size(); ++i) {
    const double power = values[i] - largest;
    if (power == 0.0)
      sum += 1.0;
    else if (power >= (sum < 1.0 ? smallest_power : lost_beside_one))
      sum += std::exp(power);
  }
  return largest + (sum == 1.0 ? 0.0 : std::log(sum));
}

double log_sum_exp(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) ? a : b;
  const double largest = b > a ? b : a;
  if (std::isinf(largest)) return largest;
  const double power = (b > a ? a : b) - largest;
  return largest + (power < lost_beside_one ? 0.0 : std::log(1.0 + std::exp(power)));
}

void log_sum_exp(std::span<const double> a, std::span<const double> b, std::span<double> out) {
  const Index n = kernel().log_add(a.data(), b.data(), static_cast<Index>(out.size()), out.data());
  std::fill(out.begin() + n, out.end(), std::numeric_limits<double>::quiet_NaN());
  for (std::size_t i = 0; i < out.size(); ++i)
    if (std::isnan(out[i])) out[i] = log_sum_exp(a[i], b[i]);
}

void log_sum_exp_columns(MatrixView terms, std::span<double> out) {
  const Index n = terms.n_rows == 0
                      ? 0
                      : kernel().log_sum(terms.data, terms.n_cols, terms.n_rows, terms.n_cols, out.data());
  std::fill(out.begin() + n, out.end(), std::numeric_limits<double>::quiet_NaN());
  std::vector<double> column(at(terms.n_rows));
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!std::isnan(out[i])) continue;
    for (std::size_t k = 0; k < column.size(); ++k)
      column[k] = terms(static_cast<Index>(k), static_cast<Index>(i));
    out[i] = log_sum_exp(column);
  }
}

} // namespace lacuna
