#pragma once

#include <memory>

#include "features/vae_map.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/features/fit_features.hpp"

namespace lacuna {

/// Trains a VAE on all rows. Throws Error(data) when the rows do not suit the options or training diverges.
std::shared_ptr<const VaeMap> fit_vae(const VaeOptions& options, const FeatureFitRows& on,
                                      Observer& observer);

} // namespace lacuna
