#include <cmath>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "features/vae_checkpoint.hpp"
#include "features/vae_map.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/features/fit_features.hpp"
#include "tests/features/vae_reference.hpp"
#include "tests/temporary_folder.hpp"

namespace {

using lacuna::FeatureChain;
using lacuna::FeatureOptions;
using lacuna::Index;
using lacuna::Matrix;
using testing::HasSubstr;

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
  options.features = lacuna::parse_features("vae:2");
  options.vae.vae_architecture = architecture;
  options.vae.vae_hidden = {32};
  options.vae.vae_channels = {4, 8};
  options.vae.vae_epochs = 12;
  options.vae.vae_batch = 50;
  options.vae.vae_learning_rate = 3e-3;
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
  const Matrix rows = bars(1000, 8);
  Watcher watcher;
  const FeatureChain chain =
      fit_features(training_options(GetParam()),
                   {.rows = rows.view(), .seed = 1, .threads = 1, .device = lacuna::Device::cpu}, watcher);
  ASSERT_EQ(watcher.elbos.size(), 12U);
  // A start that knows nothing pays log 2 per pixel; a network that ignores z cannot do better than the mean
  // image.
  EXPECT_GT(watcher.elbos.back(), watcher.elbos.front() + 5.0);
  EXPECT_GT(watcher.elbos.back(), -64.0 * std::log(2.0) + 15.0);
  EXPECT_EQ(chain.n_outputs(64), 2);
  EXPECT_THAT(chain.output_names({}), testing::ElementsAre("z1", "z2"));
}

FeatureChain fit_briefly(FeatureOptions options, const Matrix& rows, Index epochs, std::uint64_t seed = 1) {
  options.vae.vae_epochs = epochs;
  return fit_features(options,
                      {.rows = rows.view(), .seed = seed, .threads = 1, .device = lacuna::Device::cpu});
}

TEST_P(VaeBothArchitectures, EncodesEveryRowOnItsOwn) {
  const Matrix rows = bars(100, 8);
  const FeatureChain chain = fit_briefly(training_options(GetParam()), rows, 2);
  const Matrix whole = chain.apply(rows.view(), {.threads = 1});
  expect_same(whole,
              chain.apply(rows.view(), {.first_row = 17, .threads = 2})); // a mean knows no row numbers
  for (Index i = 0; i < 100; i += 9) {
    const Matrix one = chain.apply(rows.view().middle_rows(i, 1), {.first_row = i, .threads = 1});
    EXPECT_EQ(one(0, 0), whole(i, 0));
    EXPECT_EQ(one(0, 1), whole(i, 1));
  }
}

TEST_P(VaeBothArchitectures, EncodesAsTheNetworkSays) {
  REQUIRE_TORCH();
  const Matrix rows = bars(100, 8);
  const FeatureChain chain = fit_briefly(training_options(GetParam()), rows, 2);
  const Matrix whole = chain.apply(rows.view(), {.threads = 1});
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
  const Matrix rows = bars(600, 8);
  FeatureOptions options = training_options(GetParam());
  options.vae.encoding = lacuna::VaeEncoding::sample;
  const FeatureChain chain = fit_briefly(options, rows, 1);
  const Matrix whole = chain.apply(rows.view(), {.threads = 1});
  expect_same(whole, chain.apply(rows.view(), {.threads = 2}));
  const Matrix part = chain.apply(rows.view().middle_rows(123, 300), {.first_row = 123, .threads = 1});
  for (Index i = 0; i < 300; ++i) EXPECT_EQ(part(i, 0), whole(123 + i, 0));
  const Matrix elsewhere = chain.apply(rows.view().middle_rows(123, 300), {.threads = 1});
  EXPECT_NE(elsewhere(0, 0), part(0, 0));
}

TEST_P(VaeBothArchitectures, ComesBackFromAnArchiveBitForBit) {
  const Matrix rows = bars(60, 8);
  FeatureOptions options = training_options(GetParam());
  options.vae.vae_likelihood = lacuna::VaeLikelihood::gaussian;
  options.vae.encoding = lacuna::VaeEncoding::sample;
  const FeatureChain chain = fit_briefly(options, rows, 1, 18446744073709551615U);
  lacuna::Archive archive;
  chain.save(archive, "features/");
  const FeatureChain loaded = FeatureChain::load(archive, "features/");
  EXPECT_EQ(weights(loaded), weights(chain));
  expect_same(loaded.apply(rows.view(), {.first_row = 5, .threads = 1}),
              chain.apply(rows.view(), {.first_row = 5, .threads = 1}));
  lacuna::Archive bad = archive;
  bad.put("features/0/hidden", std::vector<double>{1e5, 1e5});
  EXPECT_THROW(FeatureChain::load(bad, "features/"), lacuna::Error);
  bad = archive;
  bad.put("features/0/scale", 0.0);
  EXPECT_THROW(FeatureChain::load(bad, "features/"), lacuna::Error);
}

TEST_P(VaeBothArchitectures, ResumesToTheSameWeights) {
  const Matrix rows = bars(330, 8);
  FeatureOptions options = training_options(GetParam());
  options.vae.vae_patience = 20;
  options.vae.vae_schedule = lacuna::VaeSchedule::cosine;
  options.vae.vae_kl_warmup = 3;
  const std::vector<float> undisturbed = weights(
      fit_features(options, {.rows = rows.view(), .seed = 1, .threads = 1, .device = lacuna::Device::cpu}));
  const TemporaryFolder folder;
  options.vae.vae_checkpoint = folder.path("checkpoint");
  Watcher impatient(7);
  EXPECT_THROW(fit_features(options,
                            {.rows = rows.view(), .seed = 1, .threads = 1, .device = lacuna::Device::cpu},
                            impatient),
               lacuna::Error);
  ASSERT_TRUE(std::filesystem::exists(options.vae.vae_checkpoint));
  Watcher second;
  EXPECT_EQ(
      weights(fit_features(
          options, {.rows = rows.view(), .seed = 1, .threads = 1, .device = lacuna::Device::cpu}, second)),
      undisturbed);
  EXPECT_EQ(second.elbos.size(), 6U); // from epoch 6 on, the last checkpoint before the stop
  Watcher third;
  EXPECT_EQ(
      weights(fit_features(
          options, {.rows = rows.view(), .seed = 1, .threads = 1, .device = lacuna::Device::cpu}, third)),
      undisturbed);
  EXPECT_EQ(third.elbos.size(), 0U);
  // Another seed is another training.
  Watcher other;
  EXPECT_NE(
      weights(fit_features(
          options, {.rows = rows.view(), .seed = 2, .threads = 1, .device = lacuna::Device::cpu}, other)),
      undisturbed);
  EXPECT_EQ(other.elbos.size(), 12U);
  ASSERT_EQ(other.warnings.size(), 1U);
  EXPECT_THAT(other.warnings[0], HasSubstr("belongs to other rows or options"));
}

TEST_P(VaeBothArchitectures, ThreadsDoNotChangeTheWeights) {
  const Matrix rows = bars(500, 8);
  FeatureOptions options = training_options(GetParam());
  options.vae.vae_batch = 100; // blocks of rows for several threads
  options.vae.vae_epochs = 3;
  EXPECT_EQ(weights(fit_features(
                options, {.rows = rows.view(), .seed = 1, .threads = 1, .device = lacuna::Device::cpu})),
            weights(fit_features(
                options, {.rows = rows.view(), .seed = 1, .threads = 3, .device = lacuna::Device::cpu})));
}

std::string error_of(const FeatureOptions& options, const Matrix& rows) {
  try {
    fit_features(options, {.rows = rows.view(), .seed = 1, .threads = 1, .device = lacuna::Device::cpu});
  } catch (const lacuna::Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Vae, SaysWhatDoesNotSuit) {
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
              testing::AllOf(HasSubstr("vae_epochs"), HasSubstr("vae_batch")));
}

TEST(Vae, TheGpuIsTakenOnlyWhereItIs) {
  EXPECT_FALSE(lacuna::uses_gpu(lacuna::Device::cpu));
  if (lacuna::uses_gpu(lacuna::Device::auto_detect)) GTEST_SKIP() << "there is a GPU";
  const Matrix rows = bars(10, 4);
  const auto train_on = [&](lacuna::Device device) {
    return fit_features(training_options(lacuna::VaeArchitecture::mlp),
                        {.rows = rows.view(), .device = device});
  };
  try {
    train_on(lacuna::Device::cuda);
    ADD_FAILURE() << "no error";
  } catch (const lacuna::Error& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("got cuda"), HasSubstr("use device cpu")));
  }
  EXPECT_NO_THROW(train_on(lacuna::Device::auto_detect));
}

TEST(Vae, AForeignFileIsNoCheckpoint) {
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
