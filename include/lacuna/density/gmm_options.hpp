#pragma once

#include "lacuna/core/errors.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/density/vb_mixture_options.hpp"

namespace lacuna {

/// Options of the Gaussian mixture by maximum likelihood (docs/math/gmm.md).
struct GmmOptions {
  Index n_components = 7; ///< fewer when the rows could not tell so many apart
  CovarianceType covariance = CovarianceType::full;
  double covariance_floor = 1e-4; ///< least variance of a component, relative to the rows' variance
  Index n_restarts = 1;           ///< starts from other k-means++ seeds; the best likelihood is kept
  Index max_iterations = 500;     ///< per restart
  double tolerance = 1e-5; ///< converged when the log likelihood changes by less than this share of itself
};

/// Notes every option that is outside its limits.
void check_options(const GmmOptions& options, OptionChecks& checks);

} // namespace lacuna
