#pragma once

#include "lacuna/core/errors.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

enum class CovarianceType { full, tied, diagonal, spherical };
enum class WeightPrior { dirichlet, stick_breaking };
/// What `log_density` returns. Only `predictive` and `plug_in` are densities: `expected_log` has a mass below
/// one.
enum class DensityForm { predictive, plug_in, expected_log };

/// A number of components that stands for: as many as the evidence favours.
inline constexpr Index auto_components = -1;

/// Options of the variational Bayes Gaussian mixture. Priors are in units of the data
/// (docs/math/vb-mixture.md).
struct VbMixtureOptions {
  Index n_components = 7; ///< the most components there can be; unneeded ones switch off; or auto_components
  CovarianceType covariance = CovarianceType::full;   ///< shape of the components
  WeightPrior weight_prior = WeightPrior::dirichlet;  ///< prior of the mixing weights
  DensityForm density_form = DensityForm::predictive; ///< what the log density is
  double weight_concentration =
      0.0; ///< Dirichlet: per component, stick-breaking: of the Beta; 0: 1/n_components, 1
  double mean_precision = 1.0;         ///< beta_0: rows of prior evidence for a component's mean
  double degrees_of_freedom = 0.0;     ///< nu_0 of the Wishart; 0: the number of features
  double covariance_scale = 0.3;       ///< prior scatter of a component, relative to the rows' variance
  double category_concentration = 1.0; ///< Dirichlet prior of a component's categories: rows per category
  bool own_covariance = false;         ///< prior scatter: the rows' own covariance, however few they are
  Index n_restarts = 1;                ///< starts from other k-means++ seeds; the best bound is kept
  Index max_iterations = 500;          ///< per restart
  double tolerance = 1e-5;             ///< converged when the bound changes by less than this share of itself
};

/// Notes every option that is outside its limits.
void check_options(const VbMixtureOptions& options, OptionChecks& checks);

} // namespace lacuna
