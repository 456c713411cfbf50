// Which class is predicted, above all where labels say nothing.

#include <cmath>
#include <memory>
#include <numeric>

#include <gtest/gtest.h>

#include "experiments/toys.hpp"
#include "tests/learning/test_data.hpp"

namespace lacuna::prediction_test {
namespace {

using testing::quick;
using testing::two_classes;
using testing::UnitGaussian;

/// Classes around the given places on a line, all equally likely, and a class-independent part around 0.
GenerativeClassifier::Parts parts_on_a_line(const std::vector<double>& places) {
  GenerativeClassifier::Parts parts;
  ClassModel model;
  for (std::size_t y = 0; y < places.size(); ++y) {
    parts.class_names.push_back(std::to_string(y));
    model.probability.push_back(1.0 / static_cast<double>(places.size()));
    model.density.push_back(std::make_shared<UnitGaussian>(std::vector<double>{places[y]}));
  }
  parts.initial = model;
  parts.draws = {model};
  parts.informative_weight = 0.5;
  parts.uninformative = parts.initial_unlabeled = std::make_shared<UnitGaussian>(std::vector<double>{0.0});
  return parts;
}

TEST(Prediction, IsTheBestInsideClassHoweverSmallTheInsidePartIs) {
  // Classes 40 and 39 away: their densities, e^-800 and e^-760.5, are far below the last digit of the common
  // part, and all posterior probabilities are equal.
  const GenerativeClassifier classifier(parts_on_a_line({-40.0, 39.0, 41.0}));
  const Scores scores = classifier.score(Matrix(1, 1, {0.0}).view(), 1);
  for (Index y = 0; y < 3; ++y) EXPECT_EQ(scores.posterior(0, y), 1.0 / 3.0);
  EXPECT_EQ(scores.prediction[0], 1);
  EXPECT_DOUBLE_EQ(scores.error_probability[0], 2.0 / 3.0);
}

TEST(Prediction, OfModelsOfTheFirstVersionIsWhatItWas) {
  GenerativeClassifier::Parts parts = parts_on_a_line({-40.0, 39.0, 41.0});
  parts.guesses_late = true;
  EXPECT_EQ(GenerativeClassifier(parts).score(Matrix(1, 1, {0.0}).view(), 1).prediction[0], 0);

  // Such a model stays one when it is saved again.
  const Dataset data = two_classes(300, 80, 100);
  parts = fit_classifier(data, quick(Method::mar)).classifier.parts();
  EXPECT_FALSE(parts.guesses_late);
  for (const bool late : {false, true}) {
    parts.guesses_late = late;
    Archive archive;
    GenerativeClassifier(parts).save(archive, "");
    EXPECT_EQ(GenerativeClassifier::load(archive, "").parts().guesses_late, late);
  }
}

TEST(Prediction, IsTheFirstClassWhereTheInsidePartsTieToo) {
  const GenerativeClassifier classifier(parts_on_a_line({50.0, -40.0, 40.0}));
  EXPECT_EQ(classifier.score(Matrix(1, 1, {0.0}).view(), 1).prediction[0], 1);
}

TEST(Prediction, ByLotTakesEveryClassEquallyOftenWhereNothingIsKnown) {
  GenerativeClassifier::Parts parts = parts_on_a_line({-40.0, 39.0, 41.0});
  parts.ignorant = Ignorant::random;
  constexpr Index n = 30'000;
  Matrix rows(n, 1);
  for (Index i = 0; i < n; ++i) rows(i, 0) = 1e-6 * static_cast<double>(i);
  std::vector<double> count(3);
  for (const PosteriorForm form : {PosteriorForm::joint, PosteriorForm::product}) {
    parts.posterior = form;
    std::fill(count.begin(), count.end(), 0.0);
    const Scores scores = GenerativeClassifier(parts).score(rows.view(), 1);
    for (std::size_t i = 0; i < scores.prediction.size(); ++i) {
      ++count[static_cast<std::size_t>(scores.prediction[i])];
      EXPECT_NEAR(scores.error_probability[i], 2.0 / 3.0, 1e-12);
    }
    // Standard deviation of a count: sqrt(n 2/9) = 82; five of them, a false alarm in 300,000.
    for (const double found : count) EXPECT_NEAR(found, n / 3.0, 410.0);
  }
}

TEST(Prediction, ByLotAnnouncesTheErrorOfTheClassThatItShows) {
  // At x the outside part has the share rho: the guess is replaced in rho (K - 1) / K of the rows.
  GenerativeClassifier::Parts parts = parts_on_a_line({-1.5, 1.5});
  parts.ignorant = Ignorant::random;
  constexpr Index n = 40'000;
  Matrix rows(n, 1);
  for (Index i = 0; i < n; ++i) rows(i, 0) = 1.0 + 1e-9 * static_cast<double>(i);
  const Scores scores = GenerativeClassifier(parts).score(rows.view(), 1);
  const double near = std::exp(-0.125);
  const double far = std::exp(-3.125);
  const double outside = std::exp(-0.5);
  const double rho = outside / (0.5 * near + 0.5 * far + outside);
  double n_replaced = 0.0;
  for (Index i = 0; i < n; ++i) {
    const auto row = static_cast<std::size_t>(i);
    if (scores.prediction[row] == 0) ++n_replaced;
    ASSERT_NEAR(scores.error_probability[row], 1.0 - scores.posterior(i, scores.prediction[row]), 1e-12);
  }
  // Standard deviation below sqrt(n / 4) = 100; five of them.
  EXPECT_NEAR(n_replaced, 0.5 * rho * n, 500.0);
}

TEST(Prediction, ByLotDependsOnNothingButTheRow) {
  const Dataset data = two_classes(3000, 100, 1000);
  LearningOptions options = quick(Method::mar);
  options.ignorant = Ignorant::random;
  const FitResult fit = fit_classifier(data, options);
  const Scores all = fit.classifier.score(data.features.view(), 1);
  EXPECT_EQ(fit.classifier.score(data.features.view(), 3).prediction, all.prediction);
  for (const Index i : {0, 1, 1023, 1024, 3001, 3999}) {
    const Scores alone = fit.classifier.score(data.features.view().middle_rows(i, 1), 1);
    EXPECT_EQ(alone.prediction[0], all.prediction[static_cast<std::size_t>(i)]);
  }
  Archive archive;
  fit.classifier.save(archive, "");
  EXPECT_EQ(GenerativeClassifier::load(archive, "").score(data.features.view(), 1).prediction,
            all.prediction);

  // The posterior is that of the guess, and so is the spread between draws.
  options.ignorant = Ignorant::guess;
  const FitResult guess = fit_classifier(data, options);
  const Scores guessed = guess.classifier.score(data.features.view(), 1);
  EXPECT_NE(guessed.prediction, all.prediction);
  for (Index i = 0; i < data.n_rows(); ++i) EXPECT_EQ(guessed.posterior(i, 0), all.posterior(i, 0));
  EXPECT_EQ(guess.summary.draw_spread, fit.summary.draw_spread);
}

TEST(Prediction, ByLotTakesARowWithoutValues) {
  Dataset data = two_classes(300, 100, 100);
  LearningOptions options = quick(Method::mar);
  options.ignorant = Ignorant::random;
  const Matrix gaps(2, 2, {std::nan(""), std::nan("1"), -0.0, 0.0});
  const Scores scores = fit_classifier(data, options).classifier.score(gaps.view(), 1);
  EXPECT_GE(scores.prediction[0], 0);
  EXPECT_LE(scores.prediction[0], 1);
}

TEST(Toys, QuadrantsByLotErrsAtTheRateItAnnounces) {
  // Where no label was seen, over 10 seeds. A guess is right or wrong for a whole blob at once; a lot is not.
  // Some 50,000 rows: the standard deviation of the error rate is 0.0022; five of them, and the small share
  // of the inside part there.
  double errors = 0.0;
  double announced = 0.0;
  double n = 0.0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Toy toy = make_toy("quadrants", seed);
    LearningOptions options;
    options.seed = seed;
    options.ignorant = Ignorant::random;
    options.trust =
        TrustForm::none; // else an extrapolation has a say, which is right or wrong for all at once
    const Scores scores = fit_classifier(toy.train, options).classifier.score(toy.test.features.view(), 0);
    for (std::size_t i = 0; i < scores.prediction.size(); ++i) {
      if (toy.never_labeled[i] == 0) continue;
      ++n;
      errors += scores.prediction[i] != toy.test.labels[i] ? 1.0 : 0.0;
      announced += scores.error_probability[i];
    }
  }
  EXPECT_NEAR(errors / n, 0.5, 0.03);
  EXPECT_NEAR(errors / n, announced / n, 0.03);
}

} // namespace
} // namespace lacuna::prediction_test
