#include "lacuna/features/vae_options.hpp"

#include <utility>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

template <typename Value>
using Names = std::vector<std::pair<Value, const char*>>;

const Names<VaeArchitecture> architectures = {{VaeArchitecture::mlp, "mlp"}, {VaeArchitecture::conv, "conv"}};
const Names<VaeActivation> activations = {
    {VaeActivation::relu, "relu"}, {VaeActivation::tanh, "tanh"}, {VaeActivation::sigmoid, "sigmoid"}};
const Names<VaeLikelihood> likelihoods = {{VaeLikelihood::bernoulli, "bernoulli"},
                                          {VaeLikelihood::gaussian, "gaussian"}};
const Names<VaeSchedule> schedules = {{VaeSchedule::constant, "constant"}, {VaeSchedule::cosine, "cosine"}};
const Names<VaeEncoding> encodings = {{VaeEncoding::mean, "mean"}, {VaeEncoding::sample, "sample"}};
const Names<VaeDevice> devices = {
    {VaeDevice::auto_detect, "auto"}, {VaeDevice::cpu, "cpu"}, {VaeDevice::cuda, "cuda"}};

template <typename Value>
std::string name_of(const Names<Value>& names, Value value) {
  for (const auto& [candidate, name] : names)
    if (candidate == value) return name;
  throw Error(ErrorKind::internal, "a VAE option has no name");
}

template <typename Value>
Value parse(const Names<Value>& names, const std::string& setting, const std::string& text) {
  std::string expected;
  for (const auto& [value, name] : names) {
    if (text == name) return value;
    expected += (expected.empty() ? "" : ", ") + std::string(name);
  }
  throw Error(ErrorKind::usage, setting + ": got '" + text + "', expected one of " + expected);
}

void check_widths(OptionChecks& checks, const std::string& name, const std::vector<Index>& widths,
                  Index largest) {
  for (const Index width : widths)
    checks.require(width >= 1 && width <= largest, name, std::to_string(width),
                   fmt::format("widths from 1 to {}", largest));
  checks.require(widths.size() <= 10, name, fmt::format("{} layers", widths.size()), "at most 10");
}

} // namespace

void check_options(const VaeOptions& options) {
  OptionChecks checks;
  const auto whole = [&](const std::string& name, Index value, Index low, Index high) {
    checks.require(value >= low && value <= high, name, std::to_string(value),
                   fmt::format("{} to {}", low, high));
  };
  whole("vae latent features", options.n_latent, 1, 1000);
  check_widths(checks, "vae-hidden", options.hidden, 100000);
  check_widths(checks, "vae-decoder-hidden", options.decoder_hidden, 100000);
  check_widths(checks, "vae-channels", options.channels, 4096);
  checks.require(options.architecture == VaeArchitecture::mlp || !options.channels.empty(), "vae-channels",
                 "none", "at least one stage for conv");
  whole("vae-image-height", options.image_height, 0, 100000);
  whole("vae-image-width", options.image_width, 0, 100000);
  checks.require(options.learning_rate > 0.0 && options.learning_rate <= 1.0, "vae-learning-rate",
                 fmt::format("{}", options.learning_rate), "above 0 and at most 1");
  whole("vae-kl-warmup", options.kl_warmup_epochs, 0, 1000000);
  whole("vae-batch", options.batch_size, 1, 1000000);
  whole("vae-epochs", options.epochs, 1, 1000000);
  whole("vae-patience", options.patience, 0, 1000000);
  checks.require(options.validation_share > 0.0 && options.validation_share <= 0.5, "vae-validation",
                 fmt::format("{}", options.validation_share), "above 0 and at most 0.5");
  whole("vae-checkpoint-every", options.checkpoint_every, 1, 1000000);
  checks.throw_if_any();
}

std::string to_string(VaeArchitecture architecture) {
  return name_of(architectures, architecture);
}
std::string to_string(VaeActivation activation) {
  return name_of(activations, activation);
}
std::string to_string(VaeLikelihood likelihood) {
  return name_of(likelihoods, likelihood);
}
std::string to_string(VaeSchedule schedule) {
  return name_of(schedules, schedule);
}
std::string to_string(VaeEncoding encoding) {
  return name_of(encodings, encoding);
}
std::string to_string(VaeDevice device) {
  return name_of(devices, device);
}

VaeArchitecture parse_vae_architecture(const std::string& text) {
  return parse(architectures, "vae-architecture", text);
}
VaeActivation parse_vae_activation(const std::string& text) {
  return parse(activations, "vae-activation", text);
}
VaeLikelihood parse_vae_likelihood(const std::string& text) {
  return parse(likelihoods, "vae-likelihood", text);
}
VaeSchedule parse_vae_schedule(const std::string& text) {
  return parse(schedules, "vae-schedule", text);
}
VaeEncoding parse_vae_encoding(const std::string& text) {
  return parse(encodings, "encoding", text);
}
VaeDevice parse_vae_device(const std::string& text) {
  return parse(devices, "device", text);
}

} // namespace lacuna
