#pragma once

#include "core/parallel.hpp"
#include "features/network/cpu_layer.hpp"
#include "features/vae_engine.hpp"

namespace lacuna {

/// Trains any layout on the CPU with lacuna's own kernels: faster than a general graph of operations, free of
/// the BLAS that libtorch happens to use, and with the same bits for any number of threads.
///
/// A step has two parts with one meeting of the threads behind each. First blocks of rows go through the
/// whole network and back, on their own: nothing in that depends on another row. Then pieces of the weights
/// gather their gradient over all rows and take Adam's step.
class CpuEngine : public VaeEngine {
public:
  CpuEngine(const VaeTask& task, const DenseKernels& kernels);

  std::string device() const override { return "cpu"; }
  void set_state(const VaeState& state) override;
  VaeState state() const override;
  double train_epoch(std::span<const std::int64_t> order, std::span<const float> noise, double kl_weight,
                     double learning_rate) override;
  double held_out_elbo(std::span<const float> noise) override;

private:
  struct Step {
    const float* rows; ///< the batch, side by side
    Index n_rows;
    const float* noise;
    float kl_weight;
  };
  struct WeightPiece {
    CpuLayer* layer;
    const float* input; ///< of the layer
    CpuLayer::Piece piece;
  };

  using Layers = std::vector<std::unique_ptr<CpuLayer>>;
  /// Rows of a batch that a thread takes through the network.
  struct Block {
    Index first;
    Index count;
    float* scratch;
  };

  Layers make_layers(const std::vector<VaeLayer>& layers, const float* input);
  template <typename Work>
  void for_row_blocks(Index n_rows, const Work& work);
  void forward(const Step& step, const Block& block);
  void backward(const Step& step, const Block& block);
  void draw_latent(const Step& step, Index row);
  float likelihood(const Step& step, Index row);
  double kl(Index row) const;
  void pull_back_latent(const Step& step, Index row);
  void learn(const Step& step, double learning_rate);
  void learn_variances(const Step& step, const AdamStep& adam);
  void refresh_variances();
  double sum_of_rows(Index n_rows) const;

  VaeTask task_;
  const DenseKernels& kernels_;
  Index n_steps_ = 0;
  bool has_convolutions_;
  AlignedFloats batch_;
  AlignedFloats latent_;
  AlignedFloats latent_gradient_;
  std::vector<WeightPiece> pieces_; ///< the longest first
  Layers encoder_;
  Layers decoder_;
  Learned log_variances_;    ///< gaussian only
  AlignedFloats precisions_; ///< of the features: what the log variances say
  double log_normalizer_ = 0.0;
  std::vector<AlignedFloats> scratch_; ///< one per thread
  std::vector<double> elbos_;          ///< one per row of a batch, added in order
  Team team_;
};

} // namespace lacuna
