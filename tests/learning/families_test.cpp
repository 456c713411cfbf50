// Every density family under every method: weights, soft labels, draws, saving and loading.

#include <cmath>

#include <gtest/gtest.h>

#include "lacuna/learning/learner.hpp"
#include "tests/learning/test_data.hpp"

namespace lacuna {
namespace {

using testing::all_methods;

/// Two classes around (-3, 0) and (3, 0) with some labels, and a cloud at (0, 12) without any.
Dataset two_classes_and_a_cloud() {
  Dataset data;
  constexpr Index n = 300;
  data.features = Matrix(n, 2);
  data.class_names = {"a", "b"};
  data.feature_names = {"x1", "x2"};
  RandomStream random(3, RandomPurpose::simulation);
  for (Index i = 0; i < n; ++i) {
    const bool is_far = i >= 200;
    data.features(i, 0) = (is_far ? 0.0 : i % 2 == 0 ? -3.0 : 3.0) + random.normal();
    data.features(i, 1) = (is_far ? 12.0 : 0.0) + random.normal();
    data.labels.push_back(i < 80 ? static_cast<int>(i % 2) : missing_label);
    data.weights.push_back(i % 7 == 0 ? 2.0 : 1.0);
  }
  return data;
}

/// Defaults of a family, but for gmm, whose seven components fit forty rows so sharply that kappa auto
/// refuses.
LearningOptions options_of(const std::string& family) {
  LearningOptions options = testing::densities_alone();
  options.density = family;
  if (family == "gmm") options.density = GmmOptions{.components = 2};
  return options;
}

TEST(FamiliesInTheMethod, EveryMethodWorksWithEveryFamily) {
  const Dataset data = two_classes_and_a_cloud();
  const Matrix questions(3, 2, {-3.0, 0.0, 3.0, 0.0, 0.0, 12.0});
  for (const std::string& name : density_family_names())
    for (const bool is_soft : {true, false}) {
      LearningOptions options = options_of(name);
      options.draws = is_soft ? Draws(SoftLabels{}) : Draws(Index{2});
      const std::vector<FitResult> fits = fit_classifiers(data, options, all_methods);
      for (std::size_t m = 0; m < fits.size(); ++m) {
        const Scores scores = fits[m].classifier.score(questions.view(), 1);
        EXPECT_EQ(scores.prediction[0], 0) << name << m;
        EXPECT_EQ(scores.prediction[1], 1) << name << m;
        EXPECT_LT(scores.error_probability[0], 0.1) << name << m;
        EXPECT_LT(scores.error_probability[1], 0.1) << name << m;
        if (all_methods[m] == Method::mar) {
          EXPECT_NEAR(scores.error_probability[2], 0.5, 0.05) << name;
        }
        Archive archive;
        fits[m].classifier.save(archive, "");
        const GenerativeClassifier loaded = GenerativeClassifier::load(archive, "");
        EXPECT_EQ(loaded.score(questions.view(), 1).error_probability, scores.error_probability) << name << m;
      }
    }
}

TEST(FamiliesInTheMethod, AClassOfOneRowMayWeighNextToNothingInADraw) {
  Dataset data = two_classes_and_a_cloud();
  data.class_names.emplace_back("c");
  data.labels[250] = 2;
  data.weights[250] = 1e-9;
  const Matrix questions(2, 2, {-3.0, 0.0, 3.0, 0.0});
  for (const std::string& name : density_family_names()) {
    const LearningOptions options = options_of(name);
    const Scores scores = fit_classifier(data, options).classifier.score(questions.view(), 1);
    EXPECT_EQ(scores.prediction, (std::vector<int>{0, 1})) << name;
    for (const double q : scores.error_probability) EXPECT_LT(q, 0.1) << name;
  }
}

TEST(FamiliesInTheMethod, ThreadsAndBlocksChangeNoBit) {
  const Dataset data = two_classes_and_a_cloud();
  for (const std::string& name : density_family_names()) {
    LearningOptions options = testing::densities_alone();
    options.density = name;
    options.draws = 2;
    options.threads = 1;
    const Scores one = fit_classifier(data, options).classifier.score(data.features.view(), 1);
    options.threads = 3;
    const GenerativeClassifier other = fit_classifier(data, options).classifier;
    EXPECT_EQ(other.score(data.features.view(), 3).error_probability, one.error_probability) << name;
    const Scores part = other.score(data.features.view().middle_rows(17, 5), 1);
    for (std::size_t i = 0; i < 5; ++i)
      EXPECT_EQ(part.error_probability[i], one.error_probability[17 + i]) << name;
  }
}

TEST(FamiliesInTheMethod, ProbabilitiesSumToOneWhereDensitiesAreLowest) {
  const Dataset data = two_classes_and_a_cloud();
  LearningOptions options = testing::densities_alone();
  const Matrix far(2, data.n_features(),
                   std::vector<double>(2 * static_cast<std::size_t>(data.n_features()), 1e99));
  for (const std::string& family : density_family_names()) {
    options.density = family;
    const Scores scores = fit_classifier(data, options).classifier.score(far.view(), 1);
    EXPECT_NEAR(scores.posterior(0, 0) + scores.posterior(0, 1), 1.0, 1e-12) << family;
    EXPECT_GE(scores.error_probability[0], 0.0) << family;
    EXPECT_LE(scores.error_probability[0], 0.5 + 1e-12) << family;
  }
}

} // namespace
} // namespace lacuna
