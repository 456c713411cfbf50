#include <algorithm>

#include "features/network/cpu_layer.hpp"

namespace lacuna {

namespace {

/// A large image and a small one of half its sides, between which windows of 4 x 4 pixels mediate: that of
/// the small one's pixel (y, x) begins at (2 y - 1, 2 x - 1); what stands out of the image is zero.
struct Windows {
  Index height; ///< of the small image
  Index width;
  Index n_channels; ///< of the large image

  Index n_places() const { return height * width; }
  Index window_size() const { return 16 * n_channels; }
  Index size() const { return n_places() * window_size(); }
  Index image_size() const { return 4 * n_places() * n_channels; }

  /// Calls work(place in a list of all windows, place in the image, how many numbers) for every run of
  /// numbers that lie side by side in both, and skip(place in the list, how many) for what stands out.
  template <typename Work, typename Skip>
  void for_runs(const Work& work, const Skip& skip) const {
    const Index line = 4 * n_channels;
    Index at = 0;
    for (Index y = 0; y < height; ++y) {
      for (Index x = 0; x < width; ++x) {
        const Index left = x == 0 ? n_channels : 0;
        const Index right = x == width - 1 ? n_channels : 0;
        for (Index row = 2 * y - 1; row < 2 * y + 3; ++row, at += line) {
          if (row < 0 || row >= 2 * height) {
            skip(at, line);
            continue;
          }
          if (left > 0) skip(at, left);
          if (right > 0) skip(at + line - right, right);
          work(at + left, (row * 2 * width + 2 * x - 1) * n_channels + left, line - left - right);
        }
      }
    }
  }

  void cut(const float* image, float* windows) const {
    for_runs([&](Index to, Index from, Index n) { std::copy_n(image + from, n, windows + to); },
             [&](Index to, Index n) { std::fill_n(windows + to, n, 0.0F); });
  }

  /// The adjoint: adds every window to its place.
  void add(const float* windows, float* image) const {
    for_runs(
        [&](Index from, Index to, Index n) {
          for (Index i = 0; i < n; ++i) image[to + i] += windows[from + i];
        },
        [](Index /*from*/, Index /*n*/) {});
  }
};

/// What both directions share: images pass one by one; gradients of the weights are summed on the way back, a
/// sum per block of rows, while the windows are at hand; learning adds the sums in order.
class WindowLayer : public CpuLayer {
public:
  void forward(const float* input, Index first, Index count, float* scratch) final {
    for (Index row = first; row < first + count; ++row)
      forward_image(input + row * n_inputs_, output_.data() + row * n_outputs_, scratch);
    activate(first, count);
  }

  void backward(const float* input, Index first, Index count, float* by_input, float* scratch) final {
    pull_back(first, count);
    float* sums = sums_.data() + first / conv_block_rows * sums_per_block();
    std::fill_n(sums, sums_per_block(), 0.0F);
    for (Index row = first; row < first + count; ++row)
      backward_image(input + row * n_inputs_, gradient_.data() + row * n_outputs_,
                     by_input == nullptr ? nullptr : by_input + row * n_inputs_, scratch,
                     scratch + windows_.size(), sums);
  }

  void learn(const Piece& piece, const float* /*input*/, Index n_rows, const AdamStep& step,
             float* scratch) final {
    add_sums(weights_.place_of(piece), piece.n_rows * piece.width, n_rows, scratch);
    weights_.learn(piece, scratch, step);
    if (piece.first_row > 0 || piece.first_column > 0) return;
    const auto n = static_cast<Index>(biases_.values.size());
    add_sums(n_weights(), n, n_rows, scratch);
    kernels_.adam(step, scratch, biases_.values.data(), biases_.first.data(), biases_.second.data(), n);
  }

  Index scratch_size() const final {
    const Index packed =
        kernels_.packed_size(windows_.n_places(), std::max(windows_.window_size(), n_small_));
    return std::max(
        {windows_.size() + packed, weights_.largest_piece(), static_cast<Index>(biases_.values.size())});
  }

  WindowLayer(const VaeLayer& layer, const VaeLayout& layout, const DenseKernels& kernels, Index batch_size,
              PackedWeights weights, const Windows& windows, Index n_small)
      : CpuLayer(layer, layout, kernels, std::move(weights), bias_places(layer), batch_size,
                 layer.kind == VaeLayer::Kind::conv ? n_small * windows.n_places() : windows.image_size()),
        windows_(windows), n_small_(n_small),
        n_inputs_(layer.kind == VaeLayer::Kind::conv ? windows.image_size() : n_small * windows.n_places()) {
    const Index n_blocks = (batch_size + conv_block_rows - 1) / conv_block_rows;
    sums_.resize(static_cast<std::size_t>(n_blocks * sums_per_block()));
  }

protected:
  virtual void forward_image(const float* input, float* output, float* windows) = 0;
  /// `windows` and `packed` are scratch; `sums` has a place for every weight, and behind them for every bias.
  virtual void backward_image(const float* input, const float* gradient, float* by_input, float* windows,
                              float* packed, float* sums) = 0;
  float* bias_sums(float* sums) const { return sums + n_weights(); }

  /// sums += a (m x places) b (places x n), in the form of the packed weights.
  void add_product(const float* a, Index m, const float* packed, Index n, float* sums) const {
    const Index k = windows_.n_places();
    for (Index j = 0; j < n; j += kernels_.panel) {
      const Index width = kernels_.width(j, n);
      kernels_.multiply_add({a, 1, m}, packed + j * k, sums + j * m, width, m, width, k);
    }
  }

  const Windows windows_;
  const Index n_small_; ///< channels of the small image

private:
  static std::vector<Index> bias_places(const VaeLayer& layer) {
    std::vector<Index> places;
    for (Index j = 0; j < layer.n_outputs; ++j) places.push_back(layer.bias + j);
    return places;
  }
  Index n_weights() const { return kernels_.packed_size(weights_.n_rows(), weights_.n_columns()); }
  Index sums_per_block() const { return n_weights() + static_cast<Index>(biases_.values.size()); }

  void add_sums(Index first, Index n, Index n_rows, float* to) const {
    std::fill_n(to, n, 0.0F);
    for (Index row = 0; row < n_rows; row += conv_block_rows) {
      const float* from = sums_.data() + row / conv_block_rows * sums_per_block() + first;
      for (Index i = 0; i < n; ++i) to[i] += from[i];
    }
  }

  const Index n_inputs_; ///< numbers per row
  AlignedFloats sums_;   ///< of each block: weights, biases
};

/// Halves the sides: every pixel of the output is a product with its window of the input.
class ConvLayer final : public WindowLayer {
public:
  using WindowLayer::WindowLayer;

private:
  void forward_image(const float* input, float* output, float* windows) override {
    windows_.cut(input, windows);
    kernels_.multiply({windows, windows_.window_size(), 1}, weights_.matrix(), biases_.values.data(), output,
                      n_small_, windows_.n_places(), n_small_, windows_.window_size());
  }

  void backward_image(const float* input, const float* gradient, float* by_input, float* windows,
                      float* packed, float* sums) override {
    windows_.cut(input, windows);
    kernels_.pack({gradient, n_small_, 1}, windows_.n_places(), n_small_, packed);
    add_product(windows, windows_.window_size(), packed, n_small_, sums);
    add_bias(packed, bias_sums(sums));
    if (by_input == nullptr) return;
    kernels_.multiply({gradient, n_small_, 1}, weights_.transposed(), nullptr, windows,
                      windows_.window_size(), windows_.n_places(), windows_.window_size(), n_small_);
    std::fill_n(by_input, windows_.image_size(), 0.0F);
    windows_.add(windows, by_input);
  }

  void add_bias(float* packed, float* sums) const {
    const Index k = windows_.n_places();
    for (Index j = 0; j < n_small_; j += kernels_.panel) {
      const Index width = kernels_.width(j, n_small_);
      // The panel has served; its first row takes the sums.
      kernels_.sum_rows(packed + j * k, k, width, packed + j * k);
      for (Index i = 0; i < width; ++i) sums[j + i] += packed[j * k + i];
    }
  }
};

/// Doubles the sides: every pixel of the input adds a multiple of the weights to its window of the output.
class TransposedConvLayer final : public WindowLayer {
public:
  using WindowLayer::WindowLayer;

private:
  void forward_image(const float* input, float* output, float* windows) override {
    kernels_.multiply({input, n_small_, 1}, weights_.matrix(), nullptr, windows, windows_.window_size(),
                      windows_.n_places(), windows_.window_size(), n_small_);
    for (Index i = 0; i < windows_.image_size(); i += windows_.n_channels)
      std::copy_n(biases_.values.data(), windows_.n_channels, output + i);
    windows_.add(windows, output);
  }

  void backward_image(const float* input, const float* gradient, float* by_input, float* windows,
                      float* packed, float* sums) override {
    windows_.cut(gradient, windows);
    kernels_.pack({windows, windows_.window_size(), 1}, windows_.n_places(), windows_.window_size(), packed);
    add_product(input, n_small_, packed, windows_.window_size(), sums);
    add_bias(gradient, bias_sums(sums));
    if (by_input == nullptr) return;
    kernels_.multiply({windows, windows_.window_size(), 1}, weights_.transposed(), nullptr, by_input,
                      n_small_, windows_.n_places(), n_small_, windows_.window_size());
  }

  void add_bias(const float* gradient, float* sums) const {
    for (Index i = 0; i < windows_.image_size(); i += windows_.n_channels)
      for (Index channel = 0; channel < windows_.n_channels; ++channel)
        sums[channel] += gradient[i + channel];
  }
};

// Numbers of a window, pixel by pixel, in weights that lie channel by channel.
std::vector<Index> window_places(Index first, Index n_channels) {
  std::vector<Index> places;
  for (Index pixel = 0; pixel < 16; ++pixel)
    for (Index channel = 0; channel < n_channels; ++channel) places.push_back(first + channel * 16 + pixel);
  return places;
}

std::vector<Index> multiples(Index first, Index step, Index n) {
  std::vector<Index> places;
  for (Index i = 0; i < n; ++i) places.push_back(first + i * step);
  return places;
}

} // namespace

std::unique_ptr<CpuLayer> make_conv_layer(const VaeLayer& layer, const VaeLayout& layout,
                                          const DenseKernels& kernels, Index batch_size, bool is_first) {
  if (layer.kind == VaeLayer::Kind::conv) {
    PackedWeights weights(kernels, window_places(layer.weight, layer.n_inputs),
                          multiples(0, 16 * layer.n_inputs, layer.n_outputs), !is_first);
    return std::make_unique<ConvLayer>(layer, layout, kernels, batch_size, std::move(weights),
                                       Windows{layer.height / 2, layer.width / 2, layer.n_inputs},
                                       layer.n_outputs);
  }
  PackedWeights weights(kernels, multiples(layer.weight, 16 * layer.n_outputs, layer.n_inputs),
                        window_places(0, layer.n_outputs), !is_first);
  return std::make_unique<TransposedConvLayer>(layer, layout, kernels, batch_size, std::move(weights),
                                               Windows{layer.height, layer.width, layer.n_outputs},
                                               layer.n_inputs);
}

} // namespace lacuna
