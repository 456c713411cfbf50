#pragma once

#include "features/torch/team.hpp"
#include "features/vae_engine.hpp"

namespace lacuna {

/// Trains dense layouts on the CPU: forward and backward passes written out over buffers that are made once,
/// with lacuna's own matrix products. Faster than a general graph of operations, free of the BLAS that
/// libtorch happens to use, and with the same bits for any number of threads.
class MlpEngine : public VaeEngine {
public:
  explicit MlpEngine(const VaeTask& task);

  std::string device() const override { return "cpu"; }
  void set_state(const VaeState& state) override { state_ = state; }
  VaeState state() const override { return state_; }
  double train_epoch(std::span<const std::int64_t> order, std::span<const float> noise, double kl_weight,
                     double learning_rate) override;
  double held_out_elbo(std::span<const float> noise) override;

private:
  using Floats = std::vector<float>;
  struct Step {
    Index n_rows;
    const float* noise;
    float kl_weight;
  };

  const float* forward(const std::vector<VaeLayer>& layers, const float* input, std::vector<Floats>& outputs,
                       Index n_rows);
  void backward(const std::vector<VaeLayer>& layers, const float* input, const std::vector<Floats>& outputs,
                Index n_rows, float* input_gradient);
  void draw_latent(const Step& step);
  double decoder_loss(const float* rows, Index n_rows, bool with_gradient);
  double kl_loss(const Step& step, bool with_gradient);
  void adam(double learning_rate);
  void multiply(const struct Product& product);
  template <typename Work>
  void for_rows(Index n_rows, const Work& work);

  VaeTask task_;
  VaeState state_;
  Floats gradient_;
  Floats batch_;                       ///< the rows of a step, side by side
  std::vector<Floats> encoder_values_; ///< behind each layer
  std::vector<Floats> decoder_values_;
  Floats latent_;
  Floats latent_gradient_;
  Floats upper_gradient_; ///< by the values behind a layer, while going back
  Floats lower_gradient_;
  std::vector<Floats> scratch_; ///< one per thread
  std::vector<double> sums_;    ///< one per row of a batch, added in order
  Team team_;
};

} // namespace lacuna
