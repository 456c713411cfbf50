#include "density/niw.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "math/special.hpp"

// Equation numbers refer to docs/math/dp-gmm.md.

namespace lacuna {

namespace {

const double ln_pi = std::log(std::numbers::pi);
const double ln_2_pi = std::numbers::ln2 + ln_pi;

double count_of(std::size_t n) {
  return static_cast<double>(n);
}

/// The second moments about `center` instead of the shift.
Triangle second_about(const RowStatistics& rows, const std::vector<double>& center) {
  Triangle result = rows.second;
  std::size_t at = 0;
  for (std::size_t i = 0; i < center.size(); ++i) {
    const double e_i = rows.shift[i] - center[i];
    for (std::size_t j = 0; j <= i; ++j, ++at) {
      const double e_j = rows.shift[j] - center[j];
      result[at] += rows.first[i] * e_j + rows.first[j] * e_i + rows.n * e_i * e_j;
    }
  }
  return result;
}

double squared_distance(const Triangle& whitener, const std::vector<double>& a, std::span<const double> b) {
  std::vector<double> difference(a.size());
  for (std::size_t j = 0; j < a.size(); ++j) difference[j] = b[j] - a[j];
  return squared_norm(whitener.data(), difference);
}

} // namespace

void RowStatistics::add(std::span<const double> x, double weight) {
  n += weight;
  std::size_t at = 0;
  for (std::size_t i = 0; i < shift.size(); ++i) {
    const double weighted = weight * (x[i] - shift[i]);
    first[i] += weighted;
    for (std::size_t j = 0; j <= i; ++j, ++at) second[at] += weighted * (x[j] - shift[j]);
  }
}

void RowStatistics::add(const RowStatistics& other) {
  const Triangle moved = second_about(other, shift);
  for (std::size_t at = 0; at < second.size(); ++at) second[at] += moved[at];
  for (std::size_t i = 0; i < shift.size(); ++i)
    first[i] += other.first[i] + other.n * (other.shift[i] - shift[i]);
  n += other.n;
}

double Normal::log_likelihood(const RowStatistics& rows) const {
  const std::size_t d = mean.size();
  const double squares = trace(sandwich(whitener, second_about(rows, mean), d), d);
  return 0.5 * (rows.n * (log_det - count_of(d) * ln_2_pi) - squares);
}

Normal NormalInverseWishart::draw(RandomStream& random) const {
  const std::size_t d = n_features();
  // Bartlett: U' U is Wishart with unit scale for this lower triangle U, so R = U A.
  Triangle u(triangle_size(d));
  std::size_t at = 0;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) u[at++] = random.normal();
    u[at++] = std::sqrt(2.0 * random.gamma(0.5 * (nu - count_of(d - 1 - i))));
  }
  Normal result;
  result.whitener = product(u, whitener, d);
  result.log_det = 2.0 * log_diagonal(result.whitener.data(), d);
  result.mean = mean;
  std::vector<double> y(d);
  const double* row = result.whitener.data();
  const double spread = 1.0 / std::sqrt(beta);
  for (std::size_t i = 0; i < d; row += ++i) { // solve R y = z: y has covariance Sigma
    y[i] = random.normal();
    for (std::size_t j = 0; j < i; ++j) y[i] -= row[j] * y[j];
    y[i] /= row[i];
    result.mean[i] += spread * y[i];
  }
  return result;
}

double NormalInverseWishart::log_density(const Normal& normal) const {
  const auto d = count_of(n_features());
  const double of_mean = 0.5 * (d * (std::log(beta) - ln_2_pi) + normal.log_det -
                                beta * squared_distance(normal.whitener, mean, normal.mean));
  const double scatter = sum_of_squares(product(normal.whitener, factor, n_features())); // tr Psi Sigma^-1
  const double of_covariance =
      0.5 * (nu * (log_det - d * std::numbers::ln2) + (nu + d + 1.0) * normal.log_det - scatter) -
      log_multivariate_gamma(0.5 * nu, static_cast<Index>(n_features()));
  return of_mean + of_covariance;
}

double NormalInverseWishart::largest_log_density(const Normal& normal) const {
  const auto d = count_of(n_features());
  const double of_mean = 0.5 * (d * (std::log(beta) - ln_2_pi) + normal.log_det);
  const double of_covariance = 0.5 * (nu * d * (std::log(0.5 * nu) - 1.0) + (d + 1.0) * normal.log_det) -
                               log_multivariate_gamma(0.5 * nu, static_cast<Index>(n_features()));
  return of_mean + of_covariance;
}

double NormalInverseWishart::log_normaliser() const {
  return log_multivariate_gamma(0.5 * nu, static_cast<Index>(n_features())) -
         0.5 * (nu * log_det + count_of(n_features()) * std::log(beta));
}

StudentPredictive::StudentPredictive(const NormalInverseWishart& of)
    : power(0.5 * (of.nu + 1.0)), factor(of.beta / (1.0 + of.beta)) {
  const double d = count_of(of.n_features());
  constant = log_gamma(power) - log_gamma(0.5 * (of.nu + 1.0 - d)) +
             0.5 * (d * (std::log(factor) - ln_pi) - of.log_det);
}

double StudentPredictive::log_density(const NormalInverseWishart& of, std::span<const double> x) const {
  return constant - power * std::log1p(factor * squared_distance(of.whitener, of.mean, x));
}

NormalInverseWishart make_base(std::size_t n_features, double beta, double nu, double scatter) {
  NormalInverseWishart base;
  base.beta = beta;
  base.nu = nu;
  base.mean.resize(n_features);
  base.factor.resize(triangle_size(n_features));
  for (std::size_t i = 0; i < n_features; ++i) base.factor[i * (i + 1) / 2 + i] = std::sqrt(scatter);
  base.whitener = inverse(base.factor, n_features);
  base.log_det = count_of(n_features) * std::log(scatter);
  return base;
}

NormalInverseWishart update(const NormalInverseWishart& base, const RowStatistics& rows) {
  const std::size_t d = base.n_features();
  NormalInverseWishart result;
  result.beta = base.beta + rows.n;
  result.nu = base.nu + rows.n;
  result.mean.resize(d);
  if (!(rows.n > 0.0)) return base;
  std::vector<double> centre(d);
  for (std::size_t j = 0; j < d; ++j) {
    centre[j] = rows.shift[j] + rows.first[j] / rows.n;
    result.mean[j] = (base.beta * base.mean[j] + rows.n * centre[j]) / result.beta;
  }
  result.factor = square(base.factor, d);
  const double pull = base.beta * rows.n / result.beta;
  std::size_t at = 0;
  for (std::size_t i = 0; i < d; ++i)
    for (std::size_t j = 0; j <= i; ++j, ++at)
      result.factor[at] += rows.second[at] - rows.first[i] * (rows.first[j] / rows.n) +
                           pull * (centre[i] - base.mean[i]) * (centre[j] - base.mean[j]);
  safe_cholesky(result.factor, d);
  result.whitener = inverse(result.factor, d);
  result.log_det = 2.0 * log_diagonal(result.factor.data(), d);
  return result;
}

double log_evidence(const NormalInverseWishart& base, const NormalInverseWishart& updated) {
  return updated.log_normaliser() - base.log_normaliser() -
         0.5 * (updated.nu - base.nu) * count_of(base.n_features()) * ln_pi;
}

double draw_log_gamma(RandomStream& random, double shape) {
  constexpr double least = -1e300; // stays finite however tiny the shape
  if (shape >= 1.0) return std::log(random.gamma(shape));
  return std::max(least, std::log(random.gamma(shape + 1.0)) + std::log(random.uniform()) / shape);
}

} // namespace lacuna
