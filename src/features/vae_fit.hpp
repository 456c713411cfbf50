#pragma once

#include <cstdint>
#include <memory>

#include "features/vae_map.hpp"
#include "lacuna/core/observer.hpp"

namespace lacuna {

/// Trains a VAE on all rows. Throws Error(data) when the rows do not suit the options or training diverges.
std::shared_ptr<const VaeMap> fit_vae(const VaeOptions& options, MatrixView rows, std::uint64_t seed,
                                      int threads, Observer& observer);

} // namespace lacuna
