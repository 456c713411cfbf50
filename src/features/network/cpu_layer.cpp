#include "features/network/cpu_layer.hpp"

namespace lacuna {

const DenseActivation& kernel_of(VaeActivation activation, const DenseKernels& kernels) {
  if (activation == VaeActivation::relu) return kernels.relu;
  return activation == VaeActivation::tanh ? kernels.tanh : kernels.sigmoid;
}

CpuLayer::CpuLayer(const VaeLayer& layer, const VaeLayout& layout, const DenseKernels& kernels,
                   PackedWeights weights, std::vector<Index> bias_places, Index batch_size, Index n_outputs)
    : kernels_(kernels), weights_(std::move(weights)),
      biases_(kernels.rounded(static_cast<Index>(bias_places.size()))), batch_size_(batch_size),
      n_outputs_(n_outputs), output_(static_cast<std::size_t>(batch_size * n_outputs)),
      gradient_(output_.size()),
      activation_(layer.has_activation ? &kernel_of(layout.activation, kernels) : nullptr),
      bias_places_(std::move(bias_places)) {}

void CpuLayer::set(const std::vector<float>& flat, LearnedPart part) {
  weights_.set(flat, part);
  for (std::size_t i = 0; i < bias_places_.size(); ++i)
    (biases_.*part)[i] = flat[static_cast<std::size_t>(bias_places_[i])];
}

void CpuLayer::get(std::vector<float>& flat, LearnedPart part) const {
  weights_.get(flat, part);
  for (std::size_t i = 0; i < bias_places_.size(); ++i)
    flat[static_cast<std::size_t>(bias_places_[i])] = (biases_.*part)[i];
}

void CpuLayer::activate(Index first, Index count) {
  if (activation_ != nullptr) activation_->apply(output_.data() + first * n_outputs_, count * n_outputs_);
}

void CpuLayer::pull_back(Index first, Index count) {
  if (activation_ != nullptr)
    activation_->pull_back(output_.data() + first * n_outputs_, gradient_.data() + first * n_outputs_,
                           count * n_outputs_);
}

} // namespace lacuna
