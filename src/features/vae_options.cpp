#include "lacuna/features/vae_options.hpp"

namespace lacuna {

const OptionTable<VaeOptions>& VaeOptions::table() {
  using O = VaeOptions;
  constexpr double most = 1'000'000;
  constexpr double most_width = 100'000;
  constexpr std::size_t most_layers = 10;
  static const OptionTable<O> rows{
      option("encoding", &O::encoding, "FORM",
             "mean, or sample: a draw, the same for a seed and a row number"),
      option("vae_architecture", &O::vae_architecture, "NAME", "mlp, or conv for images"),
      option("vae_hidden", &O::vae_hidden, "N,N,...", "Widths of the encoder's dense layers",
             {.low = 1, .high = most_width, .most_values = most_layers}),
      option("vae_decoder_hidden", &O::vae_decoder_hidden, "N,N,...",
             "The decoder's; the encoder's reversed when not given",
             {.low = 1, .high = most_width, .most_values = most_layers}),
      option("vae_channels", &O::vae_channels, "N,N,...",
             "conv: channels of each stage, which halves the sides",
             {.low = 1, .high = 4096, .most_values = most_layers}),
      option("vae_image_height", &O::vae_image_height, "N", "conv: rows of an image; 0 for square ones",
             {.low = 1, .high = most_width, .unset = "0"}),
      option("vae_image_width", &O::vae_image_width, "N",
             "conv: pixels in a row of an image; 0 for square ones",
             {.low = 1, .high = most_width, .unset = "0"}),
      option("vae_activation", &O::vae_activation, "NAME", "Of the hidden layers"),
      option("vae_likelihood", &O::vae_likelihood, "NAME",
             "bernoulli, for values from 0 to a maximum, or gaussian"),
      option("vae_epochs", &O::vae_epochs, "N", "Passes over the rows", {.low = 1, .high = most}),
      option("vae_batch", &O::vae_batch, "N", "Rows per step", {.low = 1, .high = most}),
      option("vae_learning_rate", &O::vae_learning_rate, "X", "Of Adam", {.above = 0.0, .high = 1.0}),
      option("vae_schedule", &O::vae_schedule, "NAME",
             "Of the learning rate: constant, or cosine, which falls to 0 over the epochs"),
      option("vae_kl_warmup", &O::vae_kl_warmup, "N", "Epochs over which the KL term's weight grows to 1",
             {.low = 0, .high = most}),
      option("vae_patience", &O::vae_patience, "N",
             "Stop after N epochs without a better held-out ELBO; 0: never",
             {.low = 1, .high = most, .unset = "0"}),
      option("vae_validation", &O::vae_validation, "X",
             "Share of the rows held out for " + mention("vae_patience"), {.above = 0.0, .high = 0.5}),
      option(
          "vae_checkpoint", &O::vae_checkpoint, "FILE",
          "Where an interrupted training is kept; for a file that is fitted, MODEL.checkpoint when not given")
          .unrecorded(),
      option("vae_checkpoint_every", &O::vae_checkpoint_every, "N", "Epochs between checkpoints",
             {.low = 1, .high = most})
          .unrecorded()};
  return rows;
}

void VaeOptions::check_together(OptionChecks& checks) const {
  checks.require(n_latent >= 1 && n_latent <= 1000, "features", "vae:" + std::to_string(n_latent),
                 "vae:N with N from 1 to 1000");
  checks.require(vae_architecture == VaeArchitecture::mlp || !vae_channels.empty(), "vae_channels", "none",
                 "at least one stage for conv");
}

} // namespace lacuna
