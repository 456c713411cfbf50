#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/core/options.hpp"

namespace LACUNA_API lacuna {

enum class VaeArchitecture { mlp, conv };
constexpr auto choice_names(VaeArchitecture) {
  return std::array{ChoiceName{VaeArchitecture::mlp, "mlp"}, ChoiceName{VaeArchitecture::conv, "conv"}};
}

enum class VaeActivation { relu, tanh, sigmoid };
constexpr auto choice_names(VaeActivation) {
  return std::array{ChoiceName{VaeActivation::relu, "relu"}, ChoiceName{VaeActivation::tanh, "tanh"},
                    ChoiceName{VaeActivation::sigmoid, "sigmoid"}};
}

enum class VaeLikelihood { bernoulli, gaussian };
constexpr auto choice_names(VaeLikelihood) {
  return std::array{ChoiceName{VaeLikelihood::bernoulli, "bernoulli"},
                    ChoiceName{VaeLikelihood::gaussian, "gaussian"}};
}

enum class VaeSchedule { constant, cosine };
constexpr auto choice_names(VaeSchedule) {
  return std::array{ChoiceName{VaeSchedule::constant, "constant"}, ChoiceName{VaeSchedule::cosine, "cosine"}};
}

/// What a row becomes: the mean of its posterior, or one draw from it, the same for a seed and a row number.
enum class VaeEncoding { mean, sample };
constexpr auto choice_names(VaeEncoding) {
  return std::array{ChoiceName{VaeEncoding::mean, "mean"}, ChoiceName{VaeEncoding::sample, "sample"}};
}

/// Options of the variational auto-encoder (docs/math/vae.md). The defaults suit MNIST.
struct VaeOptions {
  Index n_latent = 2; ///< features it makes; "vae:N" says so too
  VaeEncoding encoding = VaeEncoding::mean;
  VaeArchitecture vae_architecture = VaeArchitecture::mlp;
  std::vector<Index> vae_hidden = {512, 256};
  std::vector<Index> vae_decoder_hidden; ///< empty: the encoder's, reversed
  std::vector<Index> vae_channels = {32, 64};
  std::optional<Index> vae_image_height; ///< empty: images are square
  std::optional<Index> vae_image_width;
  VaeActivation vae_activation = VaeActivation::relu;
  VaeLikelihood vae_likelihood = VaeLikelihood::bernoulli;
  Index vae_epochs = 50;
  Index vae_batch = 256;
  double vae_learning_rate = 1e-3;
  VaeSchedule vae_schedule = VaeSchedule::constant;
  Index vae_kl_warmup = 0;
  std::optional<Index> vae_patience; ///< empty: training never stops early, and no row is held out
  double vae_validation = 0.05;
  std::string vae_checkpoint; ///< empty: none
  Index vae_checkpoint_every = 5;

  static const OptionTable<VaeOptions>& table();
  void check_together(OptionChecks& checks) const;
};

} // namespace lacuna
