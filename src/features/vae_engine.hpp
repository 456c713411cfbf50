#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "features/dense.hpp"
#include "features/vae_layout.hpp"

// The border between lacuna and its deep part, liblacuna_torch.so, which is loaded when a VAE is trained.
// Only this header is shared; neither side links the other.
namespace lacuna {

/// Everything that training carries from one epoch to the next.
struct VaeState {
  std::vector<float> parameters;
  std::vector<float> first_moments; ///< Adam's running mean of gradients
  std::vector<float> second_moments;
  Index n_steps = 0; ///< taken so far, which Adam needs
};

struct VaeTask {
  VaeLayout layout;
  const float* rows = nullptr; ///< scaled; must outlive the engine
  Index n_training = 0;        ///< the first rows
  Index n_held_out = 0;        ///< those behind them
  Index batch_size = 0;
  int threads = 1;
  VaeDevice device = VaeDevice::cpu;
  const DenseKernels* dense = nullptr; ///< inner loops for this processor
  std::function<void()> between_steps; ///< called now and then; may throw to stop
};

/// Takes steps of Adam on -ELBO. All that is random comes from outside.
class VaeEngine {
public:
  virtual ~VaeEngine() = default;
  virtual std::string device() const = 0;
  virtual void set_state(const VaeState& state) = 0;
  virtual VaeState state() const = 0;
  /// One pass over the training rows: row order[i] is the i-th, with noise i (n_latent numbers each). Returns
  /// the mean ELBO per row as it was met on the way.
  virtual double train_epoch(std::span<const std::int64_t> order, std::span<const float> noise,
                             double kl_weight, double learning_rate) = 0;
  /// Mean ELBO per held-out row; `noise` has n_latent numbers for each.
  virtual double held_out_elbo(std::span<const float> noise) = 0;
};

/// A batch in double precision, for tests: ELBO per row, with the KL term weighted, and its gradient.
struct VaeGradient {
  double elbo = 0.0;
  std::vector<double> gradient;
};

struct VaePlugin {
  int version;
  bool has_cuda; ///< a GPU can be used
  std::unique_ptr<VaeEngine> (*make_engine)(const VaeTask& task);
  /// The engine that GPUs use, on the CPU unless the device is cuda: so that tests without a GPU reach it.
  std::unique_ptr<VaeEngine> (*make_torch_engine)(const VaeTask& task);
  VaeGradient (*gradient)(const VaeLayout& layout, std::span<const double> parameters,
                          std::span<const double> rows, std::span<const double> noise, double kl_weight);
};

/// Raised whenever this header, VaeLayout or the meaning of either changes.
inline constexpr int vae_plugin_version = 2;

/// The name under which the library exports `const VaePlugin* lacuna_vae_plugin()`.
inline constexpr const char* vae_plugin_symbol = "lacuna_vae_plugin";

/// The loaded library. Throws Error(usage) when it is not there or does not fit, saying what brings it.
const VaePlugin& vae_plugin();

} // namespace lacuna
