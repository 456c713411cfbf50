#include "features/torch/dense_layer.hpp"

#include <algorithm>

namespace lacuna {

namespace {

std::size_t size(Index n) {
  return static_cast<std::size_t>(n);
}

const DenseActivation* choose(VaeActivation activation, const DenseKernels& kernels) {
  if (activation == VaeActivation::relu) return &kernels.relu;
  return activation == VaeActivation::tanh ? &kernels.tanh : &kernels.sigmoid;
}

} // namespace

DenseLayer::DenseLayer(const VaeLayer& layer, const VaeLayout& layout, const DenseKernels& kernels,
                       Index batch_size, bool is_first)
    : kernels_(kernels), activation_(layer.has_activation ? choose(layout.activation, kernels) : nullptr),
      n_inputs_(layer.n_inputs), n_outputs_(layer.n_outputs), weight_(layer.weight), bias_(layer.bias),
      weights_(kernels.packed_size(n_inputs_, n_outputs_)), biases_(kernels.rounded(n_outputs_)),
      backward_(is_first ? 0 : size(kernels.packed_size(n_outputs_, n_inputs_))),
      output_(size(batch_size * n_outputs_)), gradient_(output_.size()) {}

void DenseLayer::set(const std::vector<float>& flat, AlignedFloats Learned::*part) {
  kernels_.pack(FloatView{flat.data() + weight_, n_inputs_, 1}.transposed(), n_inputs_, n_outputs_,
                (weights_.*part).data());
  std::copy_n(flat.data() + bias_, n_outputs_, (biases_.*part).data());
}

void DenseLayer::get(std::vector<float>& flat, AlignedFloats Learned::*part) const {
  for (Index first = 0; first < n_outputs_; first += kernels_.panel) {
    const float* panel = (weights_.*part).data() + first * n_inputs_;
    const Index width = kernels_.width(first, n_outputs_);
    const Index last = std::min(first + kernels_.panel, n_outputs_);
    for (Index output = first; output < last; ++output)
      for (Index input = 0; input < n_inputs_; ++input)
        flat[size(weight_ + output * n_inputs_ + input)] = panel[input * width + output - first];
  }
  std::copy_n((biases_.*part).data(), n_outputs_, flat.data() + bias_);
}

void DenseLayer::pack_backward() {
  if (backward_.empty()) return;
  for (const Piece& piece : pieces()) pack_backward(piece);
}

// A piece holds whole panels of the backward matrix: its columns are inputs.
void DenseLayer::pack_backward(const Piece& piece) {
  const Index width = kernels_.width(piece.first_output, n_outputs_);
  const float* panel = weights_.values.data() + piece.first_output * n_inputs_;
  const Index n_outputs = std::min(kernels_.panel, n_outputs_ - piece.first_output);
  const Index last = piece.first_input + piece.n_inputs;
  for (Index input = piece.first_input; input < last; input += kernels_.panel) {
    const Index count = std::min(kernels_.panel, last - input);
    kernels_.pack({panel + input * width, 1, width}, n_outputs, count,
                  backward_.data() + input * n_outputs_ +
                      piece.first_output * kernels_.width(input, n_inputs_));
  }
}

void DenseLayer::forward(const float* input, Index first, Index count) {
  float* to = output_.data() + first * n_outputs_;
  kernels_.multiply({input + first * n_inputs_, n_inputs_, 1}, weights_.values.data(), biases_.values.data(),
                    to, n_outputs_, count, n_outputs_, n_inputs_);
  if (activation_ != nullptr) activation_->apply(to, count * n_outputs_);
}

void DenseLayer::backward(Index first, Index count, float* by_input) {
  float* gradient = gradient_.data() + first * n_outputs_;
  if (activation_ != nullptr)
    activation_->pull_back(output_.data() + first * n_outputs_, gradient, count * n_outputs_);
  if (by_input == nullptr) return;
  kernels_.multiply({gradient, n_outputs_, 1}, backward_.data(), nullptr, by_input + first * n_inputs_,
                    n_inputs_, count, n_inputs_, n_outputs_);
}

// About 400 inputs: small enough to share out evenly, large enough that packing the gradient by the outputs,
// which every piece does for itself, is a hundredth of the work.
Index DenseLayer::rows_per_piece() const {
  const Index n_cuts = std::max<Index>(1, (n_inputs_ + 200) / 400);
  const Index n_panels = (n_inputs_ + kernels_.panel - 1) / kernels_.panel;
  return (n_panels + n_cuts - 1) / n_cuts * kernels_.panel;
}

std::vector<DenseLayer::Piece> DenseLayer::pieces() const {
  std::vector<Piece> pieces;
  const Index rows = rows_per_piece();
  for (Index output = 0; output < n_outputs_; output += kernels_.panel)
    for (Index input = 0; input < n_inputs_; input += rows)
      pieces.push_back({output, input, std::min(rows, n_inputs_ - input)});
  return pieces;
}

Index DenseLayer::scratch_size(Index batch_size) const {
  return (batch_size + std::min(rows_per_piece(), n_inputs_) + 1) * kernels_.panel;
}

void DenseLayer::learn(const Piece& piece, const float* input, Index n_rows, const AdamStep& step,
                       float* scratch) {
  const Index width = kernels_.width(piece.first_output, n_outputs_);
  const Index n_outputs = std::min(kernels_.panel, n_outputs_ - piece.first_output);
  float* packed = scratch;
  float* by_weight = packed + n_rows * width;
  kernels_.pack({gradient_.data() + piece.first_output, n_outputs_, 1}, n_rows, n_outputs, packed);
  kernels_.multiply({input + piece.first_input, 1, n_inputs_}, packed, nullptr, by_weight, width,
                    piece.n_inputs, width, n_rows);
  const auto at = size(piece.first_output * n_inputs_ + piece.first_input * width);
  kernels_.adam(step, by_weight, &weights_.values[at], &weights_.first[at], &weights_.second[at],
                piece.n_inputs * width);
  if (!backward_.empty()) pack_backward(piece);
  if (piece.first_input > 0) return;
  float* by_bias = by_weight;
  kernels_.sum_rows(packed, n_rows, width, by_bias);
  const auto first = size(piece.first_output);
  kernels_.adam(step, by_bias, &biases_.values[first], &biases_.first[first], &biases_.second[first], width);
}

} // namespace lacuna
