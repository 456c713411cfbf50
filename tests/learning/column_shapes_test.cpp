// Difficult columns in whole fits: the densities see them in another shape, everybody else as they are.

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "density/shaped_density.hpp"
#include "learning/density_fitter.hpp"
#include "tests/density/test_data.hpp"
#include "tests/learning/test_data.hpp"

namespace lacuna::column_shapes_test {
namespace {

constexpr double missing = std::numeric_limits<double>::quiet_NaN();

/// Zero more often in class a, else with a long tail that begins further out in class b. Some cells are
/// missing; labels are where the plain number is positive.
Dataset difficult_rows(Index n, std::uint64_t seed) {
  Dataset data = testing::drawn_rows(n, 2, seed, [](RandomStream& random, Index i, std::span<double> row) {
    const int y = random.uniform() < 0.5 ? 0 : 1;
    const bool is_zero = random.uniform() < (y == 0 ? 0.7 : 0.3);
    row[0] = is_zero ? 0.0 : std::exp(1.5 * random.normal() + 2.0 * y);
    row[1] = random.normal();
    if (i % 50 == 7) row[0] = missing;
    return row[1] > 0.0 && random.uniform() < 0.4 ? y : missing_label;
  });
  data.feature_names = {"gain", "age"};
  return data;
}

LearningOptions with(ColumnShaping shaping, Method method = Method::mar) {
  LearningOptions options = testing::quick(method);
  options.column_shapes = shaping;
  return options;
}

TEST(ShapedColumns, AreNotedAndCanBeLeft) {
  const Dataset data = difficult_rows(800, 1);
  const FitResult shaped = fit_classifier(data, with(ColumnShaping::automatic));
  ASSERT_EQ(shaped.notes.size(), 1u);
  EXPECT_TRUE(shaped.notes[0].starts_with("columns taken as a spike and a number: gain (0)"))
      << shaped.notes[0];
  EXPECT_NE(dynamic_cast<const ShapedDensity*>(shaped.classifier.parts().initial.density[0].get()), nullptr);
  const FitResult plain = fit_classifier(data, with(ColumnShaping::plain));
  EXPECT_TRUE(plain.notes.empty());
  EXPECT_EQ(plain.classifier.parts().initial.density[0]->family(), "vb-gmm");
}

TEST(ShapedColumns, OfPresetPaperStayAsTheyAre) {
  LearningOptions options;
  apply_paper_preset(options);
  EXPECT_EQ(options.column_shapes, ColumnShaping::plain);
}

TEST(ShapedColumns, ChangeNoBitWhereNoneIsDifficult) {
  const Dataset data = testing::two_classes(300, 100, 100);
  const FitResult shaped = fit_classifier(data, with(ColumnShaping::automatic));
  const FitResult plain = fit_classifier(data, with(ColumnShaping::plain));
  EXPECT_TRUE(shaped.notes.empty());
  EXPECT_EQ(shaped.classifier.score(data.features.view(), 1).error_probability,
            plain.classifier.score(data.features.view(), 1).error_probability);
}

TEST(ShapedColumns, MakeTheLabelsLikelier) {
  double shaped = 0.0;
  double plain = 0.0;
  const auto log_likelihood = [](const Dataset& data, const Dataset& fresh, ColumnShaping shaping) {
    const FitResult fit = fit_classifier(data, with(shaping));
    const Scores scores = fit.classifier.score(fresh.features.view(), 1);
    double sum = 0.0;
    for (Index i = 0; i < fresh.n_rows(); ++i)
      if (fresh.is_labeled(i))
        sum += std::log(scores.posterior(i, fresh.labels[static_cast<std::size_t>(i)]));
    return sum;
  };
  double n_labeled = 0.0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Dataset data = difficult_rows(800, seed);
    const Dataset fresh = difficult_rows(2000, seed + 50);
    shaped += log_likelihood(data, fresh, ColumnShaping::automatic);
    plain += log_likelihood(data, fresh, ColumnShaping::plain);
    for (Index i = 0; i < fresh.n_rows(); ++i) n_labeled += fresh.is_labeled(i) ? 1.0 : 0.0;
  }
  EXPECT_GT(shaped / n_labeled, plain / n_labeled + 0.01);
}

TEST(ShapedColumns, ComeBackFromAnArchive) {
  const Dataset data = difficult_rows(800, 3);
  for (const Method method : testing::all_methods) {
    const FitResult fit = fit_classifier(data, with(ColumnShaping::automatic, method));
    Archive archive;
    fit.classifier.save(archive, "c/");
    const GenerativeClassifier back = GenerativeClassifier::load(archive, "c/");
    const Scores before = fit.classifier.score(data.features.view(), 1);
    const Scores after = back.score(data.features.view(), 1);
    EXPECT_EQ(before.error_probability, after.error_probability) << to_string(method);
    EXPECT_EQ(before.log_ratio, after.log_ratio) << to_string(method);
  }
}

TEST(ShapedColumns, OfAStackComeBackToo) {
  const Dataset data = difficult_rows(400, 3);
  LearningOptions options;
  options.density = VbMixtureOptions{.components = 2};
  const FitResult fit = fit_classifier(data, options);
  EXPECT_EQ(fit.notes.size(), 1u);
  Archive archive;
  fit.classifier.save(archive, "c/");
  EXPECT_EQ(fit.classifier.score(data.features.view(), 1).error_probability,
            GenerativeClassifier::load(archive, "c/").score(data.features.view(), 1).error_probability);
}

/// A log-like scale brings far rows near; the background sees them on the same scale, and stays the heavier.
TEST(ShapedColumns, RowsUnlikeAllOthersAreStillInDoubt) {
  const FitResult fit = fit_classifier(difficult_rows(800, 4), with(ColumnShaping::automatic));
  const Matrix far(2, 2, {1e60, 0.5, 10.0, 1e60});
  const Scores scores = fit.classifier.score(far.view(), 1);
  for (const double error : scores.error_probability) EXPECT_NEAR(error, 0.5, 0.01);
}

TEST(ShapedColumns, EmClimbsItsBound) {
  const FitResult fit =
      fit_classifier(difficult_rows(800, 5), with(ColumnShaping::automatic, Method::mcar_em));
  EXPECT_GT(testing::expect_rising(fit.summary.em_history), 1);
}

/// What Density::expected_log_density promises, in the units of the rows.
TEST(ShapedColumns, ObjectiveIsOfTheRowsAsTheyAre) {
  const Dataset data = difficult_rows(800, 6);
  const auto family = make_density_family(VbMixtureOptions{.components = 3, .tolerance = 1e-13});
  const DensityFitter fitter(data, *family, ColumnShaping::automatic, 1, silent_observer());
  RowList rows;
  for (Index i = 0; i < data.n_rows(); i += 2) rows.add(i, 1.0 + static_cast<double>(i % 3));
  const auto density = fitter.fit(rows, 1, 1);
  std::vector<double> values(static_cast<std::size_t>(data.n_rows()));
  density->expected_log_density(data.features.view(), values);
  double sum = -density->divergence();
  for (std::size_t i = 0; i < rows.rows.size(); ++i)
    sum += rows.weights[i] * values[static_cast<std::size_t>(rows.rows[i])];
  EXPECT_NEAR(density->summary().objective, sum, 1e-5 * std::abs(sum));
  // A warm start goes on from there.
  const auto again = fitter.fit(rows, 1, 1, density.get());
  EXPECT_LE(again->summary().n_iterations, 3);
  EXPECT_NEAR(again->summary().objective, density->summary().objective, 1e-6 * std::abs(sum));
}

TEST(ShapedColumns, WeightTwoIsTheRowTwice) {
  const Dataset data = difficult_rows(600, 7);
  const testing::RowsTwice twice(data.features);
  Dataset weighted = data;
  weighted.weights = twice.weights;
  Dataset repeated = data;
  repeated.features = twice.repeated;
  repeated.labels.clear();
  for (std::size_t i = 0; i < data.labels.size(); ++i)
    repeated.labels.insert(repeated.labels.end(), static_cast<std::size_t>(twice.weights[i]), data.labels[i]);
  LearningOptions options = with(ColumnShaping::automatic, Method::supervised);
  options.density = VbMixtureOptions{.components = 1}; // the start of several draws rows by lot
  options.shrinkage = 0.0;                             // folds would, too
  options.kappa = 0.0;
  const auto score = [&](const Dataset& from) {
    return fit_classifier(from, options).classifier.score(data.features.view(), 1).error_probability;
  };
  testing::expect_near(score(weighted), score(repeated), 1e-8);
}

TEST(ShapedColumns, ThreadsDoNotMatter) {
  const Dataset data = difficult_rows(800, 8);
  LearningOptions options = with(ColumnShaping::automatic);
  const auto score = [&](int threads) {
    options.threads = threads;
    return fit_classifier(data, options).classifier.score(data.features.view(), threads).error_probability;
  };
  EXPECT_EQ(score(1), score(4));
}

/// Mixtures that take no gaps have long tails shortened, and no spikes.
TEST(ShapedColumns, OfAGmmHaveNoSpikes) {
  Dataset data = difficult_rows(800, 9);
  for (double& cell : data.features.values())
    if (std::isnan(cell)) cell = 1.0;
  LearningOptions options = with(ColumnShaping::automatic);
  options.density = GmmOptions{.components = 2};
  const FitResult fit = fit_classifier(data, options);
  for (const std::string& note : fit.notes) EXPECT_EQ(note.find("spike"), std::string::npos) << note;
  options.density = "kde";
  EXPECT_TRUE(fit_classifier(data, options).notes.empty());
}

} // namespace
} // namespace lacuna::column_shapes_test
