#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/features/vae_options.hpp"

namespace lacuna {

/// One layer of the network and where its numbers stand among all parameters.
struct VaeLayer {
  enum class Kind {
    dense,          ///< weights [outputs, inputs]
    conv,           ///< 4 x 4, stride 2, padding 1: halves the sides; weights [outputs, inputs, 4, 4]
    conv_transpose, ///< the reverse, doubles the sides; weights [inputs, outputs, 4, 4]
  };
  Kind kind = Kind::dense;
  Index n_inputs = 0;  ///< features; channels of an image
  Index n_outputs = 0; ///< the same behind the layer
  Index height = 0;    ///< sides of the image before the layer; 0 for dense
  Index width = 0;
  bool has_activation = false;
  Index weight = 0; ///< position of the first weight
  Index bias = 0;   ///< position of the first bias; n_outputs of them

  Index kernel_size() const { return kind == Kind::dense ? 1 : 16; }
  Index n_weights() const { return n_inputs * n_outputs * kernel_size(); }
  std::vector<Index> weight_shape() const {
    if (kind == Kind::dense) return {n_outputs, n_inputs};
    if (kind == Kind::conv) return {n_outputs, n_inputs, 4, 4};
    return {n_inputs, n_outputs, 4, 4};
  }
};

/// The network of a VAE over one flat array of parameters. The encoder ends in 2 n_latent numbers: means,
/// then logarithms of variances. The decoder ends in n_inputs numbers: logits (bernoulli) or means
/// (gaussian).
struct VaeLayout {
  Index n_inputs = 0;
  Index n_latent = 0;
  VaeActivation activation = VaeActivation::relu;
  VaeLikelihood likelihood = VaeLikelihood::bernoulli;
  std::vector<VaeLayer> encoder;
  std::vector<VaeLayer> decoder;
  Index log_variance = -1; ///< gaussian: position of one value per input; bernoulli: -1
  Index n_parameters = 0;
};

/// Gaussian: a variance is exp(parameter) + this, so that a constant feature cannot make it 0.
inline constexpr double smallest_vae_variance = 1e-4;

/// Throws Error(data) when n_inputs are not an image of the size that conv needs.
VaeLayout make_vae_layout(const VaeOptions& options, Index n_inputs);

/// Glorot's uniform start: weights between +-sqrt(6 / (inputs + outputs)), all else 0.
std::vector<float> initial_vae_parameters(const VaeLayout& layout, std::uint64_t seed);

} // namespace lacuna
