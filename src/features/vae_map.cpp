#include "features/vae_map.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "core/aligned.hpp"
#include "core/archive_checks.hpp"
#include "features/network/cpu_layer.hpp"
#include "features/numbered_names.hpp"
#include "features/row_tasks.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

namespace {

using Floats = std::vector<float>;

/// No training ends with larger weights.
constexpr double largest_vae_weight = 1e6;

// One line per place of the 4 x 4 window (stride 2, padding 1): the pixels under it, channel by channel.
Floats windows_of_image(const VaeLayer& layer, const float* image) {
  const Index height = layer.height / 2;
  const Index width = layer.width / 2;
  Floats windows;
  windows.reserve(static_cast<std::size_t>(height * width * layer.n_inputs * 16));
  for (Index y = 0; y < height; ++y)
    for (Index x = 0; x < width; ++x)
      for (Index channel = 0; channel < layer.n_inputs; ++channel)
        for (Index at_y = 2 * y - 1; at_y < 2 * y + 3; ++at_y)
          for (Index at_x = 2 * x - 1; at_x < 2 * x + 3; ++at_x) {
            const bool is_inside = at_y >= 0 && at_y < layer.height && at_x >= 0 && at_x < layer.width;
            windows.push_back(is_inside ? image[(channel * layer.height + at_y) * layer.width + at_x] : 0.0F);
          }
  return windows;
}

// The weights of a layer as the product wants them, [inputs x outputs]; an image's windows are the inputs of
// a convolution.
AlignedFloats packed_weights(const VaeLayer& layer, const float* parameters) {
  const Index n_inputs = layer.n_inputs * layer.kernel_size();
  AlignedFloats packed(static_cast<std::size_t>(dense_kernels().packed_size(n_inputs, layer.n_outputs)));
  dense_kernels().pack(FloatView{parameters + layer.weight, n_inputs, 1}.transposed(), n_inputs,
                       layer.n_outputs, packed.data());
  return packed;
}

Floats convolve(const VaeLayer& layer, const float* packed, const float* bias, const Floats& images,
                Index n_images) {
  const Index n_places = layer.height / 2 * (layer.width / 2);
  const Index window = layer.n_inputs * 16;
  const Index image_size = layer.n_inputs * layer.height * layer.width;
  Floats result(static_cast<std::size_t>(n_images * layer.n_outputs * n_places));
  Floats by_place(static_cast<std::size_t>(n_places * layer.n_outputs));
  for (Index i = 0; i < n_images; ++i) {
    const Floats windows = windows_of_image(layer, images.data() + i * image_size);
    dense_kernels().multiply({windows.data(), window, 1}, packed, bias, by_place.data(), layer.n_outputs,
                             n_places, layer.n_outputs, window);
    float* to = result.data() + i * layer.n_outputs * n_places;
    for (Index place = 0; place < n_places; ++place)
      for (Index channel = 0; channel < layer.n_outputs; ++channel)
        to[channel * n_places + place] =
            by_place[static_cast<std::size_t>(place * layer.n_outputs + channel)];
  }
  return result;
}

Floats run_layer(const VaeLayer& layer, const float* packed, const float* bias, const Floats& values,
                 Index n_rows) {
  if (layer.kind == VaeLayer::Kind::conv) return convolve(layer, packed, bias, values, n_rows);
  Floats result(static_cast<std::size_t>(n_rows * layer.n_outputs));
  dense_kernels().multiply({values.data(), layer.n_inputs, 1}, packed, bias, result.data(), layer.n_outputs,
                           n_rows, layer.n_outputs, layer.n_inputs);
  return result;
}

void put_layers(Archive& archive, const std::string& prefix, const std::vector<VaeLayer>& layers,
                const Floats& parameters) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const VaeLayer& layer = layers[i];
    const std::string name = prefix + std::to_string(i);
    archive.put(name + "/weight", layer.weight_shape(),
                std::span(parameters.data() + layer.weight, static_cast<std::size_t>(layer.n_weights())));
    archive.put(name + "/bias", {layer.n_outputs},
                std::span(parameters.data() + layer.bias, static_cast<std::size_t>(layer.n_outputs)));
  }
}

void get_values(const Archive& archive, const std::string& name, const std::vector<Index>& shape, float* to) {
  const Tensor& tensor = archive.tensor(name);
  if (tensor.shape != shape) fail_damaged(name, "has another shape than expected");
  require_within(tensor.values, largest_vae_weight, name);
  for (const double value : tensor.values) *to++ = static_cast<float>(value);
}

void get_layers(const Archive& archive, const std::string& prefix, const std::vector<VaeLayer>& layers,
                Floats& parameters) {
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const VaeLayer& layer = layers[i];
    const std::string name = prefix + std::to_string(i);
    get_values(archive, name + "/weight", layer.weight_shape(), parameters.data() + layer.weight);
    get_values(archive, name + "/bias", {layer.n_outputs}, parameters.data() + layer.bias);
  }
}

void put_sizes(Archive& archive, const std::string& name, const std::vector<Index>& sizes) {
  archive.put(name, std::vector<double>(sizes.begin(), sizes.end()));
}

// Sizes from a file. The tensors they describe are in the same file, so nothing larger than it is allocated.
std::vector<Index> get_sizes(const Archive& archive, const std::string& name) {
  const Tensor& tensor = archive.tensor(name);
  std::vector<Index> sizes;
  for (const double value : tensor.values) {
    if (!(value >= 1.0 && value <= 1e5) || value != std::floor(value))
      fail_damaged(name, "holds a size that is not a whole number between 1 and 100000");
    sizes.push_back(static_cast<Index>(value));
  }
  if (tensor.shape.size() != 1 || sizes.size() > 10) fail_damaged(name, "has another shape than expected");
  return sizes;
}

/// A side of an image; 0 stands for a square one.
std::optional<Index> image_side(const Archive& archive, const std::string& name) {
  const Index side = archive.integer(name, 0, 100000);
  return side > 0 ? std::optional(side) : std::nullopt;
}

VaeOptions get_options(const Archive& archive, const std::string& prefix) {
  VaeOptions options;
  options.vae_architecture = archive.choice<VaeArchitecture>(prefix + "architecture");
  options.vae_activation = archive.choice<VaeActivation>(prefix + "activation");
  options.vae_likelihood = archive.choice<VaeLikelihood>(prefix + "likelihood");
  options.encoding = archive.choice<VaeEncoding>(prefix + "encoding");
  options.n_latent = archive.integer(prefix + "n_latent", 1, 1000);
  options.vae_hidden = get_sizes(archive, prefix + "hidden");
  options.vae_decoder_hidden = get_sizes(archive, prefix + "decoder_hidden");
  options.vae_channels = get_sizes(archive, prefix + "channels");
  options.vae_image_height = image_side(archive, prefix + "image_height");
  options.vae_image_width = image_side(archive, prefix + "image_width");
  return options;
}

// The numbers that the layers claim must be in the file before room is made for them.
void check_size(const Archive& archive, const std::string& prefix, const VaeLayout& layout) {
  Index stored = 0;
  for (const auto& [name, tensor] : archive.tensors())
    if (name.starts_with(prefix)) stored += static_cast<Index>(tensor.values.size());
  if (layout.n_parameters > stored) fail_damaged(prefix, "holds fewer weights than its layers have");
}

} // namespace

VaeMap::VaeMap(VaeOptions options, Index n_inputs, double scale, std::uint64_t seed, Floats parameters)
    : options_(std::move(options)), layout_(make_vae_layout(options_, n_inputs)), scale_(scale), seed_(seed),
      parameters_(std::move(parameters)) {}

std::vector<std::string> VaeMap::output_names(const std::vector<std::string>& /*input_names*/) const {
  return numbered_names("z", n_outputs());
}

void VaeMap::apply(MatrixView rows, const ApplyOptions& how, Matrix& out) const {
  out = Matrix(rows.n_rows, n_outputs());
  std::vector<AlignedFloats> packed;
  for (const VaeLayer& layer : layout_.encoder) packed.push_back(packed_weights(layer, parameters_.data()));
  const DenseActivation& activation = kernel_of(layout_.activation, dense_kernels());
  for_row_tasks(rows.n_rows, how.threads, [&](Index first, Index count) {
    Floats values(static_cast<std::size_t>(count * n_inputs()));
    const double* from = rows.row(first);
    // Values that no float can hold would become infinite and then NaN.
    constexpr double largest = 1e20;
    for (float& value : values) value = static_cast<float>(std::clamp(*from++ * scale_, -largest, largest));
    for (std::size_t i = 0; i < packed.size(); ++i) {
      const VaeLayer& layer = layout_.encoder[i];
      values = run_layer(layer, packed[i].data(), parameters_.data() + layer.bias, values, count);
      if (layer.has_activation) activation.apply(values.data(), static_cast<Index>(values.size()));
    }
    const Index n = n_outputs();
    for (Index i = 0; i < count; ++i) {
      const float* encoded = values.data() + i * 2 * n;
      RandomStream noise(seed_, RandomPurpose::vae_encoding,
                         static_cast<std::uint64_t>(how.first_row + first + i));
      for (Index j = 0; j < n; ++j) {
        double& z = out(first + i, j);
        z = encoded[j];
        if (options_.encoding == VaeEncoding::sample)
          z += std::exp(0.5 * std::min(encoded[n + j], 40.0F)) * noise.normal();
        if (!std::isfinite(z))
          throw Error(ErrorKind::data,
                      "vae: a row is encoded as something that is not a finite number; it is far "
                      "from all that the network was trained on, or the model is damaged");
      }
    }
  });
}

void VaeMap::save_parts(Archive& archive, const std::string& prefix) const {
  archive.put_choice(prefix + "architecture", options_.vae_architecture);
  archive.put_choice(prefix + "activation", options_.vae_activation);
  archive.put_choice(prefix + "likelihood", options_.vae_likelihood);
  archive.put_choice(prefix + "encoding", options_.encoding);
  archive.put_text(prefix + "seed", std::to_string(seed_));
  archive.put(prefix + "n_inputs", static_cast<double>(n_inputs()));
  archive.put(prefix + "n_latent", static_cast<double>(n_outputs()));
  archive.put(prefix + "scale", scale_);
  put_sizes(archive, prefix + "hidden", options_.vae_hidden);
  put_sizes(archive, prefix + "decoder_hidden", options_.vae_decoder_hidden);
  put_sizes(archive, prefix + "channels", options_.vae_channels);
  archive.put(prefix + "image_height", static_cast<double>(options_.vae_image_height.value_or(0)));
  archive.put(prefix + "image_width", static_cast<double>(options_.vae_image_width.value_or(0)));
  put_layers(archive, prefix + "encoder/", layout_.encoder, parameters_);
  put_layers(archive, prefix + "decoder/", layout_.decoder, parameters_);
  if (layout_.log_variance >= 0)
    archive.put(prefix + "log_variance", {n_inputs()},
                std::span(parameters_.data() + layout_.log_variance, static_cast<std::size_t>(n_inputs())));
}

std::shared_ptr<const VaeMap> VaeMap::load(const Archive& archive, const std::string& prefix) {
  VaeOptions options;
  try {
    options = get_options(archive, prefix);
  } catch (const Error& error) {
    throw Error(ErrorKind::data,
                std::string("the model is damaged or from another version: ") + error.what());
  }
  const Index n_inputs = archive.integer(prefix + "n_inputs", 1, Index{1} << 30U);
  const double scale = archive.number(prefix + "scale");
  if (!(scale > 0.0 && scale <= 1e150)) fail_damaged(prefix + "scale", "is not a number above 0");
  const std::string& seed_text = archive.text(prefix + "seed");
  std::uint64_t seed = 0;
  const auto [end, status] = std::from_chars(seed_text.data(), seed_text.data() + seed_text.size(), seed);
  if (status != std::errc{} || end != seed_text.data() + seed_text.size())
    fail_damaged(prefix + "seed", "is not a whole number");
  const VaeLayout layout = make_vae_layout(options, n_inputs);
  check_size(archive, prefix, layout);
  Floats parameters(static_cast<std::size_t>(layout.n_parameters));
  get_layers(archive, prefix + "encoder/", layout.encoder, parameters);
  get_layers(archive, prefix + "decoder/", layout.decoder, parameters);
  if (layout.log_variance >= 0)
    get_values(archive, prefix + "log_variance", {n_inputs}, parameters.data() + layout.log_variance);
  return std::make_shared<VaeMap>(std::move(options), n_inputs, scale, seed, std::move(parameters));
}

} // namespace lacuna
