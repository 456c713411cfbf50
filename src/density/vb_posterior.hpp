#pragma once

#include <vector>

#include "density/mixture_moments.hpp"
#include "density/mixture_reading.hpp"
#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/density/options.hpp"

namespace lacuna {

/// Whether a component has one precision per feature, not a matrix.
bool is_diagonal(CovarianceType type);

/// Priors of the variational mixture in the frame, where the prior mean is zero (docs/math/vb-mixture.md,
/// section 2).
struct VbPrior {
  CovarianceType covariance = CovarianceType::full;
  WeightPrior weight_prior = WeightPrior::dirichlet;
  Index n_components = 1;              ///< truncation; components beyond the active ones stay at the prior
  double weight_concentration = 1.0;   ///< alpha_0 per component, or gamma of the sticks
  double mean_precision = 1.0;         ///< beta_0
  double degrees_of_freedom = 1.0;     ///< nu_0
  double scatter = 1.0;                ///< W_0^{-1} = scatter R
  double category_concentration = 1.0; ///< of the Dirichlet, per category
  std::vector<Index> levels;           ///< of every column of categories
  std::vector<double> correlation;     ///< R, packed lower triangle; empty: the identity
  double log_det_correlation = 0.0;    ///< log |R|

  static VbPrior from_options(const VbMixtureOptions& options, Index n_components, Index n_features,
                              std::vector<Index> levels = {});
  /// R for full or tied covariances, unit diagonal. Returns false when it is not positive definite.
  bool set_correlation(std::vector<double> packed, Index n_features);
  Index n_levels() const; ///< of all columns together
};

/// The variational posterior of the active components, largest first.
struct VbPosterior {
  std::vector<double> rows; ///< N_k: expected rows of each component
  std::vector<double> beta; ///< precision of the mean, in rows
  std::vector<double> nu;   ///< degrees of freedom of the precision (equal for all when tied)
  Matrix mean;              ///< components x features
  /// A_k with W_k = A_k' A_k: packed lower triangles (full, tied: the same for all), or the diagonal of W_k.
  Matrix whitener;
  std::vector<double> log_det_scale; ///< log |W_k|
  Matrix levels;  ///< components x levels: parameters of the Dirichlets, column after column
  Matrix lacking; ///< components x features: how many of the N_k rows have no value there

  Index n_active() const { return static_cast<Index>(rows.size()); }
};

/// The M-step: the posterior that maximises the bound for given responsibilities. Sorts by size.
VbPosterior update_posterior(const VbPrior& prior, const MixtureMoments& moments);

/// KL(posterior || prior) of weights, means and precisions together.
double posterior_divergence(const VbPrior& prior, const VbPosterior& posterior);

/// E[log weight_k] of the active components.
std::vector<double> expected_log_weights(const VbPrior& prior, const VbPosterior& posterior);
/// E[weight_k], scaled to sum to one over the active components.
std::vector<double> mean_weights(const VbPrior& prior, const VbPosterior& posterior);

/// Probabilities of the categories: components x levels.
Matrix mean_levels(const VbPrior& prior, const VbPosterior& posterior);

/// The mixture in one of its three readings, all rows taken for complete. The E-step uses `expected_log`.
MixtureTerms make_terms(const VbPrior& prior, const VbPosterior& posterior, DensityForm form);

/// Whether a row of the fit lacked a value.
bool has_gaps(const VbPosterior& posterior);

/// The mixture as a log density of rows. Where rows of the fit lacked values, `predictive` knows each feature
/// by the rows that have it (docs/math/vb-mixture.md, section 8).
MixtureReading read_mixture(const Frame& frame, const VbPrior& prior, const VbPosterior& posterior,
                            DensityForm form);

} // namespace lacuna
