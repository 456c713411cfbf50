#include "density/vb_posterior.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "lacuna/math/cholesky.hpp"
#include "lacuna/math/special.hpp"

// Equation numbers refer to docs/math/vb-mixture.md.

namespace lacuna {

namespace {

const double log_2 = std::numbers::ln2;
const double log_pi = std::log(std::numbers::pi);
const double log_2_pi = log_2 + log_pi;

double as_double(Index n) {
  return static_cast<double>(n);
}
std::size_t at(Index k) {
  return static_cast<std::size_t>(k);
}

/// How many independent precisions a component has, and of which dimension: one Wishart of dimension D (full,
/// tied), D of dimension 1 (diagonal), or one of dimension 1 that D features share (spherical).
struct PrecisionShape {
  Index n_blocks;
  Index dimension;
  Index features_per_degree; ///< how many squared deviations one row adds to a block's degrees of freedom
};

PrecisionShape precision_shape(CovarianceType type, Index d) {
  switch (type) {
  case CovarianceType::full:
  case CovarianceType::tied: return {1, d, 1};
  case CovarianceType::diagonal: return {d, 1, 1};
  case CovarianceType::spherical: return {1, 1, d};
  }
  return {1, d, 1};
}

/// sum_i digamma((nu + 1 - i) / 2), i = 1 .. dimension.
double digamma_sum(double nu, Index dimension) {
  double sum = 0.0;
  for (Index i = 0; i < dimension; ++i) sum += digamma(0.5 * (nu - as_double(i)));
  return sum;
}

/// E[log |Lambda_k|] over all features (eq. 6).
double expected_log_det(const VbPrior& prior, const VbPosterior& q, Index k) {
  const Index d = q.mean.n_cols();
  const PrecisionShape shape = precision_shape(prior.covariance, d);
  // Every feature contributes log 2; a spherical precision counts once per feature.
  const double repeats = prior.covariance == CovarianceType::full || prior.covariance == CovarianceType::tied
                             ? 1.0
                             : as_double(d);
  return repeats * digamma_sum(q.nu[at(k)], shape.dimension) + as_double(d) * log_2 + q.log_det_scale[at(k)];
}

/// (x - 0)' W_k (x - 0) for x = the component's mean.
double mean_quadratic(const VbPosterior& q, Index k, bool diagonal) {
  const Index d = q.mean.n_cols();
  const double* const m = q.mean.row(k);
  const double* a = q.whitener.row(k);
  double sum = 0.0;
  for (Index i = 0; i < d; ++i) {
    if (diagonal) {
      sum += a[i] * m[i] * m[i];
      continue;
    }
    double z = 0.0;
    for (Index j = 0; j <= i; ++j) z += *a++ * m[j];
    sum += z * z;
  }
  return sum;
}

/// tr(R W_k).
double trace_of_scale(const VbPrior& prior, const VbPosterior& q, Index k) {
  const bool diagonal = is_diagonal(prior.covariance);
  double sum = 0.0;
  if (prior.correlation.empty()) {
    for (Index i = 0; i < q.whitener.n_cols(); ++i) {
      const double a = q.whitener(k, i);
      sum += diagonal ? a : a * a;
    }
    return sum;
  }
  // W = A'A, so the trace is the sum of a' R a over the rows a of A; R's diagonal is 1.
  const double* a = q.whitener.row(k);
  for (Index row = 0; row < q.mean.n_cols(); a += ++row) {
    const double* r = prior.correlation.data();
    for (Index i = 0; i <= row; ++i, ++r) {
      double off_diagonal = 0.0;
      for (Index j = 0; j < i; ++j) off_diagonal += *r++ * a[j];
      sum += a[i] * (a[i] + 2.0 * off_diagonal);
    }
  }
  return sum;
}

/// Both triangles of a packed one.
std::vector<double> unpack(std::span<const double> packed, Index d) {
  std::vector<double> square(at(d * d));
  const double* from = packed.data();
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j <= i; ++j) square[at(i * d + j)] = square[at(j * d + i)] = *from++;
  return square;
}

/// KL of the precision's Wishart(s) from the prior (eq. 9).
double precision_divergence(const VbPrior& prior, const VbPosterior& q, Index k) {
  const Index d = q.mean.n_cols();
  const PrecisionShape shape = precision_shape(prior.covariance, d);
  const bool spherical = prior.covariance == CovarianceType::spherical;
  const double blocks = as_double(shape.n_blocks);
  const double p = as_double(shape.dimension);
  const double nu = q.nu[at(k)];
  const double nu_0 = prior.degrees_of_freedom * as_double(shape.features_per_degree);
  const double scatter = prior.scatter * as_double(shape.features_per_degree);
  // Of all blocks together; a spherical component's single scale stands D times in log_det_scale and the
  // trace.
  const double shared = spherical ? as_double(d) : 1.0;
  const double log_det = q.log_det_scale[at(k)] / shared;
  const double trace = scatter * trace_of_scale(prior, q, k) / shared;
  const double log_det_prior = -blocks * p * std::log(scatter) - prior.log_det_correlation;
  return 0.5 * nu_0 * (log_det_prior - log_det) +
         blocks * (log_multivariate_gamma(0.5 * nu_0, shape.dimension) -
                   log_multivariate_gamma(0.5 * nu, shape.dimension)) +
         0.5 * (nu - nu_0) * blocks * digamma_sum(nu, shape.dimension) - 0.5 * nu * p * blocks +
         0.5 * nu * trace;
}

/// KL of the mean given the precision (eq. 8).
double mean_divergence(const VbPrior& prior, const VbPosterior& q, Index k) {
  const double d = as_double(q.mean.n_cols());
  const double ratio = prior.mean_precision / q.beta[at(k)];
  return 0.5 * (d * (ratio - 1.0 - std::log(ratio)) +
                prior.mean_precision * q.nu[at(k)] * mean_quadratic(q, k, is_diagonal(prior.covariance)));
}

/// Rows in the components after k: the second parameter of a stick.
std::vector<double> rows_after(const std::vector<double>& rows) {
  std::vector<double> after(rows.size());
  for (std::size_t k = rows.size(); k-- > 1;) after[k - 1] = after[k] + rows[k];
  return after;
}

double weight_divergence(const VbPrior& prior, const VbPosterior& q) {
  const double gamma = prior.weight_concentration;
  double sum = 0.0;
  if (prior.weight_prior == WeightPrior::stick_breaking) {
    const std::vector<double> after = rows_after(q.rows);
    for (std::size_t k = 0; k < q.rows.size(); ++k) {
      const double a = 1.0 + q.rows[k];
      const double b = gamma + after[k];
      sum += log_beta(1.0, gamma) - log_beta(a, b) + (a - 1.0) * digamma(a) + (b - gamma) * digamma(b) -
             (a - 1.0 + b - gamma) * digamma(a + b);
    }
    return sum;
  }
  const double total_prior = gamma * as_double(prior.n_components);
  const double total = total_prior + std::accumulate(q.rows.begin(), q.rows.end(), 0.0);
  sum = log_gamma(total) - log_gamma(total_prior);
  for (const double n : q.rows)
    sum += log_gamma(gamma) - log_gamma(gamma + n) + n * (digamma(gamma + n) - digamma(total));
  return sum;
}

/// Calls visit(k, first, n, total) for every component and column of categories: the column's levels begin at
/// `first` and number `n`, and its Dirichlet parameters sum to `total`.
template <class Visit>
void for_each_dirichlet(const VbPrior& prior, const VbPosterior& q, const Visit& visit) {
  for (Index k = 0; k < q.levels.n_rows(); ++k) {
    Index first = 0;
    for (const Index n : prior.levels) {
      const double* const from = q.levels.row(k) + first;
      visit(k, first, n, std::accumulate(from, from + n, 0.0));
      first += n;
    }
  }
}

/// KL of the Dirichlets of the categories from the prior (eq. 20).
double category_divergence(const VbPrior& prior, const VbPosterior& q) {
  const double alpha_0 = prior.category_concentration;
  double sum = 0.0;
  for_each_dirichlet(prior, q, [&](Index k, Index first, Index n, double total) {
    sum += log_gamma(total) - log_gamma(alpha_0 * as_double(n));
    for (Index l = first; l < first + n; ++l) {
      const double alpha = q.levels(k, l);
      sum += log_gamma(alpha_0) - log_gamma(alpha) + (alpha - alpha_0) * (digamma(alpha) - digamma(total));
    }
  });
  return sum;
}

/// E[log probability] of every category, and a zero for missing values.
Matrix expected_log_levels(const VbPrior& prior, const VbPosterior& q) {
  Matrix result(q.levels.n_rows(), q.levels.n_cols() + 1);
  for_each_dirichlet(prior, q, [&](Index k, Index first, Index n, double total) {
    for (Index l = first; l < first + n; ++l) result(k, l) = digamma(q.levels(k, l)) - digamma(total);
  });
  return result;
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

/// Components that hold (nearly) no row are gone: dividing by their size would lose all digits.
constexpr double vanished = 1e-12;

/// The components that are left, largest first: for sticks the order with the largest bound (section 5); a
/// Dirichlet does not care.
std::vector<Index> surviving_order(const std::vector<double>& rows) {
  std::vector<Index> order;
  for (Index k = 0; k < static_cast<Index>(rows.size()); ++k)
    if (rows[at(k)] > vanished) order.push_back(k);
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
  prior.weight_concentration = options.weight_concentration;
  if (prior.weight_concentration == 0.0)
    prior.weight_concentration =
        options.weight_prior == WeightPrior::dirichlet ? 1.0 / as_double(n_components) : 1.0;
  prior.mean_precision = options.mean_precision;
  prior.degrees_of_freedom =
      options.degrees_of_freedom == 0.0 ? std::max(1.0, as_double(n_features)) : options.degrees_of_freedom;
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
  const std::vector<double> prior_scale = prior_inverse_scale(prior, d);
  std::vector<double> inverse_scale = prior_scale;
  double total_rows = 0.0;

  VbPosterior q;
  q.mean = Matrix(n_active, d);
  q.whitener = Matrix(n_active, moments.second.n_cols());
  q.log_det_scale.resize(order.size());
  q.levels = Matrix(n_active, prior.n_levels());
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

double posterior_divergence(const VbPrior& prior, const VbPosterior& posterior) {
  double sum = weight_divergence(prior, posterior) + category_divergence(prior, posterior);
  const bool tied = prior.covariance == CovarianceType::tied;
  for (Index k = 0; k < posterior.n_active(); ++k) {
    sum += mean_divergence(prior, posterior, k);
    if (!tied || k == 0) sum += precision_divergence(prior, posterior, k);
  }
  return sum;
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

namespace {

Matrix log_mean_levels(const VbPrior& prior, const VbPosterior& q) {
  const Matrix mean = mean_levels(prior, q);
  Matrix result(mean.n_rows(), mean.n_cols() + 1);
  for (Index k = 0; k < mean.n_rows(); ++k)
    for (Index l = 0; l < mean.n_cols(); ++l) result(k, l) = std::log(mean(k, l));
  return result;
}

/// log of the normalising constant of a Student-t with precision `factor * dof * W` (eq. 12).
double student_constant(double dof, double dimension, double log_det_factor_scale) {
  return log_gamma(0.5 * (dof + dimension)) - log_gamma(0.5 * dof) - 0.5 * dimension * log_pi +
         0.5 * log_det_factor_scale;
}

void set_student_terms(const VbPrior& prior, const VbPosterior& q, Index k, double log_weight,
                       MixtureTerms& terms) {
  const double d = as_double(q.mean.n_cols());
  const double factor = q.beta[at(k)] / (1.0 + q.beta[at(k)]);
  const double log_det = d * std::log(factor) + q.log_det_scale[at(k)];
  terms.factor[at(k)] = factor;
  if (prior.covariance == CovarianceType::diagonal) {
    const double dof = q.nu[at(k)];
    for (Index j = 0; j < q.mean.n_cols(); ++j) terms.whitener(k, j) *= factor;
    terms.power[at(k)] = 0.5 * (dof + 1.0);
    terms.constant[at(k)] = log_weight + d * student_constant(dof, 1.0, 0.0) + 0.5 * log_det;
    return;
  }
  const double dof = prior.covariance == CovarianceType::spherical ? q.nu[at(k)] : q.nu[at(k)] + 1.0 - d;
  terms.power[at(k)] = 0.5 * (dof + d);
  terms.constant[at(k)] = log_weight + student_constant(dof, d, log_det);
}

} // namespace

MixtureTerms make_terms(const VbPrior& prior, const VbPosterior& posterior, DensityForm form) {
  const auto n = posterior.rows.size();
  MixtureTerms terms;
  terms.is_diagonal = is_diagonal(prior.covariance);
  terms.mean = posterior.mean;
  terms.whitener = posterior.whitener;
  terms.constant.resize(n);
  terms.power.resize(n);
  terms.factor.resize(n);
  if (form == DensityForm::predictive)
    terms.shape = prior.covariance == CovarianceType::diagonal ? MixtureTerms::Shape::student_product
                                                               : MixtureTerms::Shape::student;
  if (!prior.levels.empty())
    terms.log_level = form == DensityForm::expected_log ? expected_log_levels(prior, posterior)
                                                        : log_mean_levels(prior, posterior);
  const std::vector<double> weights = mean_weights(prior, posterior);
  const std::vector<double> log_weights = expected_log_weights(prior, posterior);
  const double d = as_double(posterior.mean.n_cols());
  for (Index k = 0; k < posterior.n_active(); ++k) {
    const double nu = posterior.nu[at(k)];
    if (form == DensityForm::predictive) {
      set_student_terms(prior, posterior, k, std::log(weights[at(k)]), terms);
      continue;
    }
    // The quadratic form is nu (x - m)' W (x - m).
    const double spread = terms.is_diagonal ? nu : std::sqrt(nu);
    for (Index i = 0; i < terms.whitener.n_cols(); ++i) terms.whitener(k, i) *= spread;
    if (form == DensityForm::plug_in)
      terms.constant[at(k)] =
          std::log(weights[at(k)]) + 0.5 * (d * std::log(nu) + posterior.log_det_scale[at(k)] - d * log_2_pi);
    else
      terms.constant[at(k)] = log_weights[at(k)] + 0.5 * (expected_log_det(prior, posterior, k) -
                                                          d * log_2_pi - d / posterior.beta[at(k)]);
  }
  return terms;
}

} // namespace lacuna
