#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

enum class VaeArchitecture { mlp, conv };
enum class VaeActivation { relu, tanh, sigmoid };
enum class VaeLikelihood { bernoulli, gaussian };
enum class VaeSchedule { constant, cosine };
/// What a row becomes: the mean of its posterior, or one draw from it, the same for a seed and a row number.
enum class VaeEncoding { mean, sample };
/// Where training runs; auto_detect takes a GPU when there is one.
enum class VaeDevice { auto_detect, cpu, cuda };

/// Options of the variational auto-encoder (docs/math/vae.md). The defaults suit MNIST.
struct VaeOptions {
  Index n_latent = 2;                                  ///< features it makes
  VaeArchitecture architecture = VaeArchitecture::mlp; ///< conv is for images
  std::vector<Index> hidden = {512, 256};              ///< widths of the encoder's dense layers
  std::vector<Index> decoder_hidden;                   ///< of the decoder's; empty: the encoder's, reversed
  std::vector<Index> channels = {32, 64};         ///< conv: of each stage, which halves the image's sides
  Index image_height = 0;                         ///< conv: rows of an image; 0: images are square
  Index image_width = 0;                          ///< conv: pixels in a row of an image; 0: images are square
  VaeActivation activation = VaeActivation::relu; ///< of the hidden layers
  VaeLikelihood likelihood = VaeLikelihood::bernoulli; ///< bernoulli: values 0 to 1, or 0 to some maximum
  double learning_rate = 1e-3;                         ///< of Adam
  VaeSchedule schedule = VaeSchedule::constant; ///< cosine: the learning rate falls to 0 over the epochs
  Index kl_warmup_epochs = 0;                   ///< the KL term's weight grows to 1 over these epochs
  Index batch_size = 256;                       ///< rows per step
  Index epochs = 50;                            ///< passes over the rows
  Index patience = 0;             ///< stop after so many epochs without a better held-out ELBO; 0: never
  double validation_share = 0.05; ///< rows held out for that; none when patience is 0
  VaeEncoding encoding = VaeEncoding::mean;
  VaeDevice device = VaeDevice::auto_detect;
  std::string checkpoint;     ///< a file to resume from after an interruption; empty: none
  Index checkpoint_every = 5; ///< epochs between checkpoints
};

/// Throws Error(usage) that lists every option outside its limits.
void check_options(const VaeOptions& options);

/// Names as the command line and the model file spell them; parsing throws Error(usage).
std::string to_string(VaeArchitecture architecture);
std::string to_string(VaeActivation activation);
std::string to_string(VaeLikelihood likelihood);
std::string to_string(VaeSchedule schedule);
std::string to_string(VaeEncoding encoding);
std::string to_string(VaeDevice device);
VaeArchitecture parse_vae_architecture(const std::string& text);
VaeActivation parse_vae_activation(const std::string& text);
VaeLikelihood parse_vae_likelihood(const std::string& text);
VaeSchedule parse_vae_schedule(const std::string& text);
VaeEncoding parse_vae_encoding(const std::string& text);
VaeDevice parse_vae_device(const std::string& text);

} // namespace lacuna
