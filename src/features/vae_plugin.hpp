#pragma once

#include "features/vae_engine.hpp"

// The border between lacuna and liblacuna_torch.so, which trains VAEs on a GPU and is loaded only for that.
// This header is all they share; neither side links the other.
namespace lacuna {

/// A batch in double precision, for tests: ELBO per row, with the KL term weighted, and its gradient.
struct VaeGradient {
  double elbo = 0.0;
  std::vector<double> gradient;
};

struct VaePlugin {
  int version;
  bool has_cuda; ///< a GPU can be used
  /// Not on the GPU: libtorch's operations on the CPU, so that tests without a GPU reach the engine.
  std::unique_ptr<VaeEngine> (*make_engine)(const VaeTask& task, bool on_gpu);
  VaeGradient (*gradient)(const VaeLayout& layout, std::span<const double> parameters,
                          std::span<const double> rows, std::span<const double> noise, double kl_weight);
};

/// Raised whenever this header, VaeEngine, VaeLayout or the meaning of one of them changes.
inline constexpr int vae_plugin_version = 3;

/// The name under which the library exports `const VaePlugin* lacuna_vae_plugin()`.
inline constexpr const char* vae_plugin_symbol = "lacuna_vae_plugin";

/// The loaded library. Throws Error(usage) when it is not there or does not fit, saying what brings it.
const VaePlugin& vae_plugin();

/// Whether training happens on a GPU. auto_detect takes one that is there, cuda throws Error(usage) where
/// none is.
bool trains_on_gpu(VaeDevice device);

} // namespace lacuna
