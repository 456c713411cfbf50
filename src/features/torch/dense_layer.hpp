#pragma once

#include <vector>

#include "features/aligned.hpp"
#include "features/dense.hpp"
#include "features/vae_layout.hpp"

namespace lacuna {

/// Numbers that Adam moves, with its running means.
struct Learned {
  explicit Learned(Index n)
      : values(static_cast<std::size_t>(n)), first(values.size()), second(values.size()) {}

  AlignedFloats values;
  AlignedFloats first;
  AlignedFloats second;
};

/// A dense layer as the written-out engine trains it. The weights live in the packed form that the forward
/// product wants, [inputs x outputs]: the product that makes their gradient leaves it in that form, and Adam
/// does not care. Only the backward product needs them the other way round, packed anew behind every step.
class DenseLayer {
public:
  /// `is_first`: nobody asks for the gradient by its inputs.
  DenseLayer(const VaeLayer& layer, const VaeLayout& layout, const DenseKernels& kernels, Index batch_size,
             bool is_first);

  Index n_inputs() const { return n_inputs_; }
  Index n_outputs() const { return n_outputs_; }

  /// To and from flat arrays in the order of the layout.
  void set(const std::vector<float>& flat, AlignedFloats Learned::*part);
  void get(std::vector<float>& flat, AlignedFloats Learned::*part) const;
  /// Behind `set`.
  void pack_backward();

  /// Rows first .. first + count of a batch.
  void forward(const float* input, Index first, Index count);
  /// From the gradient by the outputs, which must be in gradient(), to that by the inputs, unless
  /// `by_input` is null.
  void backward(Index first, Index count, float* by_input);

  /// A share of the weights: a panel of outputs, some of the inputs.
  struct Piece {
    Index first_output;
    Index first_input;
    Index n_inputs;
  };
  std::vector<Piece> pieces() const;
  /// Makes the gradient of a piece from the rows of a batch and takes the step. `scratch` has
  /// scratch_size() numbers.
  void learn(const Piece& piece, const float* input, Index n_rows, const AdamStep& step, float* scratch);
  Index scratch_size(Index batch_size) const;

  const float* output() const { return output_.data(); }
  float* gradient() { return gradient_.data(); }

private:
  void pack_backward(const Piece& piece);
  Index rows_per_piece() const;

  const DenseKernels& kernels_;
  const DenseActivation* activation_; ///< null for none
  Index n_inputs_;
  Index n_outputs_;
  Index weight_; ///< in flat arrays
  Index bias_;
  Learned weights_;        ///< packed
  Learned biases_;         ///< filled up with zeros
  AlignedFloats backward_; ///< weights, [outputs x inputs], packed; empty for the first layer
  AlignedFloats output_;   ///< batch x outputs, behind the activation
  AlignedFloats gradient_; ///< by the outputs, before the activation once `backward` has been there
};

} // namespace lacuna
