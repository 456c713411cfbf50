#include <cmath>

#include "density/vb_parts.hpp"

namespace lacuna {

namespace {

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

} // namespace

double posterior_divergence(const VbPrior& prior, const VbPosterior& posterior) {
  double sum = weight_divergence(prior, posterior) + category_divergence(prior, posterior);
  const bool tied = prior.covariance == CovarianceType::tied;
  for (Index k = 0; k < posterior.n_active(); ++k) {
    sum += mean_divergence(prior, posterior, k);
    if (!tied || k == 0) sum += precision_divergence(prior, posterior, k);
  }
  return sum;
}

} // namespace lacuna
