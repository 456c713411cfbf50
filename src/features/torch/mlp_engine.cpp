#include "features/torch/mlp_engine.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "features/dense.hpp"
#include "features/torch/engine.hpp"

namespace lacuna {

namespace {

constexpr Index steps_between_looks = 16;

std::size_t size(Index n) {
  return static_cast<std::size_t>(n);
}

std::vector<std::vector<float>> buffers(const std::vector<VaeLayer>& layers, Index n_rows) {
  std::vector<std::vector<float>> result;
  for (const VaeLayer& layer : layers) result.emplace_back(size(n_rows * layer.n_outputs));
  return result;
}

void activate(VaeActivation activation, float* values, Index n) {
  if (activation == VaeActivation::relu)
    for (Index i = 0; i < n; ++i) values[i] = values[i] > 0.0F ? values[i] : 0.0F;
  else if (activation == VaeActivation::tanh)
    for (Index i = 0; i < n; ++i) values[i] = std::tanh(values[i]);
  else
    for (Index i = 0; i < n; ++i) values[i] = 1.0F / (1.0F + std::exp(-values[i]));
}

// Multiplies gradients by the derivative of the activation, told from its result.
void deactivate(VaeActivation activation, const float* values, float* gradient, Index n) {
  if (activation == VaeActivation::relu)
    for (Index i = 0; i < n; ++i) gradient[i] = values[i] > 0.0F ? gradient[i] : 0.0F;
  else if (activation == VaeActivation::tanh)
    for (Index i = 0; i < n; ++i) gradient[i] *= 1.0F - values[i] * values[i];
  else
    for (Index i = 0; i < n; ++i) gradient[i] *= values[i] * (1.0F - values[i]);
}

// exp(x) for x <= 0, to about 1e-7 of itself; plain arithmetic, so that a loop over it is vectorised.
inline float exp_nonpositive(float x) {
  const float bounded = x < -87.0F ? -87.0F : x;
  const float scaled = bounded * 1.44269504F;
  const auto whole = static_cast<std::int32_t>(scaled - 0.5F);
  const float r =
      (bounded - static_cast<float>(whole) * 0.693359375F) + static_cast<float>(whole) * 2.12194440e-4F;
  float p = 1.0F / 5040.0F;
  p = p * r + 1.0F / 720.0F;
  p = p * r + 1.0F / 120.0F;
  p = p * r + 1.0F / 24.0F;
  p = p * r + 1.0F / 6.0F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  return p * std::bit_cast<float>((whole + 127) << 23);
}

// Log likelihood of one row under logits y, and the gradient of minus it by y, scaled. The softplus needs
// log(1 + e^-|y|) of every value: the product of 64 such factors is below 2^64, so one logarithm does for
// all.
float bernoulli(const float* x, const float* y, float* gradient, Index n, float scale) {
  float sum = 0.0F;
  for (Index first = 0; first < n; first += 64) {
    const Index last = std::min<Index>(first + 64, n);
    float factors[64];
    float part = 0.0F;
#pragma omp simd reduction(+ : part)
    for (Index j = first; j < last; ++j) {
      const float e = exp_nonpositive(-std::abs(y[j]));
      const float factor = 1.0F + e;
      factors[j - first] = factor;
      part += x[j] * y[j] - (y[j] > 0.0F ? y[j] : 0.0F);
      gradient[j] = ((y[j] >= 0.0F ? 1.0F : e) / factor - x[j]) * scale;
    }
    float product = 1.0F;
    for (Index j = 0; j < last - first; ++j) product *= factors[j];
    sum += part - std::log(product);
  }
  return sum;
}

} // namespace

/// c = a b + bias, cut into pieces of columns or, where those are few, of rows.
struct Product {
  FloatView a;
  FloatView b;
  const float* bias;
  float* c;
  Index m;
  Index n;
  Index k;
};

MlpEngine::MlpEngine(const VaeTask& task)
    : task_(task), gradient_(size(task.layout.n_parameters)),
      encoder_values_(buffers(task.layout.encoder, task.batch_size)),
      decoder_values_(buffers(task.layout.decoder, task.batch_size)),
      latent_(size(task.batch_size * task.layout.n_latent)), latent_gradient_(latent_.size()),
      sums_(size(task.batch_size)), team_(task.threads) {
  Index widest = std::max(task.batch_size, task.layout.n_inputs);
  for (const auto* layers : {&task.layout.encoder, &task.layout.decoder})
    for (const VaeLayer& layer : *layers) widest = std::max({widest, layer.n_inputs, layer.n_outputs});
  batch_.resize(size(task.batch_size * task.layout.n_inputs));
  upper_gradient_.resize(size(task.batch_size * widest));
  lower_gradient_.resize(upper_gradient_.size());
  scratch_.assign(size(task.threads), Floats(size(dense_scratch * widest)));
}

void MlpEngine::multiply(const Product& product) {
  constexpr Index rows_per_piece = 48;
  const bool by_columns = product.n >= dense_columns * task_.threads;
  const Index piece = by_columns ? dense_columns : rows_per_piece;
  const Index n_pieces = ((by_columns ? product.n : product.m) + piece - 1) / piece;
  team_.run(n_pieces, [&](Index i, int thread) {
    const Index first = i * piece;
    const Index count = std::min(piece, (by_columns ? product.n : product.m) - first);
    FloatView a = product.a;
    FloatView b = product.b;
    if (by_columns)
      b.data += first * b.column;
    else
      a.data += first * a.row;
    task_.dense->multiply(a, b, product.bias != nullptr && by_columns ? product.bias + first : product.bias,
                          product.c + (by_columns ? first : first * product.n), product.n,
                          by_columns ? product.m : count, by_columns ? count : product.n, product.k,
                          scratch_[size(thread)].data());
  });
}

template <typename Work>
void MlpEngine::for_rows(Index n_rows, const Work& work) {
  constexpr Index piece = 32;
  team_.run((n_rows + piece - 1) / piece, [&](Index i, int /*thread*/) {
    const Index last = std::min(n_rows, (i + 1) * piece);
    for (Index row = i * piece; row < last; ++row) work(row);
  });
}

const float* MlpEngine::forward(const std::vector<VaeLayer>& layers, const float* input,
                                std::vector<Floats>& outputs, Index n_rows) {
  const float* parameters = state_.parameters.data();
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const VaeLayer& layer = layers[i];
    float* output = outputs[i].data();
    multiply({{input, layer.n_inputs, 1},
              FloatView{parameters + layer.weight, layer.n_inputs, 1}.transposed(),
              parameters + layer.bias,
              output,
              n_rows,
              layer.n_outputs,
              layer.n_inputs});
    if (layer.has_activation) {
      for_rows(n_rows, [&](Index row) {
        activate(task_.layout.activation, output + row * layer.n_outputs, layer.n_outputs);
      });
    }
    input = output;
  }
  return input;
}

// Takes the gradient by the last layer's values from upper_gradient_; leaves that by the input in
// input_gradient, unless it is null.
void MlpEngine::backward(const std::vector<VaeLayer>& layers, const float* input,
                         const std::vector<Floats>& outputs, Index n_rows, float* input_gradient) {
  const float* parameters = state_.parameters.data();
  for (std::size_t i = layers.size(); i-- > 0;) {
    const VaeLayer& layer = layers[i];
    float* upper = upper_gradient_.data();
    if (layer.has_activation) {
      for_rows(n_rows, [&](Index row) {
        deactivate(task_.layout.activation, outputs[i].data() + row * layer.n_outputs,
                   upper + row * layer.n_outputs, layer.n_outputs);
      });
    }
    const FloatView by_output{upper, layer.n_outputs, 1};
    const float* below = i > 0 ? outputs[i - 1].data() : input;
    multiply({by_output.transposed(),
              {below, layer.n_inputs, 1},
              nullptr,
              gradient_.data() + layer.weight,
              layer.n_outputs,
              layer.n_inputs,
              n_rows});
    float* by_bias = gradient_.data() + layer.bias;
    std::fill(by_bias, by_bias + layer.n_outputs, 0.0F);
    for (Index row = 0; row < n_rows; ++row)
      for (Index j = 0; j < layer.n_outputs; ++j) by_bias[j] += upper[row * layer.n_outputs + j];
    float* lower = i > 0 ? lower_gradient_.data() : input_gradient;
    if (lower == nullptr) return;
    multiply({by_output,
              {parameters + layer.weight, layer.n_inputs, 1},
              nullptr,
              lower,
              n_rows,
              layer.n_inputs,
              layer.n_outputs});
    if (i > 0) std::swap(upper_gradient_, lower_gradient_);
  }
}

void MlpEngine::draw_latent(const Step& step) {
  const Index n = task_.layout.n_latent;
  const float* encoded = encoder_values_.back().data();
  for (Index row = 0; row < step.n_rows; ++row)
    for (Index j = 0; j < n; ++j)
      latent_[size(row * n + j)] =
          encoded[row * 2 * n + j] + std::exp(0.5F * encoded[row * 2 * n + n + j]) * step.noise[row * n + j];
}

// The log likelihood of the batch, and into upper_gradient_ the gradient of minus its mean:
// docs/math/vae.md (4).
double MlpEngine::decoder_loss(const float* rows, Index n_rows, bool with_gradient) {
  const Index n = task_.layout.n_inputs;
  const float* decoded = decoder_values_.back().data();
  const float scale = 1.0F / static_cast<float>(n_rows);
  float* gradient = upper_gradient_.data();
  const bool is_bernoulli = task_.layout.likelihood == VaeLikelihood::bernoulli;
  const float* parameter = is_bernoulli ? nullptr : state_.parameters.data() + task_.layout.log_variance;
  for_rows(n_rows, [&](Index row) {
    const float* x = rows + row * n;
    const float* y = decoded + row * n;
    float* g = gradient + row * n;
    float sum = 0.0F;
    if (is_bernoulli) {
      sum = bernoulli(x, y, g, n, scale);
    } else {
      for (Index j = 0; j < n; ++j) {
        const float variance = std::exp(parameter[j]) + static_cast<float>(smallest_vae_variance);
        const float residual = y[j] - x[j];
        sum -= 0.5F * (residual * residual / variance + std::log(variance) +
                       static_cast<float>(std::log(2.0 * std::numbers::pi)));
        g[j] = residual / variance * scale;
      }
    }
    sums_[size(row)] = sum;
  });
  if (!is_bernoulli && with_gradient) {
    for (Index j = 0; j < n; ++j) {
      const float exponential = std::exp(parameter[j]);
      const float variance = exponential + static_cast<float>(smallest_vae_variance);
      float sum = 0.0F;
      for (Index row = 0; row < n_rows; ++row) {
        const float residual = decoded[row * n + j] - rows[row * n + j];
        sum += 1.0F - residual * residual / variance;
      }
      gradient_[size(task_.layout.log_variance + j)] = 0.5F * scale * exponential / variance * sum;
    }
  }
  double total = 0.0;
  for (Index row = 0; row < n_rows; ++row) total += sums_[size(row)];
  return total;
}

// The KL term of the batch, and into upper_gradient_ the gradient by the encoder's values: docs/math/vae.md
// (3) and (5).
double MlpEngine::kl_loss(const Step& step, bool with_gradient) {
  const Index n = task_.layout.n_latent;
  const float* encoded = encoder_values_.back().data();
  const float scale = step.kl_weight / static_cast<float>(step.n_rows);
  double total = 0.0;
  for (Index row = 0; row < step.n_rows; ++row) {
    for (Index j = 0; j < n; ++j) {
      const float mean = encoded[row * 2 * n + j];
      const float log_variance = encoded[row * 2 * n + n + j];
      const float deviation = std::exp(0.5F * log_variance);
      const float variance = deviation * deviation;
      total += 0.5 * static_cast<double>(variance + mean * mean - 1.0F - log_variance);
      if (!with_gradient) continue;
      const float by_latent = latent_gradient_[size(row * n + j)];
      float* gradient = upper_gradient_.data() + row * 2 * n;
      gradient[j] = by_latent + scale * mean;
      gradient[n + j] =
          by_latent * 0.5F * deviation * step.noise[row * n + j] + scale * 0.5F * (variance - 1.0F);
    }
  }
  return total;
}

double MlpEngine::train_epoch(std::span<const std::int64_t> order, std::span<const float> noise,
                              double kl_weight, double learning_rate) {
  const auto n = static_cast<Index>(order.size());
  const Index n_inputs = task_.layout.n_inputs;
  const std::vector<VaeLayer>& encoder = task_.layout.encoder;
  const std::vector<VaeLayer>& decoder = task_.layout.decoder;
  double elbo = 0.0;
  for (Index first = 0, number = 0; first < n; first += task_.batch_size, ++number) {
    if (number % steps_between_looks == 0) task_.between_steps();
    const Step step{std::min(task_.batch_size, n - first), noise.data() + first * task_.layout.n_latent,
                    static_cast<float>(kl_weight)};
    for (Index i = 0; i < step.n_rows; ++i)
      std::copy_n(task_.rows + order[size(first + i)] * n_inputs, n_inputs, batch_.data() + i * n_inputs);
    forward(encoder, batch_.data(), encoder_values_, step.n_rows);
    draw_latent(step);
    forward(decoder, latent_.data(), decoder_values_, step.n_rows);
    elbo += decoder_loss(batch_.data(), step.n_rows, true);
    backward(decoder, latent_.data(), decoder_values_, step.n_rows, latent_gradient_.data());
    elbo -= kl_loss(step, true);
    backward(encoder, batch_.data(), encoder_values_, step.n_rows, nullptr);
    adam(learning_rate);
  }
  return elbo / static_cast<double>(n);
}

void MlpEngine::adam(double learning_rate) {
  ++state_.n_steps;
  const auto steps = static_cast<double>(state_.n_steps);
  const auto rate = static_cast<float>(learning_rate / (1.0 - std::pow(adam_beta_1, steps)));
  const auto root = static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(adam_beta_2, steps)));
  constexpr auto keep_1 = static_cast<float>(adam_beta_1);
  constexpr auto keep_2 = static_cast<float>(adam_beta_2);
  constexpr auto new_1 = static_cast<float>(1.0 - adam_beta_1);
  constexpr auto new_2 = static_cast<float>(1.0 - adam_beta_2);
  float* parameter = state_.parameters.data();
  float* first = state_.first_moments.data();
  float* second = state_.second_moments.data();
  const float* gradient = gradient_.data();
  constexpr Index piece = 32768;
  const Index n = task_.layout.n_parameters;
  team_.run((n + piece - 1) / piece, [&](Index number, int /*thread*/) {
    const Index last = std::min(n, (number + 1) * piece);
#pragma omp simd
    for (Index i = number * piece; i < last; ++i) {
      const float g = gradient[i];
      first[i] = keep_1 * first[i] + new_1 * g;
      second[i] = keep_2 * second[i] + new_2 * g * g;
      parameter[i] -= rate * first[i] / (std::sqrt(second[i]) * root + static_cast<float>(adam_epsilon));
    }
  });
}

double MlpEngine::held_out_elbo(std::span<const float> noise) {
  double elbo = 0.0;
  for (Index first = 0; first < task_.n_held_out; first += task_.batch_size) {
    const Step step{std::min(task_.batch_size, task_.n_held_out - first),
                    noise.data() + first * task_.layout.n_latent, 1.0F};
    const float* rows = task_.rows + (task_.n_training + first) * task_.layout.n_inputs;
    forward(task_.layout.encoder, rows, encoder_values_, step.n_rows);
    draw_latent(step);
    forward(task_.layout.decoder, latent_.data(), decoder_values_, step.n_rows);
    elbo += decoder_loss(rows, step.n_rows, false) - kl_loss(step, false);
  }
  return elbo / static_cast<double>(task_.n_held_out);
}

} // namespace lacuna
