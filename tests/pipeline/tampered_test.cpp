// A model that somebody changed, number by number: it is refused, or it still gives probabilities.
#include <array>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/pipeline/fit.hpp"
#include "model_io/archive_file.hpp"
#include "pipeline/record_json.hpp"

namespace lacuna {
namespace {

/// Two blobs; a third of the rows has labels. The third column is a category where `has_levels`.
Dataset blobs(bool has_levels) {
  constexpr Index n_rows = 90;
  Dataset data;
  data.class_names = {"left", "right"};
  data.feature_names = {"a", "b", "c"};
  data.features = Matrix(n_rows, 3);
  for (Index i = 0; i < n_rows; ++i) {
    RandomStream random(7, RandomPurpose::simulation, static_cast<std::uint64_t>(i));
    const int y = static_cast<int>(i % 2);
    data.features(i, 0) = 3.0 * y + random.normal();
    data.features(i, 1) = random.normal();
    data.features(i, 2) = has_levels ? std::floor(3.0 * random.uniform()) : random.normal();
    data.labels.push_back(i % 3 == 0 ? y : missing_label);
  }
  if (has_levels) data.levels = {0, 0, 3};
  return data;
}

FitOptions quick(const DensityOptions& density, ConditionalForm conditional) {
  FitOptions options;
  options.density = density;
  options.conditional = conditional;
  options.draws = Index{2};
  options.threads = 1;
  return options;
}

VaeOptions small_vae() {
  VaeOptions vae;
  vae.vae_hidden = {4};
  vae.vae_epochs = 2;
  vae.vae_likelihood = VaeLikelihood::gaussian;
  return vae;
}

Matrix far_and_near(bool has_levels) {
  Matrix rows(4, 3);
  const double places[] = {0.0, 3.0, 50.0, -1e30};
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 3; ++j) rows(i, j) = places[i];
    if (has_levels) rows(i, 2) = static_cast<double>(i);
  }
  return rows;
}

void expect_probabilities(const Scores& scores) {
  for (Index i = 0; i < scores.posterior.n_rows(); ++i) {
    const auto at = static_cast<std::size_t>(i);
    double sum = 0.0;
    for (Index y = 0; y < scores.posterior.n_cols(); ++y) {
      EXPECT_TRUE(scores.posterior(i, y) >= 0.0 && scores.posterior(i, y) <= 1.0 + 1e-12);
      sum += scores.posterior(i, y);
    }
    EXPECT_NEAR(sum, 1.0, 1e-9);
    EXPECT_TRUE(scores.error_probability[at] >= 0.0 && scores.error_probability[at] <= 1.0 + 1e-12);
    EXPECT_TRUE(scores.prediction[at] >= 0 && scores.prediction[at] < scores.posterior.n_cols());
    EXPECT_FALSE(std::isnan(scores.log_ratio[at]));
  }
}

/// Loads and scores an archive as if it had come from a file; whether it was taken.
bool is_taken(const Archive& archive, const Matrix& rows) {
  const std::vector<char> bytes = encode_archive(archive); // with the right checksum
  try {
    const Model model = decode_model({bytes.data(), bytes.size()}, "tampered");
    expect_probabilities(model.score(rows.view(), {.threads = 1}));
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::data)) << error.what();
    EXPECT_LT(std::string(error.what()).size(), 1000U);
    return false;
  }
}

void tamper_with_all(const Model& model, bool has_levels) {
  const std::vector<char> bytes = encode_model(model);
  const Archive original = decode_archive({bytes.data(), bytes.size()}, "good");
  const Matrix rows = far_and_near(has_levels);
  ASSERT_TRUE(is_taken(original, rows));
  constexpr double infinity = std::numeric_limits<double>::infinity();
  const double bad[] = {std::nan(""), infinity, -infinity, -1.0, 1e300, -1e300, 1e-300, 0.0, 16777216.0};
  for (const auto& [name, tensor] : original.tensors()) {
    for (const double value : bad)
      for (const bool is_last : {false, true}) {
        Tensor changed = tensor;
        if (changed.values.empty() || (is_last && changed.values.size() == 1)) continue;
        (is_last ? changed.values.back() : changed.values.front()) = value;
        Archive archive = original;
        archive.put(name, std::move(changed));
        SCOPED_TRACE(testing::Message() << name << (is_last ? " last" : " first") << " is " << value);
        const bool taken = is_taken(archive, rows);
        const bool is_remark = name.find("/summary/") != std::string::npos; // of which no answer depends
        if (!is_remark && !std::isfinite(value) && !name.ends_with("kappa")) {
          EXPECT_FALSE(taken);
        }
      }
  }
}

class Tampered : public testing::TestWithParam<std::string> {};

TEST_P(Tampered, DensitiesAreRefusedOrGiveProbabilities) {
  for (const bool has_levels : {false, true}) {
    if (has_levels && GetParam() != "vb-gmm") continue;
    SCOPED_TRACE(has_levels);
    const Dataset data = blobs(has_levels);
    tamper_with_all(fit(data, quick(DensityOptions(GetParam()), ConditionalForm::densities)), has_levels);
  }
}

INSTANTIATE_TEST_SUITE_P(Families, Tampered, testing::Values("vb-gmm", "gmm", "kde", "dp-gmm"),
                         [](const auto& family) {
                           std::string name = family.param;
                           std::erase(name, '-');
                           return name;
                         });

TEST(TamperedModel, AStackIsRefusedOrGivesProbabilities) {
  const Dataset data = blobs(true);
  tamper_with_all(fit(data, quick(VbMixtureOptions{.components = 2}, ConditionalForm::stack)), true);
}

TEST(TamperedModel, MapsAreRefusedOrGiveProbabilities) {
  FitOptions options = quick(GmmOptions{.components = 1}, ConditionalForm::densities);
  options.vae = small_vae();
  options.features = parse_features("standardize,pca:2,vae:2");
  tamper_with_all(fit(blobs(false), options), false);
}

} // namespace
TEST(Tampered, WholeNumbersOfARecordAreWhole) {
  const std::string text =
      R"({"version":"0.2.0","seed":SEED,"options":{"vae-hidden":[WIDTH]},"classes":["a"],"features":["x"],
      "model_features":["x"],"notes":[],"summary":{"n_labeled":ROWS,"n_unlabeled":1,"class_counts":{"a":1},"kappa":0,
      "n_informative":1,"informative_share":1,"informative_weight":1,"draw_spread":0,"n_em_iterations":1,
      "stop_reason":"converged","densities":[]}})";
  const auto record = [&](const std::string& seed, const std::string& width, const std::string& rows) {
    std::string changed = text;
    changed.replace(changed.find("SEED"), 4, seed);
    changed.replace(changed.find("WIDTH"), 5, width);
    changed.replace(changed.find("ROWS"), 4, rows);
    return read_record(changed);
  };
  EXPECT_EQ(record("7", "3", "1").summary.n_labeled, 1);
  for (const auto& [seed, width, rows] : {std::array{"-1.0", "3", "1"}, std::array{"7", "1e300", "1"},
                                          std::array{"7", "3", "1e300"}, std::array{"-1", "3", "1"}}) {
    try {
      record(seed, width, rows);
      ADD_FAILURE() << seed << ' ' << width << ' ' << rows;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data);
    }
  }
}

} // namespace lacuna
