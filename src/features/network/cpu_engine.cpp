#include "features/network/cpu_engine.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace lacuna {

namespace {

std::size_t size(Index n) {
  return static_cast<std::size_t>(n);
}

AdamStep adam_step(Index n_steps, double learning_rate) {
  const auto steps = static_cast<double>(n_steps);
  return {static_cast<float>(adam_beta_1),
          static_cast<float>(1.0 - adam_beta_1),
          static_cast<float>(adam_beta_2),
          static_cast<float>(1.0 - adam_beta_2),
          static_cast<float>(learning_rate / (1.0 - std::pow(adam_beta_1, steps))),
          static_cast<float>(1.0 / std::sqrt(1.0 - std::pow(adam_beta_2, steps))),
          static_cast<float>(adam_epsilon)};
}

} // namespace

CpuEngine::CpuEngine(const VaeTask& task, const DenseKernels& kernels)
    : task_(task), kernels_(kernels),
      has_convolutions_(task.layout.encoder.front().kind != VaeLayer::Kind::dense),
      batch_(size(task.batch_size * task.layout.n_inputs)),
      latent_(size(task.batch_size * task.layout.n_latent)), latent_gradient_(latent_.size()),
      encoder_(make_layers(task_.layout.encoder, batch_.data())),
      decoder_(make_layers(task_.layout.decoder, latent_.data())),
      log_variances_(task.layout.log_variance < 0 ? 0 : task.layout.n_inputs),
      precisions_(log_variances_.values.size()), elbos_(size(task.batch_size)), team_(task.threads) {
  std::stable_sort(pieces_.begin(), pieces_.end(), [](const WeightPiece& a, const WeightPiece& b) {
    return a.piece.n_rows > b.piece.n_rows;
  });
  Index scratch_size = 0;
  for (const auto* layers : {&encoder_, &decoder_})
    for (const auto& layer : *layers) scratch_size = std::max(scratch_size, layer->scratch_size());
  scratch_.assign(size(task.threads), AlignedFloats(size(scratch_size)));
}

CpuEngine::Layers CpuEngine::make_layers(const std::vector<VaeLayer>& layers, const float* input) {
  Layers made;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const VaeLayer& layer = layers[i];
    const bool is_first = &layer == &task_.layout.encoder.front();
    if (layer.kind == VaeLayer::Kind::dense) {
      const auto image = [&](bool is_one, const VaeLayer& neighbour, Index n_channels, Index n_numbers) {
        return is_one && neighbour.kind != VaeLayer::Kind::dense
                   ? ImageOrder{n_channels, n_numbers / n_channels}
                   : ImageOrder{};
      };
      const VaeLayer& before = layers[i > 0 ? i - 1 : i];
      const VaeLayer& behind = layers[std::min(i + 1, layers.size() - 1)];
      made.push_back(make_dense_layer(layer, task_.layout, kernels_, task_.batch_size, is_first,
                                      image(i > 0, before, before.n_outputs, layer.n_inputs),
                                      image(true, behind, behind.n_inputs, layer.n_outputs)));
    } else {
      made.push_back(make_conv_layer(layer, task_.layout, kernels_, task_.batch_size, is_first));
    }
    for (const CpuLayer::Piece& piece : made.back()->pieces())
      pieces_.push_back({made.back().get(), input, piece});
    input = made.back()->output();
  }
  return made;
}

void CpuEngine::set_state(const VaeState& state) {
  n_steps_ = state.n_steps;
  const Index first = task_.layout.log_variance;
  const auto set = [&](const std::vector<float>& flat, AlignedFloats Learned::*part) {
    for (auto* layers : {&encoder_, &decoder_})
      for (const auto& layer : *layers) layer->set(flat, part);
    if (first >= 0) std::copy_n(flat.data() + first, task_.layout.n_inputs, (log_variances_.*part).data());
  };
  set(state.parameters, &Learned::values);
  set(state.first_moments, &Learned::first);
  set(state.second_moments, &Learned::second);
  for (auto* layers : {&encoder_, &decoder_})
    for (const auto& layer : *layers) layer->prepare();
  refresh_variances();
}

VaeState CpuEngine::state() const {
  const auto get = [&](AlignedFloats Learned::*part) {
    std::vector<float> flat(size(task_.layout.n_parameters));
    for (const auto* layers : {&encoder_, &decoder_})
      for (const auto& layer : *layers) layer->get(flat, part);
    if (task_.layout.log_variance >= 0)
      std::copy_n((log_variances_.*part).data(), task_.layout.n_inputs,
                  flat.data() + task_.layout.log_variance);
    return flat;
  };
  return {get(&Learned::values), get(&Learned::first), get(&Learned::second), n_steps_};
}

// Rows do not know each other, so the blocks may follow the number of threads: two per thread, or smaller
// ones that still make good use of the weights they read. Convolutions sum over their block, which must be
// fixed.
template <typename Work>
void CpuEngine::for_row_blocks(Index n_rows, const Work& work) {
  const Index share = (n_rows + 2 * task_.threads - 1) / (2 * task_.threads);
  const Index n = has_convolutions_ ? conv_block_rows : std::clamp<Index>((share + 7) / 8 * 8, 16, 64);
  team_.run((n_rows + n - 1) / n, [&](Index i, int thread) {
    work(Block{i * n, std::min(n, n_rows - i * n), scratch_[size(thread)].data()});
  });
}

void CpuEngine::forward(const Step& step, const Block& block) {
  const float* input = step.rows;
  for (const auto& layer : encoder_) {
    layer->forward(input, block.first, block.count, block.scratch);
    input = layer->output();
  }
  for (Index row = block.first; row < block.first + block.count; ++row) draw_latent(step, row);
  input = latent_.data();
  for (const auto& layer : decoder_) {
    layer->forward(input, block.first, block.count, block.scratch);
    input = layer->output();
  }
  for (Index row = block.first; row < block.first + block.count; ++row)
    elbos_[size(row)] = static_cast<double>(likelihood(step, row)) - kl(row);
}

void CpuEngine::backward(const Step& step, const Block& block) {
  const auto go = [&](const Layers& layers, const float* input, float* by_input) {
    for (std::size_t i = layers.size(); i-- > 0;)
      layers[i]->backward(i > 0 ? layers[i - 1]->output() : input, block.first, block.count,
                          i > 0 ? layers[i - 1]->gradient() : by_input, block.scratch);
  };
  go(decoder_, latent_.data(), latent_gradient_.data());
  for (Index row = block.first; row < block.first + block.count; ++row) pull_back_latent(step, row);
  go(encoder_, step.rows, nullptr);
}

void CpuEngine::draw_latent(const Step& step, Index row) {
  const Index n = task_.layout.n_latent;
  const float* encoded = encoder_.back()->output() + row * 2 * n;
  for (Index j = 0; j < n; ++j)
    latent_[size(row * n + j)] = encoded[j] + std::exp(0.5F * encoded[n + j]) * step.noise[row * n + j];
}

// The log likelihood of a row, and into the last layer's gradient that of minus the batch's mean:
// docs/math/vae.md (4).
float CpuEngine::likelihood(const Step& step, Index row) {
  const Index n = task_.layout.n_inputs;
  const float* x = step.rows + row * n;
  const float* y = decoder_.back()->output() + row * n;
  float* gradient = decoder_.back()->gradient() + row * n;
  const float scale = 1.0F / static_cast<float>(step.n_rows);
  if (task_.layout.likelihood == VaeLikelihood::bernoulli)
    return kernels_.bernoulli(x, y, gradient, n, scale);
  const float* precision = precisions_.data();
  float sum = 0.0F;
#pragma omp simd reduction(+ : sum)
  for (Index j = 0; j < n; ++j) {
    const float scaled = (y[j] - x[j]) * precision[j];
    sum += (y[j] - x[j]) * scaled;
    gradient[j] = scaled * scale;
  }
  return static_cast<float>(-0.5 * (static_cast<double>(sum) + log_normalizer_));
}

// docs/math/vae.md (3)
double CpuEngine::kl(Index row) const {
  const Index n = task_.layout.n_latent;
  const float* encoded = encoder_.back()->output() + row * 2 * n;
  double sum = 0.0;
  for (Index j = 0; j < n; ++j)
    sum +=
        0.5 * static_cast<double>(std::exp(encoded[n + j]) + encoded[j] * encoded[j] - 1.0F - encoded[n + j]);
  return sum;
}

// From the gradient by the latent values to that by the encoder's outputs: docs/math/vae.md (2) and (5).
void CpuEngine::pull_back_latent(const Step& step, Index row) {
  const Index n = task_.layout.n_latent;
  const float* encoded = encoder_.back()->output() + row * 2 * n;
  float* gradient = encoder_.back()->gradient() + row * 2 * n;
  const float scale = step.kl_weight / static_cast<float>(step.n_rows);
  for (Index j = 0; j < n; ++j) {
    const float by_latent = latent_gradient_[size(row * n + j)];
    const float deviation = std::exp(0.5F * encoded[n + j]);
    gradient[j] = by_latent + scale * encoded[j];
    gradient[n + j] = by_latent * 0.5F * deviation * step.noise[row * n + j] +
                      scale * 0.5F * (deviation * deviation - 1.0F);
  }
}

double CpuEngine::train_epoch(std::span<const std::int64_t> order, std::span<const float> noise,
                              double kl_weight, double learning_rate) {
  const auto n = static_cast<Index>(order.size());
  const Index n_inputs = task_.layout.n_inputs;
  double elbo = 0.0;
  for (Index start = 0, number = 0; start < n; start += task_.batch_size, ++number) {
    if (number % steps_between_looks == 0) task_.between_steps();
    const Step step{batch_.data(), std::min(task_.batch_size, n - start),
                    noise.data() + start * task_.layout.n_latent, static_cast<float>(kl_weight)};
    for_row_blocks(step.n_rows, [&](const Block& block) {
      for (Index row = block.first; row < block.first + block.count; ++row)
        std::copy_n(task_.rows + order[size(start + row)] * n_inputs, n_inputs,
                    batch_.data() + row * n_inputs);
      forward(step, block);
      backward(step, block);
    });
    elbo += sum_of_rows(step.n_rows);
    learn(step, learning_rate);
  }
  return elbo / static_cast<double>(n);
}

void CpuEngine::learn(const Step& step, double learning_rate) {
  const AdamStep adam = adam_step(++n_steps_, learning_rate);
  const auto n_pieces = static_cast<Index>(pieces_.size());
  const bool has_variances = !log_variances_.values.empty();
  team_.run(n_pieces + (has_variances ? 1 : 0), [&](Index i, int thread) {
    if (i == n_pieces) return learn_variances(step, adam);
    const WeightPiece& what = pieces_[size(i)];
    what.layer->learn(what.piece, what.input, step.n_rows, adam, scratch_[size(thread)].data());
  });
}

void CpuEngine::learn_variances(const Step& step, const AdamStep& adam) {
  const Index n = task_.layout.n_inputs;
  const float* decoded = decoder_.back()->output();
  AlignedFloats squares(size(n));
  for (Index row = 0; row < step.n_rows; ++row)
    for (Index j = 0; j < n; ++j) {
      const float residual = decoded[row * n + j] - step.rows[row * n + j];
      squares[size(j)] += residual * residual;
    }
  AlignedFloats& gradient = squares;
  for (std::size_t j = 0; j < gradient.size(); ++j) {
    const float share = std::exp(log_variances_.values[j]) * precisions_[j];
    gradient[j] = 0.5F * share * (1.0F - squares[j] * precisions_[j] / static_cast<float>(step.n_rows));
  }
  kernels_.adam(adam, gradient.data(), log_variances_.values.data(), log_variances_.first.data(),
                log_variances_.second.data(), n);
  refresh_variances();
}

void CpuEngine::refresh_variances() {
  log_normalizer_ = 0.0;
  for (std::size_t j = 0; j < precisions_.size(); ++j) {
    const double variance = std::exp(static_cast<double>(log_variances_.values[j])) + smallest_vae_variance;
    precisions_[j] = static_cast<float>(1.0 / variance);
    log_normalizer_ += std::log(2.0 * std::numbers::pi * variance);
  }
}

double CpuEngine::sum_of_rows(Index n_rows) const {
  double sum = 0.0;
  for (Index row = 0; row < n_rows; ++row) sum += elbos_[size(row)];
  return sum;
}

double CpuEngine::held_out_elbo(std::span<const float> noise) {
  double elbo = 0.0;
  for (Index start = 0; start < task_.n_held_out; start += task_.batch_size) {
    const Step step{task_.rows + (task_.n_training + start) * task_.layout.n_inputs,
                    std::min(task_.batch_size, task_.n_held_out - start),
                    noise.data() + start * task_.layout.n_latent, 1.0F};
    for_row_blocks(step.n_rows, [&](const Block& block) { forward(step, block); });
    elbo += sum_of_rows(step.n_rows);
  }
  return elbo / static_cast<double>(task_.n_held_out);
}

} // namespace lacuna
