#include "density/vb_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "density/vb_parts.hpp"
#include "lacuna/core/errors.hpp"
#include "math/cholesky.hpp"

namespace lacuna {

namespace {

/// Both triangles of a packed one.
std::vector<double> unpack(std::span<const double> packed, Index d) {
  std::vector<double> square(at(d * d));
  const double* from = packed.data();
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j <= i; ++j) square[at(i * d + j)] = square[at(j * d + i)] = *from++;
  return square;
}

/// The posterior inverse scale matrix of one component, packed lower triangle or diagonal, added to `to` (eq.
/// 4).
void add_scatter(const MixtureMoments& moments, const std::vector<double>& center, double beta_0, Index k,
                 double* to) {
  const double n = moments.zeroth[at(k)];
  const double pull = beta_0 * n / (beta_0 + n);
  const double* const s1 = moments.first.row(k);
  const double* second = moments.second.row(k);
  for (Index i = 0; i < moments.n_features(); ++i)
    for (Index j = moments.is_diagonal ? i : 0; j <= i; ++j)
      *to++ += *second++ - s1[i] * s1[j] / n + pull * center[at(i)] * center[at(j)];
}

/// Turns an inverse scale matrix into a whitener and the log determinant of the scale matrix.
double whiten(CovarianceType type, std::span<const double> inverse_scale, Index d, double* whitener) {
  if (type == CovarianceType::diagonal) {
    double log_det = 0.0;
    for (Index j = 0; j < d; ++j) {
      whitener[j] = 1.0 / inverse_scale[at(j)];
      log_det -= std::log(inverse_scale[at(j)]);
    }
    return log_det;
  }
  if (d == 0) return 0.0; // categories alone
  if (type == CovarianceType::spherical) {
    const double total = std::accumulate(inverse_scale.begin(), inverse_scale.end(), 0.0);
    std::fill_n(whitener, d, 1.0 / total);
    return -as_double(d) * std::log(total);
  }
  std::vector<double> square = unpack(inverse_scale, d);
  robust_cholesky(square, d);
  const double log_det = -log_determinant(square, d);
  invert_lower(square, d);
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j <= i; ++j) *whitener++ = square[at(i * d + j)];
  return log_det;
}

std::vector<double> prior_inverse_scale(const VbPrior& prior, Index d) {
  if (is_diagonal(prior.covariance)) return std::vector<double>(at(d), prior.scatter);
  std::vector<double> packed = prior.correlation;
  packed.resize(at(d * (d + 1) / 2), 0.0);
  for (double& r : packed) r *= prior.scatter;
  for (Index i = 0; i < d; ++i) packed[at(i * (i + 1) / 2 + i)] = prior.scatter;
  return packed;
}

/// Components that hold (nearly) no row are gone: dividing by their size would lose all digits. Where all
/// rows together weigh less than one, it is the share that counts, so that something always stays.
constexpr double vanished_rows = 1e-12;

/// The components that are left, largest first: for sticks the order with the largest bound (section 5); a
/// Dirichlet does not care.
std::vector<Index> surviving_order(const std::vector<double>& rows) {
  const double total = std::accumulate(rows.begin(), rows.end(), 0.0);
  std::vector<Index> order;
  for (Index k = 0; k < static_cast<Index>(rows.size()); ++k)
    if (rows[at(k)] > vanished_rows * std::min(total, 1.0)) order.push_back(k);
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) { return rows[at(a)] > rows[at(b)]; });
  return order;
}

} // namespace

bool is_diagonal(CovarianceType type) {
  return type == CovarianceType::diagonal || type == CovarianceType::spherical;
}

VbPrior VbPrior::from_options(const VbMixtureOptions& options, Index n_components, Index n_features,
                              std::vector<Index> levels) {
  VbPrior prior;
  prior.covariance = options.covariance;
  prior.weight_prior = options.weight_prior;
  prior.n_components = n_components;
  prior.weight_concentration = options.weight_concentration.value_or(
      options.weight_prior == WeightPrior::dirichlet ? 1.0 / as_double(n_components) : 1.0);
  prior.mean_precision = options.mean_precision;
  prior.degrees_of_freedom = options.degrees_of_freedom.value_or(std::max(1.0, as_double(n_features)));
  prior.scatter = options.covariance_scale;
  prior.category_concentration = options.category_concentration;
  prior.levels = std::move(levels);
  // Of no features there is no average precision, so with categories alone the shape must not be spherical.
  if (n_features == 0) prior.covariance = CovarianceType::diagonal;
  return prior;
}

bool VbPrior::set_correlation(std::vector<double> packed, Index n_features) {
  correlation = std::move(packed);
  std::vector<double> square = unpack(correlation, n_features);
  const double jitter = robust_cholesky(square, n_features);
  log_det_correlation = log_determinant(square, n_features);
  return jitter == 0.0;
}

Index VbPrior::n_levels() const {
  return std::accumulate(levels.begin(), levels.end(), Index{0});
}

VbPosterior update_posterior(const VbPrior& prior, const MixtureMoments& moments) {
  const Index d = moments.n_features();
  const PrecisionShape shape = precision_shape(prior.covariance, d);
  const std::vector<Index> order = surviving_order(moments.zeroth);
  const auto n_active = static_cast<Index>(order.size());
  if (n_active == 0)
    throw Error(ErrorKind::data,
                "a mixture lost all of its components: the rows hold something else than numbers, or "
                "changed while they were fitted");
  const std::vector<double> prior_scale = prior_inverse_scale(prior, d);
  std::vector<double> inverse_scale = prior_scale;
  double total_rows = 0.0;

  VbPosterior q;
  q.mean = Matrix(n_active, d);
  q.whitener = Matrix(n_active, moments.second.n_cols());
  q.log_det_scale.resize(order.size());
  q.levels = Matrix(n_active, prior.n_levels());
  q.lacking = Matrix(n_active, d);
  std::vector<double> center(at(d));
  for (Index to = 0; to < n_active; ++to) {
    const Index k = order[at(to)];
    const double n = moments.zeroth[at(k)];
    const double beta = prior.mean_precision + n;
    q.rows.push_back(n);
    q.beta.push_back(beta);
    total_rows += n;
    for (Index j = 0; j < d; ++j) {
      center[at(j)] = moments.shift(k, j) + moments.first(k, j) / n;
      q.mean(to, j) = center[at(j)] * n / beta; // the prior mean is zero
    }
    for (Index l = 0; l < q.levels.n_cols(); ++l) // eq. 18
      q.levels(to, l) = prior.category_concentration + moments.levels(k, l);
    for (Index j = 0; j < d; ++j) q.lacking(to, j) = std::clamp(moments.lacking(k, j), 0.0, n);
    const double nu_0 = prior.degrees_of_freedom;
    q.nu.push_back((nu_0 + n) * as_double(shape.features_per_degree));
    if (prior.covariance != CovarianceType::tied) inverse_scale = prior_scale;
    add_scatter(moments, center, prior.mean_precision, k, inverse_scale.data());
    if (prior.covariance != CovarianceType::tied)
      q.log_det_scale[at(to)] = whiten(prior.covariance, inverse_scale, d, q.whitener.row(to));
  }
  if (prior.covariance == CovarianceType::tied) {
    q.nu.assign(order.size(), prior.degrees_of_freedom + total_rows);
    q.log_det_scale.assign(order.size(), whiten(prior.covariance, inverse_scale, d, q.whitener.row(0)));
    for (Index k = 1; k < n_active; ++k)
      std::copy_n(q.whitener.row(0), q.whitener.n_cols(), q.whitener.row(k));
  }
  return q;
}

std::vector<double> expected_log_weights(const VbPrior& prior, const VbPosterior& posterior) {
  const double gamma = prior.weight_concentration;
  std::vector<double> result(posterior.rows.size());
  if (prior.weight_prior == WeightPrior::stick_breaking) {
    const std::vector<double> after = rows_after(posterior.rows);
    double left = 0.0; // E[log(1 - v_1) ... (1 - v_{k-1})]
    for (std::size_t k = 0; k < result.size(); ++k) {
      const double a = 1.0 + posterior.rows[k];
      const double b = gamma + after[k];
      result[k] = left + digamma(a) - digamma(a + b);
      left += digamma(b) - digamma(a + b);
    }
    return result;
  }
  const double total = gamma * as_double(prior.n_components) +
                       std::accumulate(posterior.rows.begin(), posterior.rows.end(), 0.0);
  for (std::size_t k = 0; k < result.size(); ++k)
    result[k] = digamma(gamma + posterior.rows[k]) - digamma(total);
  return result;
}

std::vector<double> mean_weights(const VbPrior& prior, const VbPosterior& posterior) {
  const double gamma = prior.weight_concentration;
  std::vector<double> result(posterior.rows.size());
  if (prior.weight_prior == WeightPrior::stick_breaking) {
    const std::vector<double> after = rows_after(posterior.rows);
    double left = 1.0;
    for (std::size_t k = 0; k < result.size(); ++k) {
      const double stick = (1.0 + posterior.rows[k]) / (1.0 + posterior.rows[k] + gamma + after[k]);
      result[k] = left * stick;
      left *= 1.0 - stick;
    }
  } else {
    std::transform(posterior.rows.begin(), posterior.rows.end(), result.begin(),
                   [gamma](double n) { return gamma + n; });
  }
  const double total = std::accumulate(result.begin(), result.end(), 0.0);
  for (double& w : result) w /= total;
  return result;
}

Matrix mean_levels(const VbPrior& prior, const VbPosterior& posterior) {
  Matrix result = posterior.levels;
  for_each_dirichlet(prior, posterior, [&](Index k, Index first, Index n, double total) {
    for (Index l = first; l < first + n; ++l) result(k, l) /= total;
  });
  return result;
}

} // namespace lacuna
