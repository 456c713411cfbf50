#include <cmath>
#include <filesystem>
#include <numbers>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "features/vae_checkpoint.hpp"
#include "features/vae_engine.hpp"
#include "features/vae_map.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/features/fit_features.hpp"
#include "tests/temporary_folder.hpp"

namespace {

using lacuna::FeatureChain;
using lacuna::FeatureOptions;
using lacuna::Index;
using lacuna::Matrix;
using lacuna::VaeLayout;
using lacuna::VaeOptions;
using testing::HasSubstr;

#ifdef LACUNA_TORCH
constexpr bool has_torch = true;
#else
constexpr bool has_torch = false;
#endif

#define REQUIRE_TORCH()                                                                                      \
  if (!has_torch) GTEST_SKIP() << "built without libtorch"

VaeOptions small_options(lacuna::VaeArchitecture architecture, lacuna::VaeLikelihood likelihood,
                         lacuna::VaeActivation activation = lacuna::VaeActivation::tanh) {
  VaeOptions options;
  options.n_latent = 2;
  options.vae_hidden = {5, 4};
  options.vae_channels = {2, 3};
  options.vae_architecture = architecture;
  options.vae_likelihood = likelihood;
  options.vae_activation = activation;
  options.device = lacuna::VaeDevice::cpu;
  return options;
}

std::vector<double> numbers(std::size_t n, std::uint64_t seed, bool uniform) {
  lacuna::RandomStream stream(seed, lacuna::RandomPurpose::simulation);
  std::vector<double> values(n);
  for (double& value : values) value = uniform ? stream.uniform() : stream.normal();
  return values;
}

/// A batch of a small network, with biases and variances that are not at their trivial start.
struct Sample {
  VaeLayout layout;
  std::vector<double> parameters;
  std::vector<double> rows;
  std::vector<double> noise;
};

Sample make_sample(const VaeOptions& options, Index n_inputs, Index n_rows) {
  Sample sample;
  sample.layout = make_vae_layout(options, n_inputs);
  const std::vector<float> start = initial_vae_parameters(sample.layout, 3);
  sample.parameters = numbers(start.size(), 4, false);
  for (std::size_t i = 0; i < start.size(); ++i)
    sample.parameters[i] = static_cast<double>(start[i]) + 0.1 * sample.parameters[i];
  sample.rows = numbers(static_cast<std::size_t>(n_rows * n_inputs), 5, true);
  sample.noise = numbers(static_cast<std::size_t>(n_rows * options.n_latent), 6, false);
  return sample;
}

// A forward pass of plain loops, straight from docs/math/vae.md, for dense layers with tanh.
std::vector<double> dense_pass(const std::vector<lacuna::VaeLayer>& layers, const std::vector<double>& p,
                               std::vector<double> values) {
  for (const lacuna::VaeLayer& layer : layers) {
    std::vector<double> next(static_cast<std::size_t>(layer.n_outputs));
    for (Index o = 0; o < layer.n_outputs; ++o) {
      double sum = p[static_cast<std::size_t>(layer.bias + o)];
      for (Index i = 0; i < layer.n_inputs; ++i)
        sum += p[static_cast<std::size_t>(layer.weight + o * layer.n_inputs + i)] *
               values[static_cast<std::size_t>(i)];
      next[static_cast<std::size_t>(o)] = layer.has_activation ? std::tanh(sum) : sum;
    }
    values = next;
  }
  return values;
}

double direct_elbo(const Sample& sample, double kl_weight) {
  const VaeLayout& layout = sample.layout;
  const auto d = static_cast<std::size_t>(layout.n_inputs);
  const auto z = static_cast<std::size_t>(layout.n_latent);
  const std::size_t n = sample.rows.size() / d;
  double total = 0.0;
  for (std::size_t row = 0; row < n; ++row) {
    const std::vector<double> x(sample.rows.begin() + static_cast<Index>(row * d),
                                sample.rows.begin() + static_cast<Index>((row + 1) * d));
    const std::vector<double> encoded = dense_pass(layout.encoder, sample.parameters, x);
    std::vector<double> latent(z);
    for (std::size_t j = 0; j < z; ++j) {
      const double variance = std::exp(encoded[z + j]);
      latent[j] = encoded[j] + std::sqrt(variance) * sample.noise[row * z + j];
      total -= kl_weight * 0.5 * (variance + encoded[j] * encoded[j] - 1.0 - std::log(variance));
    }
    const std::vector<double> decoded = dense_pass(layout.decoder, sample.parameters, latent);
    for (std::size_t j = 0; j < d; ++j) {
      if (layout.likelihood == lacuna::VaeLikelihood::bernoulli) {
        const double p = 1.0 / (1.0 + std::exp(-decoded[j]));
        total += x[j] * std::log(p) + (1.0 - x[j]) * std::log(1.0 - p);
      } else {
        const double variance =
            std::exp(sample.parameters[static_cast<std::size_t>(layout.log_variance) + j]) + 1e-4;
        total += -0.5 * std::log(2.0 * std::numbers::pi * variance) -
                 (x[j] - decoded[j]) * (x[j] - decoded[j]) / (2.0 * variance);
      }
    }
  }
  return total / static_cast<double>(n);
}

class VaeBothLikelihoods : public testing::TestWithParam<lacuna::VaeLikelihood> {};
INSTANTIATE_TEST_SUITE_P(Likelihood, VaeBothLikelihoods,
                         testing::Values(lacuna::VaeLikelihood::bernoulli, lacuna::VaeLikelihood::gaussian));

TEST_P(VaeBothLikelihoods, ElboIsWhatTheFormulaSays) {
  REQUIRE_TORCH();
  const Sample sample = make_sample(small_options(lacuna::VaeArchitecture::mlp, GetParam()), 7, 6);
  for (const double kl_weight : {1.0, 0.3}) {
    const auto found =
        lacuna::vae_plugin().gradient(sample.layout, sample.parameters, sample.rows, sample.noise, kl_weight);
    EXPECT_NEAR(found.elbo, direct_elbo(sample, kl_weight), 1e-10);
  }
}

void check_gradient(const VaeOptions& options, Index n_inputs) {
  Sample sample = make_sample(options, n_inputs, 3);
  const auto elbo = [&] {
    return lacuna::vae_plugin()
        .gradient(sample.layout, sample.parameters, sample.rows, sample.noise, 0.7)
        .elbo;
  };
  const std::vector<double> gradient =
      lacuna::vae_plugin()
          .gradient(sample.layout, sample.parameters, sample.rows, sample.noise, 0.7)
          .gradient;
  ASSERT_EQ(gradient.size(), sample.parameters.size());
  constexpr double step = 1e-5;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    const double kept = sample.parameters[i];
    sample.parameters[i] = kept + step;
    const double above = elbo();
    sample.parameters[i] = kept - step;
    const double below = elbo();
    sample.parameters[i] = kept;
    // The engine descends on -ELBO.
    EXPECT_NEAR(gradient[i], -(above - below) / (2.0 * step), 1e-6) << "parameter " << i;
  }
}

TEST_P(VaeBothLikelihoods, DenseGradientsAgreeWithFiniteDifferences) {
  REQUIRE_TORCH();
  check_gradient(small_options(lacuna::VaeArchitecture::mlp, GetParam()), 7);
  check_gradient(small_options(lacuna::VaeArchitecture::mlp, GetParam(), lacuna::VaeActivation::sigmoid), 5);
}

TEST_P(VaeBothLikelihoods, ConvolutionGradientsAgreeWithFiniteDifferences) {
  REQUIRE_TORCH();
  check_gradient(small_options(lacuna::VaeArchitecture::conv, GetParam()), 64);
}

// One step of the written-out engine moves Adam's first moment by a tenth of the gradient: so its backward
// pass is compared with autograd's, which finite differences have confirmed.
void check_cpu_engine(const VaeOptions& options, Index n_inputs, Index n_rows) {
  const Sample sample = make_sample(options, n_inputs, n_rows);
  const std::vector<double> expected =
      lacuna::vae_plugin()
          .gradient(sample.layout, sample.parameters, sample.rows, sample.noise, 0.7)
          .gradient;
  const std::vector<float> rows(sample.rows.begin(), sample.rows.end());
  const std::vector<float> noise(sample.noise.begin(), sample.noise.end());
  std::vector<std::int64_t> order(static_cast<std::size_t>(n_rows));
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int64_t>(i);
  const lacuna::DenseKernelList kernels = lacuna::runnable_dense_kernels();
  for (int set = 0; set < kernels.n_sets; ++set) {
    std::vector<float> reference;
    for (const int threads : {1, 2, 3}) {
      lacuna::VaeTask task;
      task.layout = sample.layout;
      task.rows = rows.data();
      task.n_training = n_rows;
      task.batch_size = n_rows;
      task.threads = threads;
      task.device = lacuna::VaeDevice::cpu;
      task.dense = kernels.sets[set];
      task.between_steps = [] {};
      const auto engine = lacuna::vae_plugin().make_engine(task);
      const std::size_t n = sample.parameters.size();
      engine->set_state({{sample.parameters.begin(), sample.parameters.end()},
                         std::vector<float>(n),
                         std::vector<float>(n),
                         0});
      engine->train_epoch(order, noise, 0.7, 1e-3);
      const lacuna::VaeState state = engine->state();
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_NEAR(10.0 * static_cast<double>(state.first_moments[i]), expected[i],
                    2e-5 + 1e-4 * std::abs(expected[i]))
            << "parameter " << i;
      if (reference.empty()) reference = state.parameters;
      EXPECT_EQ(state.parameters, reference) << threads << " threads";
    }
  }
}

TEST_P(VaeBothLikelihoods, TheCpuEngineHasTheSameGradientsForAnyThreads) {
  REQUIRE_TORCH();
  for (const auto activation :
       {lacuna::VaeActivation::relu, lacuna::VaeActivation::tanh, lacuna::VaeActivation::sigmoid}) {
    VaeOptions options = small_options(lacuna::VaeArchitecture::mlp, GetParam(), activation);
    options.vae_hidden = {70, 33};
    check_cpu_engine(options, 37, 29);
    options.vae_architecture = lacuna::VaeArchitecture::conv;
    options.vae_channels = {3, 5};
    check_cpu_engine(options, 8 * 8, 70); // rows of three blocks
  }
  VaeOptions wide = small_options(lacuna::VaeArchitecture::conv, GetParam());
  wide.vae_channels = {5, 50, 2};
  wide.vae_image_height = 8;
  check_cpu_engine(wide, 8 * 16, 9);
}

// The engine for GPUs and the one for CPUs, both here: the same step, the same ELBO before and behind
// several.
TEST_P(VaeBothLikelihoods, BothEnginesTakeTheSameSteps) {
  REQUIRE_TORCH();
  for (const auto architecture : {lacuna::VaeArchitecture::mlp, lacuna::VaeArchitecture::conv}) {
    const Index n_rows = 21;
    const Index n_training = 11;
    const Sample sample = make_sample(small_options(architecture, GetParam()), 64, n_rows);
    const std::vector<float> rows(sample.rows.begin(), sample.rows.end());
    const std::vector<float> noise(sample.noise.begin(), sample.noise.end());
    const std::vector<std::int64_t> order = {7, 3, 9, 0, 8, 10, 4, 1, 2, 5, 6};
    lacuna::VaeTask task;
    task.layout = sample.layout;
    task.rows = rows.data();
    task.n_training = n_training;
    task.n_held_out = n_rows - n_training;
    task.batch_size = n_training;
    task.threads = 2;
    task.device = lacuna::VaeDevice::cpu;
    task.dense = &lacuna::dense_kernels();
    task.between_steps = [] {};
    const std::size_t n = sample.parameters.size();
    const lacuna::VaeState start{{sample.parameters.begin(), sample.parameters.end()},
                                 std::vector<float>(n),
                                 std::vector<float>(n, 1e-6F),
                                 4};
    std::vector<lacuna::VaeState> states;
    std::vector<double> elbos;
    for (const auto make : {lacuna::vae_plugin().make_engine, lacuna::vae_plugin().make_torch_engine}) {
      const auto engine = make(task);
      engine->set_state(start);
      elbos.push_back(engine->held_out_elbo(noise));
      elbos.push_back(engine->train_epoch(order, noise, 0.7, 1e-3));
      states.push_back(engine->state());
      for (int i = 0; i < 5; ++i) engine->train_epoch(order, noise, 0.7, 1e-3);
      elbos.push_back(engine->held_out_elbo(noise));
    }
    EXPECT_EQ(states[0].n_steps, 5);
    EXPECT_EQ(states[1].n_steps, 5);
    for (std::size_t i = 0; i < n; ++i) {
      EXPECT_NEAR(states[0].first_moments[i], states[1].first_moments[i],
                  2e-6F + 1e-4F * std::abs(states[1].first_moments[i]));
      EXPECT_NEAR(states[0].second_moments[i], states[1].second_moments[i],
                  1e-9F + 1e-3F * states[1].second_moments[i]);
      EXPECT_NEAR(states[0].parameters[i], states[1].parameters[i], 1e-5F);
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(elbos[i], elbos[3 + i], 1e-4 * std::abs(elbos[i]));
  }
}

// Bright bars at one of a few places on a dark ground, as pixels from 0 to 255.
Matrix bars(Index n, Index side) {
  Matrix rows(n, side * side);
  for (Index i = 0; i < n; ++i) {
    lacuna::RandomStream stream(11, lacuna::RandomPurpose::simulation, static_cast<std::uint64_t>(i));
    const auto place = static_cast<Index>(stream.uniform() * static_cast<double>(side));
    const bool is_row = stream.uniform() < 0.5;
    for (Index y = 0; y < side; ++y)
      for (Index x = 0; x < side; ++x)
        rows(i, y * side + x) = (is_row ? y : x) == place ? 255.0 : 30.0 * stream.uniform();
  }
  return rows;
}

/// Keeps what progress said, and asks to stop after some epochs.
class Watcher : public lacuna::Observer {
public:
  explicit Watcher(Index stop_after = 1000000) : stop_after_(stop_after) {}
  void progress(std::string_view stage, double done, double /*total*/) override {
    if (!stage.starts_with("vae")) return;
    const std::size_t at = stage.find("ELBO ");
    if (at != std::string_view::npos) elbos.push_back(std::stod(std::string(stage.substr(at + 5))));
    n_epochs_ = static_cast<Index>(done);
  }
  void warning(std::string_view text) override { warnings.emplace_back(text); }
  bool cancelled() const override { return n_epochs_ >= stop_after_; }
  std::vector<double> elbos;
  std::vector<std::string> warnings;

private:
  Index stop_after_;
  Index n_epochs_ = 0;
};

FeatureOptions training_options(lacuna::VaeArchitecture architecture) {
  FeatureOptions options;
  options.maps = lacuna::parse_features("vae:2");
  options.vae.vae_architecture = architecture;
  options.vae.vae_hidden = {32};
  options.vae.vae_channels = {4, 8};
  options.vae.vae_epochs = 12;
  options.vae.vae_batch = 50;
  options.vae.vae_learning_rate = 3e-3;
  options.vae.device = lacuna::VaeDevice::cpu;
  options.vae.vae_checkpoint_every = 2;
  return options;
}

std::vector<float> weights(const FeatureChain& chain) {
  return dynamic_cast<const lacuna::VaeMap&>(*chain.maps().back()).parameters();
}

void expect_same(const Matrix& a, const Matrix& b) {
  ASSERT_EQ(a.n_rows(), b.n_rows());
  ASSERT_EQ(a.n_cols(), b.n_cols());
  for (std::size_t i = 0; i < a.values().size(); ++i) ASSERT_EQ(a.values()[i], b.values()[i]) << i;
}

class VaeBothArchitectures : public testing::TestWithParam<lacuna::VaeArchitecture> {};
INSTANTIATE_TEST_SUITE_P(Architecture, VaeBothArchitectures,
                         testing::Values(lacuna::VaeArchitecture::mlp, lacuna::VaeArchitecture::conv));

TEST_P(VaeBothArchitectures, LearnsBars) {
  REQUIRE_TORCH();
  const Matrix rows = bars(1000, 8);
  Watcher watcher;
  const FeatureChain chain = fit_features(training_options(GetParam()), rows.view(), 1, 1, watcher);
  ASSERT_EQ(watcher.elbos.size(), 12U);
  // A start that knows nothing pays log 2 per pixel; a network that ignores z cannot do better than the mean
  // image.
  EXPECT_GT(watcher.elbos.back(), watcher.elbos.front() + 5.0);
  EXPECT_GT(watcher.elbos.back(), -64.0 * std::log(2.0) + 15.0);
  EXPECT_EQ(chain.n_outputs(64), 2);
  EXPECT_THAT(chain.output_names({}), testing::ElementsAre("z1", "z2"));
}

TEST_P(VaeBothArchitectures, EncodesAsTheNetworkSays) {
  REQUIRE_TORCH();
  const Matrix rows = bars(100, 8);
  FeatureOptions options = training_options(GetParam());
  options.vae.vae_epochs = 2;
  const FeatureChain chain = fit_features(options, rows.view(), 1, 1, lacuna::silent_observer());
  const Matrix whole = chain.apply(rows.view(), 0, 1);
  expect_same(whole, chain.apply(rows.view(), 17, 2)); // a mean knows no row numbers
  for (Index i = 0; i < 100; i += 9) {
    const Matrix one = chain.apply(rows.view().middle_rows(i, 1), i, 1);
    EXPECT_EQ(one(0, 0), whole(i, 0));
    EXPECT_EQ(one(0, 1), whole(i, 1));
  }
  // The gradient of the ELBO by the encoder's last bias, at KL weight 1, holds the mean of the means plus
  // what comes through the decoder; with a decoder of zeros only the former is left.
  const auto& map = dynamic_cast<const lacuna::VaeMap&>(*chain.maps().back());
  std::vector<double> parameters(map.parameters().begin(), map.parameters().end());
  for (std::size_t i = static_cast<std::size_t>(map.layout().decoder.front().weight); i < parameters.size();
       ++i)
    parameters[i] = 0.0;
  std::vector<double> scaled(rows.values().begin(), rows.values().end());
  for (double& value : scaled) value *= map.scale();
  const auto result =
      lacuna::vae_plugin().gradient(map.layout(), parameters, scaled, std::vector<double>(200), 1.0);
  for (Index j = 0; j < 2; ++j) {
    double mean = 0.0;
    for (Index i = 0; i < 100; ++i) mean += whole(i, j) / 100.0;
    EXPECT_NEAR(result.gradient[static_cast<std::size_t>(map.layout().encoder.back().bias + j)], mean, 1e-5);
  }
}

TEST_P(VaeBothArchitectures, SampledEncodingDependsOnSeedAndRowAlone) {
  REQUIRE_TORCH();
  const Matrix rows = bars(600, 8);
  FeatureOptions options = training_options(GetParam());
  options.vae.vae_epochs = 1;
  options.vae.encoding = lacuna::VaeEncoding::sample;
  const FeatureChain chain = fit_features(options, rows.view(), 1, 1, lacuna::silent_observer());
  const Matrix whole = chain.apply(rows.view(), 0, 1);
  expect_same(whole, chain.apply(rows.view(), 0, 2));
  const Matrix part = chain.apply(rows.view().middle_rows(123, 300), 123, 1);
  for (Index i = 0; i < 300; ++i) EXPECT_EQ(part(i, 0), whole(123 + i, 0));
  const Matrix elsewhere = chain.apply(rows.view().middle_rows(123, 300), 0, 1);
  EXPECT_NE(elsewhere(0, 0), part(0, 0));
}

TEST_P(VaeBothArchitectures, ComesBackFromAnArchiveBitForBit) {
  REQUIRE_TORCH();
  const Matrix rows = bars(60, 8);
  FeatureOptions options = training_options(GetParam());
  options.vae.vae_epochs = 1;
  options.vae.vae_likelihood = lacuna::VaeLikelihood::gaussian;
  options.vae.encoding = lacuna::VaeEncoding::sample;
  const FeatureChain chain =
      fit_features(options, rows.view(), 18446744073709551615U, 1, lacuna::silent_observer());
  lacuna::Archive archive;
  chain.save(archive, "features/");
  const FeatureChain loaded = FeatureChain::load(archive, "features/");
  EXPECT_EQ(weights(loaded), weights(chain));
  expect_same(loaded.apply(rows.view(), 5, 1), chain.apply(rows.view(), 5, 1));
  lacuna::Archive bad = archive;
  bad.put("features/0/hidden", std::vector<double>{1e5, 1e5});
  EXPECT_THROW(FeatureChain::load(bad, "features/"), lacuna::Error);
  bad = archive;
  bad.put("features/0/scale", 0.0);
  EXPECT_THROW(FeatureChain::load(bad, "features/"), lacuna::Error);
}

TEST_P(VaeBothArchitectures, ResumesToTheSameWeights) {
  REQUIRE_TORCH();
  const Matrix rows = bars(330, 8);
  FeatureOptions options = training_options(GetParam());
  options.vae.vae_patience = 20;
  options.vae.vae_schedule = lacuna::VaeSchedule::cosine;
  options.vae.vae_kl_warmup = 3;
  const std::vector<float> undisturbed =
      weights(fit_features(options, rows.view(), 1, 1, lacuna::silent_observer()));
  const TemporaryFolder folder;
  options.vae.vae_checkpoint = folder.path("checkpoint");
  Watcher impatient(7);
  EXPECT_THROW(fit_features(options, rows.view(), 1, 1, impatient), lacuna::Error);
  ASSERT_TRUE(std::filesystem::exists(options.vae.vae_checkpoint));
  Watcher second;
  EXPECT_EQ(weights(fit_features(options, rows.view(), 1, 1, second)), undisturbed);
  EXPECT_EQ(second.elbos.size(), 6U); // from epoch 6 on, the last checkpoint before the stop
  Watcher third;
  EXPECT_EQ(weights(fit_features(options, rows.view(), 1, 1, third)), undisturbed);
  EXPECT_EQ(third.elbos.size(), 0U);
  // Another seed is another training.
  Watcher other;
  EXPECT_NE(weights(fit_features(options, rows.view(), 2, 1, other)), undisturbed);
  EXPECT_EQ(other.elbos.size(), 12U);
  ASSERT_EQ(other.warnings.size(), 1U);
  EXPECT_THAT(other.warnings[0], HasSubstr("belongs to other rows or options"));
}

TEST_P(VaeBothArchitectures, ThreadsDoNotChangeTheWeights) {
  REQUIRE_TORCH();
  const Matrix rows = bars(500, 8);
  FeatureOptions options = training_options(GetParam());
  options.vae.vae_batch = 100; // blocks of rows for several threads
  options.vae.vae_epochs = 3;
  EXPECT_EQ(weights(fit_features(options, rows.view(), 1, 1, lacuna::silent_observer())),
            weights(fit_features(options, rows.view(), 1, 3, lacuna::silent_observer())));
}

std::string error_of(const FeatureOptions& options, const Matrix& rows) {
  try {
    fit_features(options, rows.view(), 1, 1, lacuna::silent_observer());
  } catch (const lacuna::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Vae, SaysWhatDoesNotSuit) {
  REQUIRE_TORCH();
  FeatureOptions options = training_options(lacuna::VaeArchitecture::conv);
  EXPECT_THAT(error_of(options, Matrix(5, 63)), HasSubstr("63 features, which is not an image of 8 x"));
  EXPECT_THAT(error_of(options, Matrix(5, 36)), HasSubstr("multiples of 4"));
  options.vae.vae_image_height = 28;
  EXPECT_THAT(error_of(options, Matrix(5, 64)), HasSubstr("not an image of 28 x"));
  options = training_options(lacuna::VaeArchitecture::mlp);
  EXPECT_THAT(error_of(options, Matrix(1, 2, {0.5, -0.5})), HasSubstr("row 1, feature 2: found -0.5"));
  options.vae.vae_epochs = 0;
  options.vae.vae_batch = 0;
  EXPECT_THAT(error_of(options, Matrix(5, 4)),
              testing::AllOf(HasSubstr("vae-epochs"), HasSubstr("vae-batch")));
}

TEST(Vae, AForeignFileIsNoCheckpoint) {
  REQUIRE_TORCH();
  const TemporaryFolder folder;
  FeatureOptions options = training_options(lacuna::VaeArchitecture::mlp);
  options.vae.vae_checkpoint = folder.path("thesis");
  write_content(options.vae.vae_checkpoint, "years of work");
  EXPECT_THAT(error_of(options, bars(10, 4)), HasSubstr("something else is there already"));
  EXPECT_EQ(content_of(options.vae.vae_checkpoint), "years of work");
}

TEST(VaeCheckpoint, DamageIsNoticed) {
  const TemporaryFolder folder;
  const std::string path = folder.path("c");
  lacuna::VaeProgress progress;
  progress.state = {{1.0F, 2.0F}, {3.0F, 4.0F}, {5.0F, 6.0F}, 9};
  progress.n_epochs = 4;
  lacuna::write_vae_checkpoint(path, 77, progress);
  const std::string good = content_of(path);
  std::string why;
  const auto read = lacuna::read_vae_checkpoint(path, 77, 2, why);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->state.second_moments, progress.state.second_moments);
  EXPECT_EQ(read->n_epochs, 4);
  for (std::size_t i = 24; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 0x10);
    write_content(path, bad);
    EXPECT_FALSE(lacuna::read_vae_checkpoint(path, 77, 2, why)) << i;
    write_content(path, good.substr(0, i));
    EXPECT_FALSE(lacuna::read_vae_checkpoint(path, 77, 2, why)) << i;
  }
}

} // namespace
