#pragma once

#include <memory>

#include "features/network/packed_weights.hpp"
#include "features/vae_layout.hpp"

namespace lacuna {

const DenseActivation& kernel_of(VaeActivation activation, const DenseKernels& kernels);

/// A layer as the CPU engine trains it. Images lie pixel by pixel, the channels of a pixel side by side; the
/// flat arrays outside have them channel by channel.
class CpuLayer {
public:
  using Piece = PackedWeights::Piece;

  virtual ~CpuLayer() = default;
  CpuLayer(const CpuLayer&) = delete;
  CpuLayer& operator=(const CpuLayer&) = delete;

  void set(const std::vector<float>& flat, LearnedPart part);
  void get(std::vector<float>& flat, LearnedPart part) const;
  /// Behind `set`.
  void prepare() { weights_.pack_transposed(); }
  std::vector<Piece> pieces() const { return weights_.pieces(); }

  /// Rows first .. first + count of a batch, from `input`, which holds all of them, to output(). `scratch`
  /// has room for scratch_size() numbers, here and below.
  virtual void forward(const float* input, Index first, Index count, float* scratch) = 0;
  /// From the gradient by the outputs, which must be in gradient(), to that by the inputs unless `by_input`
  /// is null.
  virtual void backward(const float* input, Index first, Index count, float* by_input, float* scratch) = 0;
  /// Makes the gradient of a piece of the weights from the n_rows rows of a batch, all of which must have
  /// been through `backward`, and takes the step.
  virtual void learn(const Piece& piece, const float* input, Index n_rows, const AdamStep& step,
                     float* scratch) = 0;
  virtual Index scratch_size() const = 0;

  const float* output() const { return output_.data(); }
  float* gradient() { return gradient_.data(); }

protected:
  CpuLayer(const VaeLayer& layer, const VaeLayout& layout, const DenseKernels& kernels, PackedWeights weights,
           std::vector<Index> bias_places, Index batch_size, Index n_outputs);

  void activate(Index first, Index count);
  void pull_back(Index first, Index count);

  const DenseKernels& kernels_;
  PackedWeights weights_;
  Learned biases_; ///< filled up with zeros
  Index batch_size_;
  Index n_outputs_; ///< numbers per row
  AlignedFloats output_;
  AlignedFloats gradient_; ///< by the outputs; before the activation once `backward` has been there

private:
  const DenseActivation* activation_; ///< null for none
  std::vector<Index> bias_places_;
};

/// Rows of a batch that go through the network together where a convolution adds up gradients on the way: the
/// order of its sums must not depend on the number of threads.
inline constexpr Index conv_block_rows = 32;

/// The sizes of an image where one meets a dense layer; one channel where none does.
struct ImageOrder {
  Index n_channels = 1;
  Index n_pixels = 0;

  /// Where the number stands channel by channel.
  Index by_channel(Index number) const {
    return n_channels == 1 ? number : number % n_channels * n_pixels + number / n_channels;
  }
};

std::unique_ptr<CpuLayer> make_dense_layer(const VaeLayer& layer, const VaeLayout& layout,
                                           const DenseKernels& kernels, Index batch_size, bool is_first,
                                           ImageOrder inputs, ImageOrder outputs);
std::unique_ptr<CpuLayer> make_conv_layer(const VaeLayer& layer, const VaeLayout& layout,
                                          const DenseKernels& kernels, Index batch_size, bool is_first);

} // namespace lacuna
