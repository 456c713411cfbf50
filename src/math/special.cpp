#include "math/special.hpp"

#include <cmath>
#include <limits>
#include <numbers>

#include <boost/math/special_functions/beta.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>

namespace lacuna {

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

double log_sum_exp(std::span<const double> values) {
  double largest = -std::numeric_limits<double>::infinity();
  for (const double value : values) {
    if (std::isnan(value)) return value;
    if (value > largest) largest = value;
  }
  if (std::isinf(largest)) return largest; // also covers "no values"
  double sum = 0.0;
  for (const double value : values) sum += std::exp(value - largest);
  return largest + std::log(sum);
}

} // namespace lacuna
