// What must not change a result: names, units, the order of rows, threads, and a trip through a file.

#include <cmath>

#include <gtest/gtest.h>

#include "tests/learning/test_data.hpp"

namespace lacuna {
namespace {

using testing::all_methods;
using testing::quick;
using testing::two_classes;

/// A ratio is infinite where the background outweighs all else.
void expect_same_ratio(double a, double b, double tolerance) {
  if (std::isinf(a) || std::isinf(b))
    EXPECT_EQ(a, b);
  else
    EXPECT_NEAR(a, b, tolerance);
}

/// The same data after the user renamed the classes so that their order turns round.
Dataset renamed(Dataset data) {
  data.class_names = {"A renamed b", "B renamed a"};
  for (int& label : data.labels)
    if (label != missing_label) label = 1 - label;
  return data;
}

TEST(Invariance, ClassNames) {
  const Dataset data = two_classes(300, 80, 100);
  for (const Method method : all_methods)
    for (const bool soft : {true, false}) {
      LearningOptions options = quick(method);
      options.draws = soft ? Draws(SoftLabels{}) : Draws(Index{2});
      const Scores a = fit_classifier(data, options).classifier.score(data.features.view(), 1);
      const Scores b = fit_classifier(renamed(data), options).classifier.score(data.features.view(), 1);
      for (Index i = 0; i < data.n_rows(); ++i) {
        EXPECT_NEAR(a.posterior(i, 0), b.posterior(i, 1), 1e-9);
        expect_same_ratio(a.log_ratio[static_cast<std::size_t>(i)], b.log_ratio[static_cast<std::size_t>(i)],
                          1e-9);
      }
    }
}

TEST(Invariance, ShiftAndScale) {
  const Dataset data = two_classes(300, 80, 100);
  Dataset moved = data;
  for (Index i = 0; i < data.n_rows(); ++i) {
    moved.features(i, 0) = 1e5 + 40.0 * data.features(i, 0);
    moved.features(i, 1) = -3.0 + 1e-4 * data.features(i, 1);
  }
  for (const Method method : all_methods) {
    const LearningOptions options = quick(method);
    const Scores a = fit_classifier(data, options).classifier.score(data.features.view(), 1);
    const Scores b = fit_classifier(moved, options).classifier.score(moved.features.view(), 1);
    for (std::size_t i = 0; i < a.prediction.size(); ++i) {
      EXPECT_NEAR(a.error_probability[i], b.error_probability[i], 1e-6);
      expect_same_ratio(a.log_ratio[i], b.log_ratio[i], 1e-5);
    }
  }
}

TEST(Invariance, RowOrderWhereNothingIsDrawn) {
  // One component: no start to draw. A given kappa: no folds to deal. Soft labels: none to draw.
  const Dataset data = two_classes(300, 80, 100);
  Dataset reversed = data;
  const Index n = data.n_rows();
  for (Index i = 0; i < n; ++i) {
    std::copy_n(data.features.row(n - 1 - i), 2, reversed.features.row(i));
    reversed.labels[static_cast<std::size_t>(i)] = data.labels[static_cast<std::size_t>(n - 1 - i)];
  }
  for (const Method method : all_methods) {
    LearningOptions options = quick(method);
    options.density = VbMixtureOptions{.components = 1};
    options.kappa = 0.0;
    const Scores a = fit_classifier(data, options).classifier.score(data.features.view(), 1);
    const Scores b = fit_classifier(reversed, options).classifier.score(data.features.view(), 1);
    for (std::size_t i = 0; i < a.prediction.size(); ++i)
      EXPECT_NEAR(a.error_probability[i], b.error_probability[i], 1e-9);
  }
}

TEST(Invariance, WeightZeroIsNoRow) {
  const Dataset data = two_classes(300, 80, 100);
  Dataset some = data;
  some.features = Matrix(200, 2);
  some.labels.clear();
  Dataset weighted = data;
  for (Index i = 0; i < 400; ++i) {
    weighted.weights.push_back(i % 2 == 0 ? 1.0 : 0.0);
    if (i % 2 != 0) continue;
    std::copy_n(data.features.row(i), 2, some.features.row(i / 2));
    some.labels.push_back(data.labels[static_cast<std::size_t>(i)]);
  }
  for (const ConditionalForm form : {ConditionalForm::densities, ConditionalForm::stack}) {
    LearningOptions options = quick(Method::mar);
    options.conditional = form;
    const Scores a = fit_classifier(some, options).classifier.score(data.features.view(), 1);
    const Scores b = fit_classifier(weighted, options).classifier.score(data.features.view(), 1);
    EXPECT_EQ(a.error_probability, b.error_probability);
  }
}

TEST(Invariance, WeightTwoIsTheRowTwice) {
  Dataset data = two_classes(100, 40, 30);
  Dataset doubled = data;
  doubled.features = Matrix(2 * data.n_rows(), 2);
  doubled.labels.clear();
  for (Index i = 0; i < data.n_rows(); ++i)
    for (const Index copy : {2 * i, 2 * i + 1}) {
      std::copy_n(data.features.row(i), 2, doubled.features.row(copy));
      doubled.labels.push_back(data.labels[static_cast<std::size_t>(i)]);
    }
  data.weights.assign(static_cast<std::size_t>(data.n_rows()), 2.0);
  for (const Method method : all_methods) {
    LearningOptions options = quick(method);
    options.density = VbMixtureOptions{.components = 1};
    options.kappa = 0.0;
    const FitResult weighted = fit_classifier(data, options);
    const FitResult repeated = fit_classifier(doubled, options);
    EXPECT_NEAR(weighted.summary.informative_weight, repeated.summary.informative_weight, 1e-12);
    const Scores a = weighted.classifier.score(data.features.view(), 1);
    const Scores b = repeated.classifier.score(data.features.view(), 1);
    for (std::size_t i = 0; i < a.prediction.size(); ++i)
      EXPECT_NEAR(a.error_probability[i], b.error_probability[i], 1e-9);
  }
}

TEST(Determinism, SameBitsForAnyNumberOfThreadsAndAnyGrouping) {
  const Dataset data = two_classes(9000, 500, 1000);
  for (const bool soft : {true, false}) {
    LearningOptions options = quick(Method::mar);
    options.draws = soft ? Draws(SoftLabels{}) : Draws(Index{2});
    options.threads = 1;
    const GenerativeClassifier one = fit_classifier(data, options).classifier;
    options.threads = 3;
    const GenerativeClassifier three = fit_classifier(data, options).classifier;
    const Scores a = one.score(data.features.view(), 1);
    const Scores b = three.score(data.features.view(), 2);
    EXPECT_EQ(a.error_probability, b.error_probability);
    EXPECT_EQ(a.log_ratio, b.log_ratio);
    for (const Index first : {0, 1, 777, 9999}) { // one row alone says the same as among others
      const Scores alone = one.score(data.features.view().middle_rows(first, 1), 1);
      EXPECT_EQ(alone.error_probability[0], a.error_probability[static_cast<std::size_t>(first)]);
    }
  }
}

TEST(Persistence, SavedAndLoadedGivesTheSameBits) {
  Dataset data = two_classes(300, 80, 100);
  data.class_names.emplace_back("no rows, \"quoted\"");
  for (const Method method : all_methods) {
    const GenerativeClassifier classifier = fit_classifier(data, quick(method)).classifier;
    Archive archive;
    classifier.save(archive, "m/");
    const GenerativeClassifier loaded = GenerativeClassifier::load(archive, "m/");
    EXPECT_EQ(loaded.parts().class_names, data.class_names);
    EXPECT_EQ(loaded.score(data.features.view(), 1).error_probability,
              classifier.score(data.features.view(), 1).error_probability);
  }
}

} // namespace
} // namespace lacuna
