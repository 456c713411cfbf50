#include "features/vae_fit.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <future>
#include <numbers>
#include <numeric>
#include <system_error>

#include <fmt/format.h>

#include "core/parallel.hpp"
#include "features/network/cpu_engine.hpp"
#include "features/vae_checkpoint.hpp"
#include "features/vae_plugin.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

namespace {

// Inputs are multiplied by this: bernoulli wants 0 to 1, gaussian values of about 1.
double input_scale(const VaeOptions& options, MatrixView rows) {
  const Index n = rows.n_rows * rows.n_cols;
  const auto [low, high] = std::minmax_element(rows.data, rows.data + n);
  if (options.vae_likelihood == VaeLikelihood::bernoulli) {
    if (*low < 0.0) {
      const Index at = low - rows.data;
      throw Error(ErrorKind::data,
                  fmt::format("vae: row {}, feature {}: found {}, but the bernoulli likelihood "
                              "takes values from 0 up; use {} gaussian",
                              at / rows.n_cols + 1, at % rows.n_cols + 1, *low, mention("vae_likelihood")));
    }
    return *high > 1.0 ? 1.0 / *high : 1.0;
  }
  const double largest = std::max(std::abs(*low), std::abs(*high));
  if (!(largest > 0.0)) return 1.0;
  double sum = 0.0;
  for (Index i = 0; i < n; ++i) sum += (rows.data[i] / largest) * (rows.data[i] / largest);
  return 1.0 / (largest * std::sqrt(sum / static_cast<double>(n)));
}

// Fisher-Yates, the same for a seed everywhere.
std::vector<std::int64_t> shuffled(Index n, std::uint64_t seed, RandomPurpose purpose, Index number) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(n));
  std::iota(order.begin(), order.end(), 0);
  RandomStream stream(seed, purpose, static_cast<std::uint64_t>(number));
  for (std::size_t i = order.size(); i > 1; --i) {
    const auto other = static_cast<std::size_t>(stream.uniform() * static_cast<double>(i));
    std::swap(order[i - 1], order[std::min(other, i - 1)]);
  }
  return order;
}

/// What is random in one epoch. A function of seed and number, so that a resumed training meets the same.
struct EpochDraws {
  std::vector<std::int64_t> order;
  std::vector<float> noise;
};

std::vector<float> normals(std::size_t n, std::uint64_t seed, Index number) {
  std::vector<float> noise(n);
  RandomStream stream(seed, RandomPurpose::vae_noise, static_cast<std::uint64_t>(number));
  for (std::size_t i = 0; i < n; i += 2) {
    // Box and Muller's pairs, both of each.
    const double radius = std::sqrt(-2.0 * std::log(stream.uniform()));
    const double angle = 2.0 * std::numbers::pi * stream.uniform();
    noise[i] = static_cast<float>(radius * std::cos(angle));
    if (i + 1 < n) noise[i + 1] = static_cast<float>(radius * std::sin(angle));
  }
  return noise;
}

class Training {
public:
  Training(const VaeOptions& options, const FeatureFitRows& on, Observer& observer)
      : options_(options), seed_(on.seed), is_on_gpu_(uses_gpu(on.device)), observer_(observer),
        scale_(input_scale(options, on.rows)) {
    const MatrixView rows = on.rows;
    task_.layout = make_vae_layout(options, rows.n_cols);
    if (options.vae_patience) {
      task_.n_held_out =
          static_cast<Index>(std::floor(options.vae_validation * static_cast<double>(rows.n_rows)));
      if (task_.n_held_out < 1)
        throw Error(ErrorKind::data, fmt::format("vae: {} rows leave none to hold out; use {} 0", rows.n_rows,
                                                 mention("vae_patience")));
    }
    task_.n_training = rows.n_rows - task_.n_held_out;
    task_.batch_size = std::min(options.vae_batch, task_.n_training);
    task_.threads = resolve_threads(on.threads);
    task_.between_steps = [this] { stop_if_cancelled(observer_); };
    copy_rows(rows);
    fingerprint_ = make_fingerprint();
  }

  std::shared_ptr<const VaeMap> run() {
    start();
    task_.rows = rows_.data();
    const auto begin = progress_;
    try {
      train();
    } catch (const Error& error) {
      if (!is_on_gpu_ || error.kind() != ErrorKind::no_resources) throw;
      observer_.warning(std::string("vae: the GPU has not the memory, so it is trained on the CPU: ") +
                        error.what());
      is_on_gpu_ = false;
      progress_ = begin;
      train();
    }
    const bool keeps_best = !progress_.best_parameters.empty();
    return std::make_shared<VaeMap>(options_, task_.layout.n_inputs, scale_, seed_,
                                    keeps_best ? std::move(progress_.best_parameters)
                                               : std::move(progress_.state.parameters));
  }

private:
  std::unique_ptr<VaeEngine> make_engine() const {
    if (is_on_gpu_) return vae_plugin().make_engine(task_, true);
    return std::make_unique<CpuEngine>(task_, dense_kernels());
  }

  // Held-out rows behind the others; without any the order stays.
  void copy_rows(MatrixView rows) {
    std::vector<std::int64_t> order(static_cast<std::size_t>(rows.n_rows));
    std::iota(order.begin(), order.end(), 0);
    if (task_.n_held_out > 0) {
      order = shuffled(rows.n_rows, seed_, RandomPurpose::vae_held_out, 0);
      std::sort(order.begin(), order.begin() + task_.n_training);
    }
    rows_.resize(static_cast<std::size_t>(rows.n_rows * rows.n_cols));
    float* to = rows_.data();
    for (const std::int64_t i : order)
      for (Index j = 0; j < rows.n_cols; ++j) *to++ = static_cast<float>(rows(i, j) * scale_);
  }

  std::uint64_t make_fingerprint() const {
    const std::string settings =
        fmt::format("{} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {} {}", options_.n_latent,
                    to_string(options_.vae_architecture), fmt::join(options_.vae_hidden, ","),
                    fmt::join(options_.vae_decoder_hidden, ","), fmt::join(options_.vae_channels, ","),
                    options_.vae_image_height.value_or(0), options_.vae_image_width.value_or(0),
                    to_string(options_.vae_activation), to_string(options_.vae_likelihood),
                    options_.vae_learning_rate, to_string(options_.vae_schedule), options_.vae_kl_warmup,
                    options_.vae_batch, options_.vae_epochs, options_.vae_patience.value_or(0),
                    options_.vae_validation, seed_, scale_, task_.n_training, task_.layout.n_inputs);
    const std::uint64_t start = extend_fingerprint(fingerprint_start, settings.data(), settings.size());
    return extend_fingerprint(start, rows_.data(), rows_.size() * sizeof(float));
  }

  void start() {
    const auto n = static_cast<std::size_t>(task_.layout.n_parameters);
    if (!options_.vae_checkpoint.empty()) {
      std::string why;
      if (auto found =
              read_vae_checkpoint(options_.vae_checkpoint, fingerprint_, task_.layout.n_parameters, why)) {
        progress_ = std::move(*found);
        return;
      }
      if (!why.empty())
        observer_.warning("the checkpoint '" + options_.vae_checkpoint + "' is not used: " + why +
                          "; training starts anew");
    }
    progress_.state = {initial_vae_parameters(task_.layout, seed_), std::vector<float>(n),
                       std::vector<float>(n), 0};
  }

  bool is_finished() const {
    return progress_.n_epochs >= options_.vae_epochs ||
           (options_.vae_patience && progress_.n_without_gain >= *options_.vae_patience);
  }

  EpochDraws draws(Index epoch) const {
    const auto n = static_cast<std::size_t>(task_.n_training * task_.layout.n_latent);
    return {shuffled(task_.n_training, seed_, RandomPurpose::vae_order, epoch), normals(n, seed_, epoch + 1)};
  }

  double learning_rate(Index epoch) const {
    if (options_.vae_schedule == VaeSchedule::constant) return options_.vae_learning_rate;
    const double done = static_cast<double>(epoch) / static_cast<double>(options_.vae_epochs);
    return options_.vae_learning_rate * 0.5 * (1.0 + std::cos(std::numbers::pi * done));
  }

  double kl_weight(Index epoch) const {
    if (epoch >= options_.vae_kl_warmup) return 1.0;
    return static_cast<double>(epoch + 1) / static_cast<double>(options_.vae_kl_warmup + 1);
  }

  /// On a thread of its own; where the system has none to give, when it is asked for.
  std::future<EpochDraws> draw_beside(Index epoch) const {
    const auto work = [this, epoch] { return draws(epoch); };
    try {
      return std::async(std::launch::async, work);
    } catch (const std::system_error&) {
      return std::async(std::launch::deferred, work);
    }
  }

  void train() {
    if (is_finished()) return;
    const std::unique_ptr<VaeEngine> engine = make_engine();
    engine->set_state(progress_.state);
    train(*engine);
  }

  void train(VaeEngine& engine) {
    // The next epoch's numbers are drawn while this one runs.
    auto next = draw_beside(progress_.n_epochs);
    while (!is_finished()) {
      const auto begin = std::chrono::steady_clock::now();
      const Index epoch = progress_.n_epochs;
      const EpochDraws now = next.get();
      next = draw_beside(epoch + 1);
      progress_.elbo = engine.train_epoch(now.order, now.noise, kl_weight(epoch), learning_rate(epoch));
      if (!std::isfinite(progress_.elbo))
        throw Error(ErrorKind::data, fmt::format("vae: training diverged in epoch {} (ELBO {}); lower {} or "
                                                 "scale the features: standardize,vae",
                                                 epoch + 1, progress_.elbo, mention("vae_learning_rate")));
      ++progress_.n_epochs;
      if (options_.vae_patience) look_at_held_out(engine, epoch);
      const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      report(seconds);
      if (!options_.vae_checkpoint.empty() && (epoch + 1) % options_.vae_checkpoint_every == 0) save(engine);
      stop_if_cancelled(observer_);
    }
    progress_.state = engine.state();
    if (!options_.vae_checkpoint.empty())
      write_vae_checkpoint(options_.vae_checkpoint, fingerprint_, progress_);
  }

  void look_at_held_out(VaeEngine& engine, Index epoch) {
    // The same noise every time: epochs are compared on equal terms. The KL weight must have its final value.
    const double elbo = engine.held_out_elbo(
        normals(static_cast<std::size_t>(task_.n_held_out * task_.layout.n_latent), seed_, 0));
    if (progress_.best_parameters.empty() || epoch < options_.vae_kl_warmup || elbo > progress_.best_elbo) {
      progress_.best_elbo = elbo;
      progress_.best_parameters = engine.state().parameters;
      progress_.n_without_gain = 0;
    } else {
      ++progress_.n_without_gain;
    }
  }

  void report(double seconds) {
    const double rate = static_cast<double>(task_.n_training) / std::max(seconds, 1e-9);
    observer_.progress(fmt::format("vae: epoch {} of {}, ELBO {:.2f}, {:.0f} rows/s, {:.0f} s left",
                                   progress_.n_epochs, options_.vae_epochs, progress_.elbo, rate,
                                   seconds * static_cast<double>(options_.vae_epochs - progress_.n_epochs)),
                       static_cast<double>(progress_.n_epochs), static_cast<double>(options_.vae_epochs));
  }

  void save(const VaeEngine& engine) {
    progress_.state = engine.state();
    write_vae_checkpoint(options_.vae_checkpoint, fingerprint_, progress_);
  }

  const VaeOptions options_;
  const std::uint64_t seed_;
  bool is_on_gpu_;
  Observer& observer_;
  const double scale_;
  VaeTask task_;
  std::vector<float> rows_;
  std::uint64_t fingerprint_ = 0;
  VaeProgress progress_;
};

} // namespace

std::shared_ptr<const VaeMap> fit_vae(const VaeOptions& options, const FeatureFitRows& on,
                                      Observer& observer) {
  return Training(options, on, observer).run();
}

} // namespace lacuna
