#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "features/vae_layout.hpp"

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
  std::function<void()> between_steps; ///< called every steps_between_looks steps; may throw to stop
};

inline constexpr Index steps_between_looks = 16;

// Adam's constants, as usual.
inline constexpr double adam_beta_1 = 0.9;
inline constexpr double adam_beta_2 = 0.999;
inline constexpr double adam_epsilon = 1e-8;

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

} // namespace lacuna
