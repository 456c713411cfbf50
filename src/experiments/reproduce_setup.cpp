#include "experiments/reproduce_setup.hpp"

#include "core/common_options.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/compare.hpp"

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
      for (const Method method : all_methods()) made.push_back({preset, method});
    return made;
  }();
  return all;
}

bool is_toy(const ReproduceRequest& request) {
  return request.experiment == "toy";
}

std::vector<std::string> subjects_of(const ReproduceRequest& request) {
  return is_toy(request) ? std::vector<std::string>{"quadrants", "coin"} : std::vector<std::string>{""};
}

const OptionTable<ReproduceRequest>& ReproduceRequest::table() {
  using O = ReproduceRequest;
  Option<O> protocol = option("protocol", &O::protocol, "NAME",
                              "How labels go missing: strict-mar, or authors as in the paper's scripts")
                           .in_group("Experiment");
  protocol.choices = {"strict-mar", "authors"}; // the paper's, see check_together
  static const OptionTable<O> rows{
      protocol,
      option("repeats", &O::repeats, "R", "Draws of labels for each VAE", {.low = 1, .high = 10'000})
          .in_group("Experiment"),
      option("vae_seeds", &O::vae_seeds, "S", "Number of VAEs, seeds 0 to S-1", {.low = 1, .high = 1000})
          .in_group("Experiment"),
      option("data", &O::data, "DIR", "Folder with the images, as scripts/get-data fills it")
          .in_group("Experiment"),
      option("out", &O::out, "DIR", "Folder for results, figures' data and cache").in_group("Run"),
      device_option(&O::device),
      option("seed", &O::seed, "N", "Seed of draws and fits").in_group("Run"),
      threads_option(&O::threads)};
  return rows;
}

void ReproduceRequest::check_together(OptionChecks& checks) const {
  const bool is_image = experiment == "mnist" || experiment == "fashion-mnist";
  const bool is_strict = protocol == LabelProtocol::strict_mar;
  checks.require(is_image || is_toy(*this), "experiment", "'" + experiment + "'",
                 "toy, mnist or fashion-mnist");
  checks.require(is_strict || protocol == LabelProtocol::authors, "protocol", to_string(protocol),
                 "strict-mar or authors");
  checks.require(!is_toy(*this) || is_strict, "protocol", to_string(protocol),
                 "strict-mar: the toys say themselves where labels are seen");
  checks.require(!out.empty(), "out", "nothing", "a folder");
}

ImageSetup image_setup(const ReproduceRequest& request) {
  const bool is_fashion = request.experiment == "fashion-mnist";
  const bool is_authors = request.protocol == LabelProtocol::authors;
  ImageSetup setup;
  setup.rare_classes = is_fashion ? std::vector<int>{0, 1} : std::vector<int>{0, 1, 7};
  setup.vae = is_authors ? authors_vae() : default_vae();
  setup.vae.n_latent = is_fashion ? 5 : 2;
  setup.paper_kappa = is_fashion && is_authors ? 1.0 : 0.0;
  return setup;
}

LearningOptions learning_options(const ReproduceRequest& request, const Contender& contender) {
  LearningOptions options;
  options.device = request.device;
  options.method = contender.method;
  if (contender.preset == "paper") {
    apply_paper_preset(options);
    if (!is_toy(request)) options.kappa = image_setup(request).paper_kappa;
  }
  return options;
}

} // namespace lacuna
