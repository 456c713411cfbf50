#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/features/feature_map.hpp"
#include "lacuna/features/vae_options.hpp"

namespace lacuna {

/// One map that was asked for: "standardize", "pca:20", "pca:0.95", "vae", "vae:5".
struct FeatureSpec {
  enum class Kind { standardize, pca, vae };
  Kind kind = Kind::standardize;
  Index n_outputs = 0; ///< pca, vae: how many features; 0: pca goes by share, vae by VaeOptions::n_latent
  double share = 0.0;  ///< pca: as many components as explain this share of the variance
};

/// Which maps are fitted, one after the other, and how.
struct FeatureOptions {
  std::vector<FeatureSpec> maps; ///< empty: the features as they are
  VaeOptions vae;                ///< for all maps of that kind
};

/// "none", or specs with commas between them; throws Error(usage) that says what is possible.
std::vector<FeatureSpec> parse_features(const std::string& text);
std::string to_string(const std::vector<FeatureSpec>& maps);

/// Throws Error(usage) when an option that counts is outside its limits; for callers who want to know before
/// long work begins. Also throws when a vae is asked for and the library for it cannot be loaded.
void check_options(const FeatureOptions& options);

/// Fits each map on all rows, labeled or not, as the maps before it left them. The number of threads never
/// changes a result on the CPU. The progress stage of a VAE starts with "vae" and tells epoch, ELBO and
/// speed. `levels` are those of the data set. Throws Error(data) when a map does not suit the rows: pca and
/// vae take neither gaps nor numbered categories.
FeatureChain fit_features(const FeatureOptions& options, MatrixView rows, std::uint64_t seed, int threads,
                          Observer& observer, std::span<const Index> levels = {});

} // namespace lacuna
