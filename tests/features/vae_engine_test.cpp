// The engines that train VAEs: their ELBO against the formula, their gradients against finite differences of
// it and against libtorch's where that is there, and each other's steps.
#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "features/network/cpu_engine.hpp"
#include "lacuna/core/random.hpp"
#include "tests/features/vae_reference.hpp"

namespace {

using lacuna::Index;
using lacuna::VaeLayout;
using lacuna::VaeOptions;

VaeOptions small_options(lacuna::VaeArchitecture architecture, lacuna::VaeLikelihood likelihood,
                         lacuna::VaeActivation activation = lacuna::VaeActivation::tanh) {
  VaeOptions options;
  options.n_latent = 2;
  options.vae_hidden = {5, 4};
  options.vae_channels = {2, 3};
  options.vae_architecture = architecture;
  options.vae_likelihood = likelihood;
  options.vae_activation = activation;
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

  Index n_rows() const { return static_cast<Index>(rows.size()) / layout.n_inputs; }
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

std::vector<float> as_floats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

/// What an engine needs to train on a sample in one batch.
class SampleTask {
public:
  SampleTask(const Sample& sample, Index n_training)
      : order(static_cast<std::size_t>(n_training)), parameters_(as_floats(sample.parameters)),
        rows_(as_floats(sample.rows)), noise_(as_floats(sample.noise)) {
    std::iota(order.begin(), order.end(), 0);
    task.layout = sample.layout;
    task.rows = rows_.data();
    task.n_training = n_training;
    task.n_held_out = sample.n_rows() - n_training;
    task.batch_size = sample.n_rows();
    task.between_steps = [] {};
  }

  void start(lacuna::VaeEngine& engine, float second_moment = 0.0F, Index n_steps = 0) const {
    const std::size_t n = parameters_.size();
    engine.set_state({parameters_, std::vector<float>(n), std::vector<float>(n, second_moment), n_steps});
  }
  double step(lacuna::VaeEngine& engine) const { return engine.train_epoch(order, noise_, 0.7, 1e-3); }
  double held_out_elbo(lacuna::VaeEngine& engine) const { return engine.held_out_elbo(noise_); }

  lacuna::VaeTask task;
  std::vector<std::int64_t> order; ///< of the training rows

private:
  std::vector<float> parameters_;
  std::vector<float> rows_;
  std::vector<float> noise_;
};

/// Of -ELBO, on which engines descend.
template <typename Elbo>
std::vector<double> finite_differences(Sample sample, const Elbo& elbo) {
  constexpr double step = 1e-5;
  std::vector<double> gradient;
  for (double& parameter : sample.parameters) {
    const double kept = parameter;
    parameter = kept + step;
    const double above = elbo(sample);
    parameter = kept - step;
    const double below = elbo(sample);
    parameter = kept;
    gradient.push_back(-(above - below) / (2.0 * step));
  }
  return gradient;
}

class VaeBothLikelihoods : public testing::TestWithParam<lacuna::VaeLikelihood> {};
INSTANTIATE_TEST_SUITE_P(Likelihood, VaeBothLikelihoods,
                         testing::Values(lacuna::VaeLikelihood::bernoulli, lacuna::VaeLikelihood::gaussian));

// One step moves Adam's first moment by a tenth of the gradient, so it shows the engine's backward pass.
void check_cpu_engine(const Sample& sample, const std::vector<double>& expected) {
  SampleTask of(sample, sample.n_rows());
  for (const lacuna::DenseKernels* kernels : lacuna::available_dense_kernels()) {
    std::vector<float> reference;
    for (const int threads : {1, 2, 3}) {
      of.task.threads = threads;
      lacuna::CpuEngine engine(of.task, *kernels);
      of.start(engine);
      of.step(engine);
      const lacuna::VaeState state = engine.state();
      ASSERT_EQ(state.first_moments.size(), expected.size());
      for (std::size_t i = 0; i < expected.size(); ++i)
        ASSERT_NEAR(10.0 * static_cast<double>(state.first_moments[i]), expected[i],
                    2e-5 + 1e-4 * std::abs(expected[i]))
            << "parameter " << i;
      if (reference.empty()) reference = state.parameters;
      EXPECT_EQ(state.parameters, reference) << threads << " threads";
    }
  }
}

TEST_P(VaeBothLikelihoods, TheCpuEngineFollowsTheFormulaForAnyThreads) {
  const Sample sample = make_sample(small_options(lacuna::VaeArchitecture::mlp, GetParam()), 7, 6);
  check_cpu_engine(sample, finite_differences(sample, [](const Sample& at) { return direct_elbo(at, 0.7); }));
  const SampleTask of(sample, 0);
  lacuna::CpuEngine engine(of.task, lacuna::dense_kernels());
  of.start(engine);
  EXPECT_NEAR(of.held_out_elbo(engine), direct_elbo(sample, 1.0), 1e-4);
}

lacuna::VaeGradient reference(const Sample& sample, double kl_weight) {
  return lacuna::vae_plugin().gradient(sample.layout, sample.parameters, sample.rows, sample.noise,
                                       kl_weight);
}

TEST_P(VaeBothLikelihoods, TheReferenceHasTheElboOfTheFormula) {
  REQUIRE_TORCH();
  const Sample sample = make_sample(small_options(lacuna::VaeArchitecture::mlp, GetParam()), 7, 6);
  for (const double kl_weight : {1.0, 0.3})
    EXPECT_NEAR(reference(sample, kl_weight).elbo, direct_elbo(sample, kl_weight), 1e-10);
}

void check_reference(const VaeOptions& options, Index n_inputs) {
  const Sample sample = make_sample(options, n_inputs, 3);
  const std::vector<double> gradient = reference(sample, 0.7).gradient;
  const std::vector<double> expected =
      finite_differences(sample, [](const Sample& at) { return reference(at, 0.7).elbo; });
  ASSERT_EQ(gradient.size(), expected.size());
  for (std::size_t i = 0; i < gradient.size(); ++i)
    EXPECT_NEAR(gradient[i], expected[i], 1e-6) << "parameter " << i;
}

TEST_P(VaeBothLikelihoods, TheReferenceHasTheGradientsOfFiniteDifferences) {
  REQUIRE_TORCH();
  check_reference(small_options(lacuna::VaeArchitecture::mlp, GetParam()), 7);
  check_reference(small_options(lacuna::VaeArchitecture::mlp, GetParam(), lacuna::VaeActivation::sigmoid), 5);
  check_reference(small_options(lacuna::VaeArchitecture::conv, GetParam()), 64);
}

void check_cpu_engine_by_reference(const VaeOptions& options, Index n_inputs, Index n_rows) {
  const Sample sample = make_sample(options, n_inputs, n_rows);
  check_cpu_engine(sample, reference(sample, 0.7).gradient);
}

TEST_P(VaeBothLikelihoods, TheCpuEngineHasTheGradientsOfTheReferenceForAnyThreads) {
  REQUIRE_TORCH();
  for (const auto activation :
       {lacuna::VaeActivation::relu, lacuna::VaeActivation::tanh, lacuna::VaeActivation::sigmoid}) {
    VaeOptions options = small_options(lacuna::VaeArchitecture::mlp, GetParam(), activation);
    options.vae_hidden = {70, 33};
    check_cpu_engine_by_reference(options, 37, 29);
    options.vae_architecture = lacuna::VaeArchitecture::conv;
    options.vae_channels = {3, 5};
    check_cpu_engine_by_reference(options, 8 * 8, 70); // rows of three blocks
  }
  VaeOptions wide = small_options(lacuna::VaeArchitecture::conv, GetParam());
  wide.vae_channels = {5, 50, 2};
  wide.vae_image_height = 8;
  check_cpu_engine_by_reference(wide, 8 * 16, 9);
}

// The engine for GPUs and the one for CPUs, both here: the same step, the same ELBO before and behind
// several.
TEST_P(VaeBothLikelihoods, BothEnginesTakeTheSameSteps) {
  REQUIRE_TORCH();
  for (const auto architecture : {lacuna::VaeArchitecture::mlp, lacuna::VaeArchitecture::conv}) {
    SampleTask of(make_sample(small_options(architecture, GetParam()), 64, 21), 11);
    of.order = {7, 3, 9, 0, 8, 10, 4, 1, 2, 5, 6};
    of.task.batch_size = 11;
    of.task.threads = 2;
    std::vector<lacuna::VaeState> states;
    std::vector<double> elbos;
    const auto train = [&](lacuna::VaeEngine& engine) {
      of.start(engine, 1e-6F, 4);
      elbos.push_back(of.held_out_elbo(engine));
      elbos.push_back(of.step(engine));
      states.push_back(engine.state());
      for (int i = 0; i < 5; ++i) of.step(engine);
      elbos.push_back(of.held_out_elbo(engine));
    };
    lacuna::CpuEngine own(of.task, lacuna::dense_kernels());
    train(own);
    train(*lacuna::vae_plugin().make_engine(of.task, false));
    EXPECT_EQ(states[0].n_steps, 5);
    EXPECT_EQ(states[1].n_steps, 5);
    for (std::size_t i = 0; i < states[0].parameters.size(); ++i) {
      EXPECT_NEAR(states[0].first_moments[i], states[1].first_moments[i],
                  2e-6F + 1e-4F * std::abs(states[1].first_moments[i]));
      EXPECT_NEAR(states[0].second_moments[i], states[1].second_moments[i],
                  1e-9F + 1e-3F * states[1].second_moments[i]);
      EXPECT_NEAR(states[0].parameters[i], states[1].parameters[i], 1e-5F);
    }
    for (std::size_t i = 0; i < 3; ++i) EXPECT_NEAR(elbos[i], elbos[3 + i], 1e-4 * std::abs(elbos[i]));
  }
}

} // namespace
