#pragma once

#include "lacuna/core/errors.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// Options of the Dirichlet process mixture (docs/math/dp-gmm.md). Priors are in units of the data.
struct DpMixtureOptions {
  Index dp_iterations = 300;     ///< of the chain, those of the burn-in included
  Index dp_burn_in = 150;        ///< first iterations that count for nothing
  Index dp_draws = 15;           ///< how many later ones, evenly spaced, the density is averaged over
  double dp_separation = 3.0;    ///< expected distance of two clusters, in standard deviations of one
  double dp_concentration = 0.3; ///< prior mean of the concentration: larger means more clusters
};

/// Notes every option that is outside its limits.
void check_options(const DpMixtureOptions& options, OptionChecks& checks);

} // namespace lacuna
