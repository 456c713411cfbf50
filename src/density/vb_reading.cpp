#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "density/vb_parts.hpp"
#include "math/cholesky.hpp"

// Section and equation numbers refer to docs/math/vb-mixture.md.

namespace lacuna {

namespace {

/// How many rows a component knows each feature by, in the parameters of its posterior (eq. 23).
class FeatureCounts {
public:
  FeatureCounts(const VbPrior& prior, const VbPosterior& posterior)
      : posterior_(posterior), nu_0_(prior.degrees_of_freedom) {
    // One precision for all components knows of all their rows.
    lacking_ = posterior.lacking;
    if (prior.covariance != CovarianceType::tied) return;
    for (Index j = 0; j < lacking_.n_cols(); ++j) {
      double total = 0.0;
      for (Index k = 0; k < lacking_.n_rows(); ++k) total += posterior.lacking(k, j);
      for (Index k = 0; k < lacking_.n_rows(); ++k) lacking_(k, j) = total;
    }
  }

  /// Of the rows that tell of the precision, the share that has the feature.
  double share(Index k, Index j) const {
    const double rows = posterior_.nu[at(k)] - nu_0_;
    return rows > 0.0 ? std::max(0.0, 1.0 - lacking_(k, j) / rows) : 1.0;
  }
  double nu(Index k, Index j) const { return posterior_.nu[at(k)] - lacking_(k, j); }
  double beta(Index k, Index j) const { return posterior_.beta[at(k)] - posterior_.lacking(k, j); }
  /// What the quadratic form of the feature, of which the missing values are a part, is to be multiplied by.
  double factor(Index k, Index j) const {
    return posterior_.nu[at(k)] / nu(k, j) * beta(k, j) / (1.0 + beta(k, j));
  }
  bool are_same(Index i, Index j) const {
    for (Index k = 0; k < lacking_.n_rows(); ++k)
      if (posterior_.lacking(k, i) != posterior_.lacking(k, j)) return false;
    return true;
  }

private:
  const VbPosterior& posterior_;
  double nu_0_;
  Matrix lacking_;
};

/// The features that most rows have come first.
std::vector<Index> order_by_presence(const VbPosterior& q) {
  std::vector<double> lacking(at(q.lacking.n_cols()));
  for (Index k = 0; k < q.n_active(); ++k)
    for (Index j = 0; j < q.lacking.n_cols(); ++j) lacking[at(j)] += q.lacking(k, j);
  std::vector<Index> order(lacking.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return lacking[at(a)] < lacking[at(b)]; });
  return order;
}

/// Means and whiteners of the features in another order.
void reorder(MixtureTerms& terms, const std::vector<Index>& order) {
  const Index d = terms.n_features();
  const MixtureTerms before = terms;
  for (Index k = 0; k < terms.n_components(); ++k) {
    for (Index j = 0; j < d; ++j) terms.mean(k, j) = before.mean(k, order[at(j)]);
    std::vector<double> square(at(d * d));
    const double* packed = before.whitener.row(k);
    for (Index i = 0; i < d; ++i)
      for (Index j = 0; j <= i; ++j) square[at(i * d + j)] = *packed++;
    reorder_factor(square, d, order);
    double* to = terms.whitener.row(k);
    for (Index i = 0; i < d; ++i)
      for (Index j = 0; j <= i; ++j) *to++ = square[at(i * d + j)];
  }
}

/// What the prior has of the spread of the first features in a component, on average over directions.
double prior_share(const VbPrior& prior, const MixtureTerms& terms, Index k, Index n_features) {
  if (n_features == 0) return 0.0;
  const double* const whitener = terms.whitener.row(k);
  const double* const end = whitener + n_features * (n_features + 1) / 2;
  return prior.scatter * std::inner_product(whitener, end, whitener, 0.0) / as_double(n_features);
}

/// One step for the features that the same rows have (eq. 23 and 24).
void set_steps(const VbPrior& prior, const FeatureCounts& counts, const std::vector<Index>& order,
               const std::vector<double>& weights, MixtureTerms& terms) {
  const Index d = terms.n_features();
  terms.shape = MixtureTerms::Shape::student_steps;
  Index first = 0;
  for (Index end = 1; end <= d; ++end) {
    const Index feature = order[at(end - 1)];
    if (end < d && counts.are_same(feature, order[at(end)])) continue;
    MixtureTerms::Step step;
    step.end = end;
    for (Index k = 0; k < terms.n_components(); ++k) {
      const double of_mean = counts.beta(k, feature) / (1.0 + counts.beta(k, feature));
      const double share = counts.share(k, feature);
      step.dof.push_back(counts.nu(k, feature) + 1.0 - as_double(d));
      step.share.push_back(share);
      step.factor.push_back(counts.factor(k, feature));
      step.leverage.push_back(of_mean / (share + (1.0 - share) * prior_share(prior, terms, k, first)));
    }
    terms.steps.push_back(std::move(step));
    first = end;
  }
  for (Index k = 0; k < terms.n_components(); ++k)
    terms.constant[at(k)] = std::log(weights[at(k)]) + step_constant(terms, k);
}

/// Diagonal: the features are independent, and each has degrees of freedom of its own.
void set_features(const FeatureCounts& counts, const VbPosterior& q, const std::vector<double>& weights,
                  MixtureTerms& terms) {
  terms.feature_power = Matrix(terms.n_components(), terms.n_features());
  for (Index k = 0; k < terms.n_components(); ++k) {
    terms.constant[at(k)] = std::log(weights[at(k)]);
    for (Index j = 0; j < terms.n_features(); ++j) {
      const double nu = counts.nu(k, j);
      terms.whitener(k, j) = q.whitener(k, j) * counts.factor(k, j);
      terms.feature_power(k, j) = 0.5 * (nu + 1.0);
      terms.constant[at(k)] += log_gamma(0.5 * (nu + 1.0)) - log_gamma(0.5 * nu) +
                               0.5 * std::log(terms.whitener(k, j) / std::numbers::pi);
    }
  }
}

/// Spherical: every value that is there tells of the one precision.
void set_common(const FeatureCounts& counts, const VbPosterior& q, const std::vector<double>& weights,
                MixtureTerms& terms) {
  const double d = as_double(terms.n_features());
  for (Index k = 0; k < terms.n_components(); ++k) {
    const double* const lacking = q.lacking.row(k);
    const double nu = q.nu[at(k)] - std::accumulate(lacking, lacking + terms.n_features(), 0.0);
    double log_det = 0.0;
    for (Index j = 0; j < terms.n_features(); ++j) {
      const double beta = counts.beta(k, j);
      terms.whitener(k, j) = q.whitener(k, j) * q.nu[at(k)] / nu * beta / (1.0 + beta);
      log_det += std::log(terms.whitener(k, j));
    }
    terms.factor[at(k)] = 1.0;
    terms.power[at(k)] = 0.5 * (nu + d);
    terms.constant[at(k)] = std::log(weights[at(k)]) + log_gamma(0.5 * (nu + d)) - log_gamma(0.5 * nu) +
                            0.5 * (log_det - d * std::log(std::numbers::pi));
  }
}

} // namespace

bool has_gaps(const VbPosterior& posterior) {
  return std::ranges::any_of(posterior.lacking.values(), [](double rows) { return rows > 0.0; });
}

MixtureReading read_mixture(const Frame& frame, const VbPrior& prior, const VbPosterior& posterior,
                            DensityForm form) {
  MixtureTerms terms = make_terms(prior, posterior, form);
  if (form != DensityForm::predictive || !has_gaps(posterior)) return {frame, std::move(terms)};
  const FeatureCounts counts(prior, posterior);
  const std::vector<double> weights = mean_weights(prior, posterior);
  if (!is_diagonal(prior.covariance)) {
    const std::vector<Index> order = order_by_presence(posterior);
    reorder(terms, order);
    set_steps(prior, counts, order, weights, terms);
    return {frame.select(order), std::move(terms)};
  }
  if (prior.covariance == CovarianceType::diagonal)
    set_features(counts, posterior, weights, terms);
  else
    set_common(counts, posterior, weights, terms);
  return {frame, std::move(terms)};
}

} // namespace lacuna
