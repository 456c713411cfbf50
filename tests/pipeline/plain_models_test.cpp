#include "pipeline/plain_models.hpp"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "conditional/logistic.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/pipeline/compare.hpp"
#include "lacuna/pipeline/fit.hpp"

namespace lacuna::plain_test {
namespace {

using ::testing::DoubleNear;
using ::testing::ElementsAre;
using ::testing::StrEq;

auto near(double value) {
  return DoubleNear(value, 1e-12);
}

std::vector<double> calibrated(const ClassIsotonic& isotonic, std::vector<double> probabilities) {
  isotonic.apply(probabilities);
  return probabilities;
}

/// Two clouds, or one where the label is drawn; every third row has no label.
Dataset clouds(Index n, double distance) {
  Dataset data;
  data.features = Matrix(n, 2);
  data.class_names = {"a", "b"};
  RandomStream random(5, RandomPurpose::simulation);
  for (Index i = 0; i < n; ++i) {
    const int label = random.uniform() < 0.5 ? 0 : 1;
    data.features(i, 0) = distance * label + random.normal();
    data.features(i, 1) = random.normal();
    data.labels.push_back(i % 3 == 0 ? missing_label : label);
  }
  return data;
}

Model quick_model(const Dataset& data, const std::string& features) {
  FitOptions options;
  options.density = VbMixtureOptions{.components = 2};
  options.draws = SoftLabels{};
  options.features = parse_features(features);
  return fit(data, options);
}

TEST(ClassIsotonic, PoolsWhatFallsAndDrawsALineBetweenBlocks) {
  const Matrix p(4, 2, {0.9, 0.1, 0.8, 0.2, 0.7, 0.3, 0.6, 0.4});
  const std::vector<int> labels{0, 1, 0, 1};
  const std::vector<double> weights(4, 1.0);
  const ClassIsotonic isotonic({p.view(), labels, weights});
  // The frequency of the second class: 0 at 0.1, 1/2 from 0.2 to 0.3, 1 at 0.4.
  EXPECT_THAT(calibrated(isotonic, {0.75, 0.25}), ElementsAre(near(0.5), near(0.5)));
  EXPECT_THAT(calibrated(isotonic, {0.85, 0.15}), ElementsAre(near(0.75), near(0.25)));
  EXPECT_THAT(calibrated(isotonic, {1.0, 0.0}), ElementsAre(near(1.0), near(0.0)));
  EXPECT_THAT(calibrated(isotonic, {0.0, 1.0}), ElementsAre(near(0.0), near(1.0)));
}

TEST(ClassIsotonic, ClassesSumToOneAndWeightsAreRows) {
  // All classes say 1/3 of every row: each gets its frequency, 3/6, 2/6 and 1/6.
  const Matrix p(3, 3, std::vector<double>(9, 1.0 / 3.0));
  const std::vector<int> labels{0, 1, 2};
  const std::vector<double> weights{3.0, 2.0, 1.0};
  EXPECT_THAT(calibrated(ClassIsotonic({p.view(), labels, weights}), {0.1, 0.2, 0.7}),
              ElementsAre(near(0.5), near(1.0 / 3.0), near(1.0 / 6.0)));
  EXPECT_THAT(calibrated(ClassIsotonic(), {0.1, 0.9}), ElementsAre(0.1, 0.9));
  EXPECT_THAT(calibrated(ClassIsotonic(HeldOutProbabilities{}), {0.1, 0.9}), ElementsAre(0.1, 0.9));
}

TEST(ClassIsotonic, WhereEveryClassGetsZeroAllAreAlike) {
  const Matrix p(4, 3, {0.9, 0.1, 0.0, 0.1, 0.9, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0});
  const std::vector<int> labels{0, 1, 2, 2};
  const std::vector<double> weights(4, 1.0);
  EXPECT_THAT(calibrated(ClassIsotonic({p.view(), labels, weights}), {0.1, 0.1, 0.0}),
              ElementsAre(near(1.0 / 3.0), near(1.0 / 3.0), near(1.0 / 3.0)));
}

TEST(PlainModels, AreTheFamiliesOfTheLabeledRowsAlone) {
  const Dataset data = clouds(300, 2.0);
  const Model model = quick_model(data, "none");
  const PlainModels plain = fit_plain_models(model, data, 2, silent_observer());
  std::vector<std::string> names;
  for (const PlainModel& each : plain.models) names.push_back(each.name);
  EXPECT_THAT(names, ElementsAre(StrEq("logistic"), StrEq("logistic-isotonic"), StrEq("boosting"),
                                 StrEq("boosting-isotonic")));
  EXPECT_EQ(plain.left_out, "");
  // Without the unlabeled rows nothing changes.
  Dataset labeled = data;
  for (Index i = 0; i < data.n_rows(); ++i)
    if (!data.is_labeled(i)) labeled.features(i, 0) = 1e6;
  const PlainModels other = fit_plain_models(model, labeled, 1, silent_observer());
  const auto alone = LogisticFamily().fit(data, {});
  Matrix expected(data.n_rows(), 2);
  alone->log_probability(data.features.view(), expected.values());
  for (std::size_t m = 0; m < plain.models.size(); ++m) {
    const Matrix found = plain.models[m].probabilities(data.features.view(), 2);
    EXPECT_THAT(other.models[m].probabilities(data.features.view(), 1).values(),
                ::testing::ElementsAreArray(found.values()))
        << names[m];
    for (Index i = 0; i < data.n_rows(); ++i) EXPECT_NEAR(found(i, 0) + found(i, 1), 1.0, 1e-12);
    if (m > 0) continue;
    for (Index i = 0; i < data.n_rows(); ++i) EXPECT_NEAR(found(i, 1), std::exp(expected(i, 1)), 1e-12);
  }
}

TEST(PlainModels, IsotonicOnesLearnFromLabelsThatWereHeldOut) {
  // Labels that are noise. Trees remember those they saw; calibrated by these they would be as sure as they
  // are right about them. Held-out labels say that they know nothing.
  const Dataset data = clouds(600, 0.0);
  const PlainModels plain = fit_plain_models(quick_model(data, "none"), data, 1, silent_observer());
  const Matrix p = plain.models[2].probabilities(data.features.view(), 1);
  const Matrix calibrated_p = plain.models[3].probabilities(data.features.view(), 1);
  double n = 0.0;
  double right = 0.0;
  double sure = 0.0;
  for (Index i = 0; i < p.n_rows(); ++i) {
    if (!data.is_labeled(i)) continue;
    n += 1.0;
    right += (p(i, 1) > p(i, 0)) == (data.labels[static_cast<std::size_t>(i)] == 1) ? 1.0 : 0.0;
    sure += std::max(calibrated_p(i, 0), calibrated_p(i, 1));
  }
  EXPECT_GT(right / n, 0.65);
  EXPECT_LT(sure / n, 0.6);
}

TEST(PlainModels, SeeTheFeaturesThatTheMapsLeave) {
  const Dataset data = clouds(200, 3.0);
  const Model model = quick_model(data, "pca:1");
  const PlainModels plain = fit_plain_models(model, data, 1, silent_observer());
  EXPECT_EQ(plain.models.front().fitted->n_features(), 1);
  const Matrix direct =
      plain.models.front().probabilities(model.features.apply(data.features.view(), {}).view(), 1);
  EXPECT_THAT(plain_probabilities(plain.models.front(), model, data.features.view(), {}).values(),
              ::testing::ElementsAreArray(direct.values()));
}

TEST(Winner, IsSaidInPlainWords) {
  const Winner plain = find_winner({{"mar", false, 0.2}, {"logistic", true, 0.1}, {"boosting", true, 0.3}});
  EXPECT_TRUE(plain.is_plain);
  EXPECT_EQ(plain.words, "The plain model logistic wins: its brier_error of 0.1000 is the smallest; mar, the "
                         "best of lacuna's methods, has 0.2000.");
  const Winner ours = find_winner({{"supervised", false, 0.3}, {"mar", false, 0.1}, {"logistic", true, 0.1}});
  EXPECT_EQ(ours.name, "mar");
  EXPECT_EQ(ours.words,
            "mar wins: its brier_error of 0.1000 is the smallest; logistic, the best plain model, "
            "has 0.1000.");
  EXPECT_EQ(find_winner({{"mar", false, 0.5}}).words, "mar wins: its brier_error of 0.5000 is the smallest.");
}

} // namespace
} // namespace lacuna::plain_test
