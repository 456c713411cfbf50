#include "experiments/reproduce_setup.hpp"

#include <array>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

/// Our own network for strict-mar: the defaults, with fewer epochs so that two cores train it in minutes.
VaeOptions default_vae() {
  VaeOptions vae;
  vae.vae_hidden = {512, 256};
  vae.vae_batch = 256;
  vae.vae_epochs = 20;
  return vae;
}

/// As in the authors' scripts: relu inside, as by default, and the sigmoid of a Bernoulli at the end.
VaeOptions authors_vae() {
  VaeOptions vae;
  vae.vae_hidden = {128, 512};
  vae.vae_decoder_hidden = {128, 512};
  vae.vae_batch = 128;
  vae.vae_epochs = 50;
  return vae;
}

} // namespace

const std::vector<Contender>& contenders() {
  static const std::vector<Contender> all = [] {
    std::vector<Contender> made;
    for (const char* preset : {"paper", "default"})
      for (const Method method : {Method::supervised, Method::mcar_sampling, Method::mcar_em, Method::mar})
        made.push_back({preset, method});
    return made;
  }();
  return all;
}

bool is_toy(const ReproduceRequest& request) {
  return request.experiment == "toy";
}

void check_request(const ReproduceRequest& request) {
  OptionChecks checks;
  const bool is_image = request.experiment == "mnist" || request.experiment == "fashion-mnist";
  const bool is_strict = request.protocol == LabelProtocol::strict_mar;
  checks.require(is_image || is_toy(request), "experiment", "'" + request.experiment + "'",
                 "toy, mnist or fashion-mnist");
  checks.require(is_strict || request.protocol == LabelProtocol::authors, "protocol",
                 to_string(request.protocol), "strict-mar or authors");
  checks.require(!is_toy(request) || is_strict, "protocol", to_string(request.protocol),
                 "strict-mar: the toys say themselves where labels are seen");
  checks.require(request.n_repeats >= 1 && request.n_repeats <= 10'000, "repeats",
                 std::to_string(request.n_repeats), "1 to 10000");
  checks.require(request.n_vae_seeds >= 1 && request.n_vae_seeds <= 1000, "vae-seeds",
                 std::to_string(request.n_vae_seeds), "1 to 1000");
  checks.require(!request.directory.empty(), "out", "nothing", "a folder");
  checks.throw_if_any();
}

ImageSetup image_setup(const ReproduceRequest& request) {
  const bool is_fashion = request.experiment == "fashion-mnist";
  const bool is_authors = request.protocol == LabelProtocol::authors;
  ImageSetup setup;
  setup.rare_classes = is_fashion ? std::vector<int>{0, 1} : std::vector<int>{0, 1, 7};
  setup.vae = is_authors ? authors_vae() : default_vae();
  setup.vae.n_latent = is_fashion ? 5 : 2;
  setup.vae.device = request.device;
  setup.paper_kappa = is_fashion && is_authors ? 1.0 : 0.0;
  return setup;
}

LearningOptions learning_options(const ReproduceRequest& request, const Contender& contender) {
  LearningOptions options;
  options.method = contender.method;
  if (contender.preset == "paper") {
    apply_paper_preset(options);
    if (!is_toy(request)) options.kappa.value = image_setup(request).paper_kappa;
  }
  return options;
}

} // namespace lacuna
