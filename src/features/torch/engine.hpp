#pragma once

#include "features/torch/net.hpp"
#include "features/vae_engine.hpp"

namespace lacuna {

/// Trains any layout with libtorch's own operations: on GPUs.
class TorchEngine : public VaeEngine {
public:
  TorchEngine(const VaeTask& task, const torch::Device& device);
  ~TorchEngine() override;

  std::string device() const override { return device_.str(); }
  void set_state(const VaeState& state) override;
  VaeState state() const override;
  double train_epoch(std::span<const std::int64_t> order, std::span<const float> noise, double kl_weight,
                     double learning_rate) override;
  double held_out_elbo(std::span<const float> noise) override;

private:
  class Recording;

  void step(std::int64_t n_rows);
  void update(const torch::Tensor& gradient);

  VaeTask task_;
  torch::Device device_;
  torch::Tensor rows_;
  torch::Tensor parameters_;
  torch::Tensor first_moments_;
  torch::Tensor second_moments_;
  // What changes from step to step lives on the device, so that a recorded step can be replayed.
  torch::Tensor order_;
  torch::Tensor noise_;
  torch::Tensor position_; ///< of the batch within the epoch
  torch::Tensor places_;   ///< 0, 1, ..., batch_size - 1
  torch::Tensor n_steps_;
  torch::Tensor learning_rate_;
  torch::Tensor kl_weight_;
  torch::Tensor elbo_; ///< summed over the epoch
  VaeNet net_;
  std::unique_ptr<Recording> recording_; ///< a full batch, where the device can replay it
};

} // namespace lacuna
