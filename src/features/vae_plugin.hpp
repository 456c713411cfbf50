#pragma once

#include "core/torch_library.hpp"
#include "features/vae_engine.hpp"

// What VAEs ask liblacuna_torch.so for. This header is all that both sides share.
namespace lacuna {

/// A batch in double precision, for tests: ELBO per row, with the KL term weighted, and its gradient.
struct VaeGradient {
  double elbo = 0.0;
  std::vector<double> gradient;
};

struct VaePlugin {
  /// Not on the GPU: libtorch's operations on the CPU, so that tests without a GPU reach the engine.
  std::unique_ptr<VaeEngine> (*make_engine)(const VaeTask& task, bool on_gpu);
  VaeGradient (*gradient)(const VaeLayout& layout, std::span<const double> parameters,
                          std::span<const double> rows, std::span<const double> noise, double kl_weight);
};

/// The name under which the library exports `const VaePlugin* lacuna_vae_plugin()`.
inline constexpr const char* vae_plugin_symbol = "lacuna_vae_plugin";

/// Throws Error(usage) where the library is not there.
inline const VaePlugin& vae_plugin() {
  return torch_plugin<VaePlugin>(vae_plugin_symbol);
}

} // namespace lacuna
