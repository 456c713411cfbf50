// Needs the standard library and core only, so that the benchmark can be built without the rest.
#include "features/vae_layout.hpp"

#include <cmath>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

namespace {

struct ImageSize {
  Index height = 0;
  Index width = 0;
};

ImageSize image_size(const VaeOptions& options, Index n_inputs) {
  ImageSize size{options.vae_image_height.value_or(0), options.vae_image_width.value_or(0)};
  if (size.height <= 0 && size.width <= 0)
    size.height = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(n_inputs))));
  if (size.width > 0 && size.height <= 0)
    size.height = n_inputs / size.width;
  else if (size.height > 0 && size.width <= 0)
    size.width = n_inputs / size.height;
  if (size.height < 1 || size.width < 1 || size.height * size.width != n_inputs)
    throw Error(ErrorKind::data, "vae: a row has " + std::to_string(n_inputs) +
                                     " features, which is not an image of " + std::to_string(size.height) +
                                     " x " + std::to_string(size.width) + " pixels; give " +
                                     mention("vae_image_height") + " and " + mention("vae_image_width") +
                                     ", or use " + mention("vae_architecture") + " mlp");
  const Index factor = Index{1} << options.vae_channels.size();
  if (size.height % factor != 0 || size.width % factor != 0)
    throw Error(ErrorKind::data,
                "vae: the sides of an image of " + std::to_string(size.height) + " x " +
                    std::to_string(size.width) + " pixels must be multiples of " + std::to_string(factor) +
                    " for " + std::to_string(options.vae_channels.size()) + " stages; give fewer " +
                    mention("vae_channels") + ", or use " + mention("vae_architecture") + " mlp");
  return size;
}

class Builder {
public:
  explicit Builder(VaeLayout& layout) : layout_(layout) {}

  void dense(std::vector<VaeLayer>& layers, Index n_inputs, Index n_outputs, bool has_activation) {
    add(layers, {VaeLayer::Kind::dense, n_inputs, n_outputs, 0, 0, has_activation, 0, 0});
  }

  void add(std::vector<VaeLayer>& layers, VaeLayer layer) {
    layer.weight = layout_.n_parameters;
    layer.bias = layer.weight + layer.n_weights();
    layout_.n_parameters = layer.bias + layer.n_outputs;
    layers.push_back(layer);
  }

private:
  VaeLayout& layout_;
};

} // namespace

VaeLayout make_vae_layout(const VaeOptions& options, Index n_inputs) {
  VaeLayout layout;
  layout.n_inputs = n_inputs;
  layout.n_latent = options.n_latent;
  layout.activation = options.vae_activation;
  layout.likelihood = options.vae_likelihood;
  Builder builder(layout);
  const bool is_conv = options.vae_architecture == VaeArchitecture::conv;
  ImageSize size = is_conv ? image_size(options, n_inputs) : ImageSize{};
  Index width = n_inputs;
  if (is_conv) {
    Index channels = 1;
    for (const Index next : options.vae_channels) {
      builder.add(layout.encoder,
                  {VaeLayer::Kind::conv, channels, next, size.height, size.width, true, 0, 0});
      size = {size.height / 2, size.width / 2};
      channels = next;
    }
    width = channels * size.height * size.width;
  }
  const Index inner_width = width;
  for (const Index next : options.vae_hidden) {
    builder.dense(layout.encoder, width, next, true);
    width = next;
  }
  builder.dense(layout.encoder, width, 2 * options.n_latent, false);

  std::vector<Index> hidden = options.vae_decoder_hidden;
  if (hidden.empty()) hidden.assign(options.vae_hidden.rbegin(), options.vae_hidden.rend());
  width = options.n_latent;
  for (const Index next : hidden) {
    builder.dense(layout.decoder, width, next, true);
    width = next;
  }
  builder.dense(layout.decoder, width, inner_width, is_conv);
  for (std::size_t i = is_conv ? options.vae_channels.size() : 0; i > 0; --i) {
    const Index next = i > 1 ? options.vae_channels[i - 2] : 1;
    builder.add(layout.decoder, {VaeLayer::Kind::conv_transpose, options.vae_channels[i - 1], next,
                                 size.height, size.width, i > 1, 0, 0});
    size = {size.height * 2, size.width * 2};
  }
  if (options.vae_likelihood == VaeLikelihood::gaussian) {
    layout.log_variance = layout.n_parameters;
    layout.n_parameters += n_inputs;
  }
  return layout;
}

std::vector<float> initial_vae_parameters(const VaeLayout& layout, std::uint64_t seed) {
  std::vector<float> parameters(static_cast<std::size_t>(layout.n_parameters));
  std::uint64_t number = 0;
  for (const auto* layers : {&layout.encoder, &layout.decoder}) {
    for (const VaeLayer& layer : *layers) {
      RandomStream stream(seed, RandomPurpose::vae_weights, number++);
      const auto fan = static_cast<double>((layer.n_inputs + layer.n_outputs) * layer.kernel_size());
      const double limit = std::sqrt(6.0 / fan);
      for (Index i = 0; i < layer.n_weights(); ++i)
        parameters[static_cast<std::size_t>(layer.weight + i)] =
            static_cast<float>(limit * (2.0 * stream.uniform() - 1.0));
    }
  }
  return parameters;
}

} // namespace lacuna
