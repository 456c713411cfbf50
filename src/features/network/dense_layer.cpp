#include <algorithm>

#include "features/network/cpu_layer.hpp"

namespace lacuna {

namespace {

class DenseLayer final : public CpuLayer {
public:
  DenseLayer(const VaeLayer& layer, const VaeLayout& layout, const DenseKernels& kernels, Index batch_size,
             PackedWeights weights, std::vector<Index> bias_places)
      : CpuLayer(layer, layout, kernels, std::move(weights), std::move(bias_places), batch_size,
                 layer.n_outputs),
        n_inputs_(layer.n_inputs) {}

  void forward(const float* input, Index first, Index count, float* /*scratch*/) override {
    kernels_.multiply({input + first * n_inputs_, n_inputs_, 1}, weights_.matrix(), biases_.values.data(),
                      output_.data() + first * n_outputs_, n_outputs_, count, n_outputs_, n_inputs_);
    activate(first, count);
  }

  void backward(const float* /*input*/, Index first, Index count, float* by_input,
                float* /*scratch*/) override {
    pull_back(first, count);
    if (by_input == nullptr) return;
    kernels_.multiply({gradient_.data() + first * n_outputs_, n_outputs_, 1}, weights_.transposed(), nullptr,
                      by_input + first * n_inputs_, n_inputs_, count, n_inputs_, n_outputs_);
  }

  void learn(const Piece& piece, const float* input, Index n_rows, const AdamStep& step,
             float* scratch) override {
    float* packed = scratch;
    float* gradient = packed + n_rows * piece.width;
    kernels_.pack({gradient_.data() + piece.first_column, n_outputs_, 1}, n_rows, piece.n_columns, packed);
    kernels_.multiply({input + piece.first_row, 1, n_inputs_}, packed, nullptr, gradient, piece.width,
                      piece.n_rows, piece.width, n_rows);
    weights_.learn(piece, gradient, step);
    if (piece.first_row > 0) return;
    kernels_.sum_rows(packed, n_rows, piece.width, gradient);
    const auto at = static_cast<std::size_t>(piece.first_column);
    kernels_.adam(step, gradient, &biases_.values[at], &biases_.first[at], &biases_.second[at], piece.width);
  }

  Index scratch_size() const override {
    return batch_size_ * kernels_.panel + std::max(weights_.largest_piece(), kernels_.panel);
  }

private:
  Index n_inputs_;
};

} // namespace

std::unique_ptr<CpuLayer> make_dense_layer(const VaeLayer& layer, const VaeLayout& layout,
                                           const DenseKernels& kernels, Index batch_size, bool is_first,
                                           ImageOrder inputs, ImageOrder outputs) {
  std::vector<Index> rows;
  for (Index i = 0; i < layer.n_inputs; ++i) rows.push_back(layer.weight + inputs.by_channel(i));
  std::vector<Index> columns;
  std::vector<Index> biases;
  for (Index j = 0; j < layer.n_outputs; ++j) {
    columns.push_back(outputs.by_channel(j) * layer.n_inputs);
    biases.push_back(layer.bias + outputs.by_channel(j));
  }
  PackedWeights weights(kernels, std::move(rows), std::move(columns), !is_first);
  return std::make_unique<DenseLayer>(layer, layout, kernels, batch_size, std::move(weights),
                                      std::move(biases));
}

} // namespace lacuna
