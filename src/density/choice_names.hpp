#pragma once

#include <array>

// How model files spell what a fit chose, in the order of each enum (lacuna/density/vb_mixture_options.hpp).

namespace lacuna {

inline constexpr std::array covariance_names = {"full", "tied", "diagonal", "spherical"};
inline constexpr std::array weight_prior_names = {"dirichlet", "stick-breaking"};
inline constexpr std::array density_form_names = {"predictive", "plug-in", "expected-log"};

} // namespace lacuna
