#pragma once

#include <vector>

#include <torch/torch.h>

#include "features/vae_layout.hpp"

namespace lacuna {

/// The network of a layout over one flat tensor of parameters, of which the layers' tensors are views.
class VaeNet {
public:
  VaeNet(const VaeLayout& layout, const torch::Tensor& parameters);

  struct Batch {
    torch::Tensor log_likelihood; ///< one number, summed over the rows
    torch::Tensor kl;             ///< the same
    torch::Tensor gradient;       ///< of (kl_weight * kl - log_likelihood) * scale, flat
  };
  /// `kl_weight` is a tensor with one number, so that a recorded graph can follow it.
  Batch gradient(const torch::Tensor& rows, const torch::Tensor& noise, const torch::Tensor& kl_weight,
                 double scale) const;
  /// The ELBO alone, summed over the rows.
  torch::Tensor elbo(const torch::Tensor& rows, const torch::Tensor& noise) const;

private:
  struct Layer {
    VaeLayer description;
    torch::Tensor weight;
    torch::Tensor bias;
  };
  struct Pass;

  torch::Tensor run(const std::vector<Layer>& layers, torch::Tensor values) const;
  Pass forward(const torch::Tensor& rows, const torch::Tensor& noise) const;
  torch::Tensor log_likelihood(const torch::Tensor& rows, const torch::Tensor& decoded) const;

  VaeLayout layout_;
  std::vector<Layer> encoder_;
  std::vector<Layer> decoder_;
  torch::Tensor log_variance_;         ///< gaussian only
  std::vector<torch::Tensor> learned_; ///< weights and biases in the order of the flat tensor
};

} // namespace lacuna
