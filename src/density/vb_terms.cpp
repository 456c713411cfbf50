#include <cmath>
#include <numbers>

#include "density/vb_parts.hpp"

namespace lacuna {

namespace {

const double log_2 = std::numbers::ln2;
const double log_pi = std::log(std::numbers::pi);
const double log_2_pi = log_2 + log_pi;

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

/// E[log probability] of every category, and a zero for missing values.
Matrix expected_log_levels(const VbPrior& prior, const VbPosterior& q) {
  Matrix result(q.levels.n_rows(), q.levels.n_cols() + 1);
  for_each_dirichlet(prior, q, [&](Index k, Index first, Index n, double total) {
    for (Index l = first; l < first + n; ++l) result(k, l) = digamma(q.levels(k, l)) - digamma(total);
  });
  return result;
}

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
