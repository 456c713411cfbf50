// The stack, its region and its trust as one classifier: what the whole promises on small data, its corners,
// and that threads and files change nothing.

#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "core/index.hpp"
#include "experiments/toys.hpp"
#include "learning/stacked_model.hpp"
#include "learning/stacked_scorer.hpp"
#include "tests/expect_error.hpp"
#include "tests/learning/test_data.hpp"

namespace lacuna::stacked_test {
namespace {

using test::expect_error;
using testing::two_classes;

LearningOptions stacked(std::uint64_t seed = 0) {
  LearningOptions options;
  options.conditional = ConditionalForm::stack;
  options.seed = seed;
  options.threads = 1;
  return options;
}

class Warnings : public Observer {
public:
  void warning(std::string_view text) override { all += std::string(text) + "\n"; }
  bool mention(std::string_view words) const { return all.find(words) != std::string::npos; }
  std::string all;
};

void expect_valid(const Scores& scores) {
  for (std::size_t i = 0; i < scores.prediction.size(); ++i) {
    const double* const p = scores.posterior.row(static_cast<Index>(i));
    ASSERT_NEAR(std::accumulate(p, p + scores.posterior.n_cols(), 0.0), 1.0, 1e-9);
    ASSERT_NEAR(scores.error_probability[i], 1.0 - p[scores.prediction[i]], 1e-9);
    for (Index y = 0; y < scores.posterior.n_cols(); ++y) {
      ASSERT_GE(p[y], 0.0);
      ASSERT_LE(p[y], p[scores.prediction[i]] + 1e-12);
    }
    ASSERT_FALSE(std::isnan(scores.log_ratio[i]));
  }
}

/// Probabilities as an answer has them.
std::vector<double> logs(std::vector<double> p) {
  for (double& value : p) value = std::log(value);
  return p;
}

TEST(OutsideShare, IsHalfAtTheThreshold) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(outside_share(0.7, 0.7), 0.5);
  EXPECT_NEAR(outside_share(0.7 + 0.5 * region_edge, 0.7), 5.0 / 32.0, 1e-12); // u = 1/4
  EXPECT_NEAR(outside_share(0.7 - 0.5 * region_edge, 0.7), 27.0 / 32.0, 1e-12);
  EXPECT_EQ(outside_share(region_edge, 0.0), 0.0); // the edge ends
  EXPECT_EQ(outside_share(-region_edge, 0.0), 1.0);
  EXPECT_EQ(outside_share(infinity, 0.0), 0.0);
  EXPECT_EQ(outside_share(-infinity, 0.0), 1.0);
}

TEST(Disagreement, IsTheMeanDistanceFromTheMean) {
  const Matrix sure(1, 2, logs({0.9, 0.1}));
  const Matrix unsure(1, 2, logs({0.5, 0.5}));
  EXPECT_NEAR(disagreements({sure, sure}, {0.5, 0.5})[0], 0.0, 1e-12);
  EXPECT_NEAR(disagreements({sure, unsure}, {0.5, 0.5})[0], 0.2, 1e-12);
  // Weights .8 and .2 count as .75 and .25: each has a tenth more.
  EXPECT_NEAR(disagreements({sure, unsure}, {0.8, 0.2})[0], 0.75 * 0.1 + 0.25 * 0.3, 1e-12);
  // A member that is not fitted has no say.
  EXPECT_NEAR(disagreements({sure, unsure, sure}, {0.5, 0.5, 1e-4})[0], 0.2, 1e-12);
}

/// What answer_row needs of a model: no more than trust and hardly labeled classes.
StackedModel bare_model(std::vector<Trust> trust, HardlyLabeled hardly_labeled) {
  return {nullptr,          RatioModel({}, nullptr),   nullptr, nullptr,
          std::move(trust), std::move(hardly_labeled), 0.0,     {}};
}

/// Trust of 1 up to depth `deepest`: gaps in which extrapolation always held.
Trust full_trust(double deepest) {
  std::vector<HiddenRow> rows;
  for (int i = 0; i < 400; ++i) {
    HiddenRow row;
    row.episode = i / 20;
    row.outside = 1.0;
    row.error_probability = 0.3;
    row.signals = Signals::of(deepest, 0.0, 0.0, 0.0);
    rows.push_back(row);
  }
  return Trust::fit(rows, 2, 1000);
}

TEST(StackOptions, WhatOnlyAStackCanDoNeedsOne) {
  LearningOptions options;
  options.conditional = ConditionalForm::densities;
  options.region = Region::classifier;
  options.trust = TrustForm::worst;
  expect_error(ErrorKind::usage, {"region", "trust", "conditional"}, [&] { check_options(options); });
}

TEST(Answer, FollowsTheFormula) {
  // docs/math/trust.md, eq. 1, with hardly labeled classes: h = (0, 0, 1), m = 2/3, U = (1, 1, 7) / 9; of 48
  // labels the class without one is m n / 1 = 32 times as frequent as among the labels.
  const HardlyLabeled hard{{0.0, 0.0, 1.0}, 2.0 / 3.0, 48.0 / 148.0, {1.0, 1.0, 32.0}};
  const std::vector<double> p = {0.6, 0.39, 0.01};
  const std::vector<double> other = {1.0 / 9.0, 1.0 / 9.0, 7.0 / 9.0};
  const double total = 0.99 + 0.01 * 32.0;
  std::vector<double> posterior(3);
  for (const double ratio : {3.0, 0.1, -1.0}) {
    const StackedAnswer answer =
        answer_row(bare_model({full_trust(3.0)}, hard), 0.0, {logs(p), ratio, 0.0, 0.0, 0.0}, posterior);
    const double rho = outside_share(ratio, 0.0);
    EXPECT_EQ(answer.outside, rho);
    // t = 1. What goes to the class without a label is kept whole.
    const std::vector<double> kept = {0.6 / 3.0 / total, 0.39 / 3.0 / total, 0.01 * 32.0 / total};
    const double rest = 1.0 - kept[0] - kept[1] - kept[2];
    EXPECT_NEAR(answer.trust, rho > 0.0 ? 1.0 - rest : 0.0, 1e-12);
    for (std::size_t y = 0; y < 3; ++y)
      EXPECT_NEAR(posterior[y], (1.0 - rho) * p[y] + rho * (kept[y] + rest * other[y]), 1e-12);
    EXPECT_NEAR(std::accumulate(posterior.begin(), posterior.end(), 0.0), 1.0, 1e-12);
  }
}

TEST(Answer, AnExtrapolationToAHardClassIsDoubtedLess) {
  // 24, 24 and 2 labels, m = 5/9: the shift is (5/9 + 4/9 * 2/50) * 50/2.
  const StackedModel model =
      bare_model({full_trust(3.0)}, {{0.0, 0.0, 5.0 / 6.0}, 5.0 / 9.0, 1.0 / 3.0, {1.0, 1.0, 43.0 / 3.0}});
  const auto probability_of = [&](std::size_t y, const std::vector<double>& p) {
    std::vector<double> posterior(3);
    answer_row(model, 0.0, {logs(p), -3.0, 0.0, 0.0, 0.0}, posterior);
    return posterior[y];
  };
  EXPECT_GT(probability_of(2, {0.1, 0.1, 0.8}), 0.8);
  // At most 4/9 of it is kept, and U adds at most 4/27 of the rest.
  EXPECT_LT(probability_of(0, {0.8, 0.1, 0.1}), 4.0 / 9.0 + 5.0 / 9.0 * 4.0 / 27.0);
}

TEST(Answer, TheLeastTrustCounts) {
  std::vector<double> posterior(2);
  const std::vector<double> log_p = logs({0.7, 0.3});
  const StackedRow deep{log_p, -6.0, 0.0, 0.0, 0.0};
  const HardlyLabeled none = HardlyLabeled::of({50.0, 50.0}, 0.5);
  EXPECT_EQ(answer_row(bare_model({full_trust(6.0)}, none), 0.0, deep, posterior).trust, 1.0);
  EXPECT_NEAR(posterior[0], 0.7, 1e-12);
  EXPECT_EQ(answer_row(bare_model({full_trust(6.0), Trust()}, none), 0.0, deep, posterior).trust, 0.0);
  EXPECT_NEAR(posterior[0], 0.5, 1e-6);
  EXPECT_EQ(answer_row(bare_model({}, none), 0.0, deep, posterior).trust, 0.0);
}

/// Means over a region of a toy's test rows.
struct RegionMeans {
  double announced = 0.0;
  double made = 0.0;
};

RegionMeans means_of(const Toy& toy, const Scores& scores, bool never_labeled) {
  RegionMeans means;
  double n = 0.0;
  for (std::size_t i = 0; i < toy.never_labeled.size(); ++i) {
    if ((toy.never_labeled[i] != 0) != never_labeled) continue;
    means.announced += scores.error_probability[i];
    means.made += scores.prediction[i] != toy.test.labels[i] ? 1.0 : 0.0;
    n += 1.0;
  }
  return {means.announced / n, means.made / n};
}

void expect_ignorance(const char* name, Region region) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Toy toy = make_toy(name, seed);
    LearningOptions options = stacked(seed);
    options.region = region;
    const Scores scores = fit_classifier(toy.train, options).classifier.score(toy.test.features.view(), 1);
    EXPECT_GE(means_of(toy, scores, true).announced, 0.45) << name << seed;
    // Where labels are the Bayes error of both toys is below .001.
    const RegionMeans common = means_of(toy, scores, false);
    EXPECT_LE(common.made, 0.01) << name << seed;
    EXPECT_NEAR(common.announced, common.made, 0.03) << name << seed;
  }
}

TEST(Stacked, SlowCoinHasNothingToExtrapolate) {
  expect_ignorance("coin", Region::automatic);
  expect_ignorance("coin", Region::classifier);
}

TEST(Stacked, SlowQuadrantsHaveNothingToExtrapolate) {
  expect_ignorance("quadrants", Region::automatic);
  expect_ignorance("quadrants", Region::classifier);
}

/// Standard normal rows; the first `n_labeled` have a label that says nothing.
Dataset noise(Index n, Index n_labeled, Index d, std::uint64_t seed) {
  return testing::drawn_rows(n, d, seed, [&](RandomStream& random, Index i, std::span<double> row) {
    testing::draw_normal(random, row);
    return i >= n_labeled ? missing_label : random.uniform() < 0.5 ? 1 : 0;
  });
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

TEST(Stacked, SlowLabelsThatAreNoiseAreRecognised) {
  struct Case {
    Index d;
    Index n_labeled;
  };
  constexpr int n_seeds = 4;
  for (const Case& each : {Case{2, 200}, Case{8, 500}, Case{20, 500}}) {
    double announced = 0.0;
    for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
      const Dataset train = noise(each.n_labeled + 1000, each.n_labeled, each.d, seed);
      const Dataset test = noise(1000, 0, each.d, seed + 1000);
      const GenerativeClassifier classifier = fit_classifier(train, stacked(seed)).classifier;
      announced += mean_of(classifier.score(test.features.view(), 1).error_probability) / n_seeds;
    }
    EXPECT_NEAR(announced, 0.5, 0.02) << each.d;
  }
}

TEST(Stacked, WhatLiesInsideIsHardlyDoubted) {
  // Classes six standard deviations apart, labels missing by lot but for a far blob.
  const Dataset data = two_classes(400, 120, 100);
  LearningOptions options = stacked();
  options.region = Region::classifier;
  options.trust = TrustForm::none;
  const GenerativeClassifier classifier = fit_classifier(data, options).classifier;
  const Scores inside = classifier.score(data.features.view().middle_rows(120, 280), 1);
  EXPECT_LT(mean_of(inside.error_probability), 0.05);
}

TEST(Stacked, FarRowsAreUnknown) {
  for (const Region region : {Region::densities, Region::classifier})
    for (const int n_classes : {2, 3}) {
      Dataset data = two_classes(300, 120, 50);
      if (n_classes == 3) {
        data.class_names.emplace_back("c");
        for (std::size_t i = 0; i < 120; i += 3) data.labels[i] = 2;
      }
      LearningOptions options = stacked();
      options.region = region;
      const Matrix far(4, 2, {400.0, 0.0, 0.0, 400.0, -300.0, -300.0, 1e6, -1e6});
      const Scores scores = fit_classifier(data, options).classifier.score(far.view(), 1);
      expect_valid(scores);
      for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_NEAR(scores.error_probability[i], 1.0 - 1.0 / n_classes, 0.01) << i;
        EXPECT_EQ(scores.informative[i], 0);
      }
    }
}

TEST(Stacked, PredictsWhatTheStackWouldGuessWhereNothingIsTrusted) {
  const Toy toy = make_toy("quadrants", 1);
  LearningOptions options = stacked(1);
  options.trust = TrustForm::none;
  const GenerativeClassifier classifier = fit_classifier(toy.train, options).classifier;
  const MatrixView rows = toy.test.features.view().middle_rows(0, 2000);
  const Scores scores = classifier.score(rows, 1);
  const StackAnswers stack(*classifier.parts().stacked->conditional, rows);
  Index n_other = 0;
  for (std::size_t i = 0; i < scores.prediction.size(); ++i)
    n_other += scores.prediction[i] == (stack.log_p[2 * i + 1] > stack.log_p[2 * i] ? 1 : 0) ? 0 : 1;
  EXPECT_EQ(n_other, 0);
}

TEST(Stacked, TrustFromNoneToWorst) {
  const Toy toy = make_toy("quadrants", 2);
  const MatrixView rows = toy.test.features.view().middle_rows(0, 2000);
  const auto fit = [&](TrustForm trust) {
    LearningOptions options = stacked(2);
    options.trust = trust;
    return fit_classifier(toy.train, options);
  };
  const FitResult none = fit(TrustForm::none);
  EXPECT_TRUE(none.classifier.parts().stacked->trust.empty());
  EXPECT_TRUE(none.summary.stack.gaps.empty());
  const Scores without = none.classifier.score(rows, 1);
  const Scores worst = fit(TrustForm::worst).classifier.score(rows, 1);
  const Scores regions = fit(TrustForm::regions).classifier.score(rows, 1);
  EXPECT_EQ(regions.log_ratio, without.log_ratio); // trust has no say in the region
  for (std::size_t i = 0; i < without.prediction.size(); ++i) {
    if (without.log_ratio[i] < none.summary.kappa - 3.0) {
      EXPECT_NEAR(without.error_probability[i], 0.5, 1e-3);
    }
    EXPECT_GE(without.error_probability[i], worst.error_probability[i] - 1e-12);
    EXPECT_GE(worst.error_probability[i], regions.error_probability[i] - 1e-12);
  }
}

TEST(Stacked, SameBitsForAnyNumberOfThreadsAndAnyGrouping) {
  const Dataset data = two_classes(1200, 120, 100);
  for (const Region region : {Region::densities, Region::classifier}) {
    LearningOptions options = stacked(4);
    options.region = region;
    const FitResult one = fit_classifier(data, options);
    options.threads = 2;
    const FitResult two = fit_classifier(data, options);
    EXPECT_EQ(one.summary.kappa, two.summary.kappa);
    EXPECT_EQ(one.summary.stack.deepest, two.summary.stack.deepest);
    const Scores a = one.classifier.score(data.features.view(), 1);
    const Scores b = two.classifier.score(data.features.view(), 2);
    EXPECT_EQ(a.error_probability, b.error_probability);
    EXPECT_EQ(a.log_ratio, b.log_ratio);
    for (const Index first : {0, 1, 777, 1299}) { // one row alone says the same as among others
      const Scores alone = one.classifier.score(data.features.view().middle_rows(first, 1), 1);
      EXPECT_EQ(alone.error_probability[0], a.error_probability[at(first)]);
    }
  }
}

TEST(Stacked, SavedAndLoadedGivesTheSameBits) {
  Dataset data = two_classes(400, 120, 100);
  data.class_names.emplace_back("no rows, \"quoted\"");
  LearningOptions options = stacked();
  for (const bool by_classifier : {false, true}) {
    options.region = by_classifier ? Region::classifier : Region::densities;
    options.trust = by_classifier ? TrustForm::none : TrustForm::worst;
    const GenerativeClassifier classifier = fit_classifier(data, options).classifier;
    Archive archive;
    classifier.save(archive, "m/");
    const GenerativeClassifier loaded = GenerativeClassifier::load(archive, "m/");
    const Scores a = classifier.score(data.features.view(), 1);
    const Scores b = loaded.score(data.features.view(), 1);
    EXPECT_EQ(a.error_probability, b.error_probability);
    EXPECT_EQ(a.log_ratio, b.log_ratio);
    EXPECT_EQ(a.prediction, b.prediction);
  }
}

TEST(Stacked, DamagedArchivesAreRefused) {
  LearningOptions options = stacked();
  options.region = Region::classifier;
  options.trust = TrustForm::none;
  Archive whole;
  fit_classifier(two_classes(100, 60, 20), options).classifier.save(whole, "");
  const auto expect_damage = [&](const std::string& name, auto value, const std::string& word) {
    Archive archive = whole;
    archive.put(name, value);
    expect_error(ErrorKind::data, {word}, [&] { GenerativeClassifier::load(archive, ""); });
  };
  expect_damage("stacked/hardness", std::vector{0.5, 1.5}, "hardness");
  expect_damage("stacked/hardness", std::vector{0.5}, "hardness");
  expect_damage("stacked/hardly_labeled_share", 2.0, "hardly_labeled_share");
  expect_damage("stacked/hardly_labeled_share", 0.5, "hardly_labeled_share"); // of no class
  expect_damage("stacked/hardly_labeled_belief", -0.1, "hardly_labeled_belief");
  expect_damage("stacked/hardly_labeled_shift", std::vector{1.0, 0.5}, "hardly_labeled_shift");
  expect_damage("stacked/n_trust", 99.0, "n_trust");
  expect_damage("stacked/share/overall", 0.0, "overall");
}

TEST(Stacked, SaysHowItCameAbout) {
  const Toy toy = make_toy("coin", 3);
  const StackSummary stack = fit_classifier(toy.train, stacked(3)).summary.stack;
  double total = 0.0;
  for (const MemberRecord& member : stack.members) {
    total += member.weight;
    EXPECT_LE(member.log_likelihood, 0.0);
  }
  EXPECT_NEAR(total, 1.0, 1e-9);
  EXPECT_GE(stack.members.size(), 3U);
  EXPECT_EQ(stack.region,
            stack.region_by_densities > stack.region_by_classifier ? Region::densities : Region::classifier);
  EXPECT_GE(stack.gaps.size(), 12U);
  for (const GapRecord& gap : stack.gaps) {
    EXPECT_GE(gap.n_rows, 5);
    for (const double share : {gap.announced, gap.made, gap.worth}) {
      EXPECT_GE(share, 0.0);
      EXPECT_LE(share, 1.0);
    }
  }
  for (const SelfCheck& check : {stack.all, stack.deep}) {
    EXPECT_LE(check.low, check.made);
    EXPECT_GE(check.high, check.made);
  }
  EXPECT_EQ(stack.all.n_rows, 250);
  EXPECT_EQ(stack.deep.n_rows, 25);
  // No error among n rows: Wilson's interval ends at z^2 / (n + z^2).
  EXPECT_EQ(stack.all.made, 0.0);
  EXPECT_NEAR(stack.all.high, 1.96 * 1.96 / (250.0 + 1.96 * 1.96), 1e-9);
}

TEST(Stacked, PaperIsWithout) {
  const Dataset data = two_classes(300, 80, 100);
  LearningOptions options = stacked();
  apply_paper_preset(options);
  const FitResult fit = fit_classifier(data, options);
  EXPECT_EQ(fit.classifier.parts().stacked, nullptr);
  EXPECT_TRUE(fit.summary.stack.members.empty());
  LearningOptions plain;
  apply_paper_preset(plain);
  EXPECT_EQ(fit.classifier.score(data.features.view(), 1).error_probability,
            fit_classifier(data, plain).classifier.score(data.features.view(), 1).error_probability);
}

TEST(StackedCorners, AClassWithOneLabel) {
  Dataset data = two_classes(200, 60, 50);
  data.class_names.emplace_back("c");
  data.labels[61] = 2;
  const FitResult fit = fit_classifier(data, stacked());
  EXPECT_EQ(fit.summary.class_counts, (std::vector<Index>{30, 30, 1}));
  expect_valid(fit.classifier.score(data.features.view(), 1));
  EXPECT_GT(fit.classifier.parts().stacked->hardly_labeled.share, 0.0);
}

TEST(StackedCorners, AClassWithoutLabelsLivesOutside) {
  Dataset data = two_classes(300, 100, 150);
  data.class_names.emplace_back("c");
  const FitResult fit = fit_classifier(data, stacked());
  expect_valid(fit.classifier.score(data.features.view(), 1));
  const Matrix probes(2, 2, {0.0, 12.0, -3.0, 0.0});
  const Scores scores = fit.classifier.score(probes.view(), 1);
  EXPECT_EQ(scores.prediction[0], 2); // a third of all rows is outside, and a third of all classes
  EXPECT_GT(scores.error_probability[0], 0.3 * 2.0 / 3.0 - 1e-9); // but others may live there too
  EXPECT_LT(scores.posterior(1, 2), 0.05);
}

TEST(StackedCorners, NoUnlabeledRows) {
  const Dataset data = two_classes(80, 80, 0);
  const FitResult fit = fit_classifier(data, stacked());
  EXPECT_EQ(fit.summary.informative_share, 1.0);
  const Scores scores = fit.classifier.score(data.features.view(), 1);
  expect_valid(scores);
  for (std::size_t i = 0; i < scores.prediction.size(); ++i) {
    EXPECT_EQ(scores.prediction[i], data.labels[i]);
    EXPECT_EQ(scores.informative[i], 1);
  }
  EXPECT_EQ(fit.summary.stack.all.n_rows, 80); // the self-check needs none
}

TEST(StackedCorners, OneLabeledClass) {
  Dataset data = two_classes(200, 80, 0);
  for (int& label : data.labels)
    if (label == 1) label = missing_label;
  Warnings warnings;
  const FitResult fit = fit_classifier(data, stacked(), warnings);
  EXPECT_TRUE(warnings.mention("only class 'a'"));
  const Matrix probes(2, 2, {-3.0, 0.0, 3.0, 0.0});
  const Scores scores = fit.classifier.score(probes.view(), 1);
  expect_valid(scores);
  EXPECT_LT(scores.error_probability[0], 0.1);
  EXPECT_TRUE(scores.prediction[1] == 1 || scores.error_probability[1] > 0.45);
}

TEST(StackedCorners, ALabelOfEachClass) {
  const Dataset data = two_classes(100, 2, 20);
  const FitResult fit = fit_classifier(data, stacked());
  expect_valid(fit.classifier.score(data.features.view(), 1));
  EXPECT_EQ(fit.summary.stack.all.n_rows, 0); // nothing could be held out
}

TEST(StackedCorners, GapsAndCategories) {
  Dataset data = two_classes(200, 80, 50);
  Matrix features(250, 4);
  RandomStream random(8, RandomPurpose::simulation);
  for (Index i = 0; i < 250; ++i) {
    features(i, 0) = random.uniform() < 0.2 ? std::nan("") : data.features(i, 0);
    features(i, 1) = data.features(i, 1);
    features(i, 2) = std::floor(4.0 * random.uniform());
    features(i, 3) = random.uniform() < 0.1 ? std::nan("") : std::floor(2.0 * random.uniform());
  }
  data.features = features;
  data.feature_names = {"x1", "x2", "four", "two"};
  data.levels = {0, 0, 4, 2};
  const Matrix nothing(1, 4, std::vector<double>(4, std::nan("")));
  for (const Region region : {Region::densities, Region::classifier}) {
    LearningOptions options = stacked();
    options.region = region;
    const FitResult fit = fit_classifier(data, options);
    expect_valid(fit.classifier.score(data.features.view(), 1));
    expect_valid(fit.classifier.score(nothing.view(), 1));
  }
}

/// Runs in a process of its own, which has not yet looked for the library.
TEST(StackedDeathTest, WorksWithoutBoosting) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto fit_without = [] {
    setenv("LACUNA_XGBOOST_LIBRARY", "/nowhere/libxgboost.so", 1);
    const Dataset data = two_classes(200, 80, 50);
    Warnings warnings;
    const FitResult fit = fit_classifier(data, stacked(), warnings);
    const Scores scores = fit.classifier.score(data.features.view(), 1);
    Index n_wrong = 0;
    for (std::size_t i = 0; i < 80; ++i) n_wrong += scores.prediction[i] == data.labels[i] ? 0 : 1;
    const bool says_so = warnings.mention("boosted trees are left out");
    std::exit(says_so && n_wrong <= 2 && fit.summary.stack.members.size() == 4 ? 0 : 1);
  };
  EXPECT_EXIT(fit_without(), ::testing::ExitedWithCode(0), "");
}

} // namespace
} // namespace lacuna::stacked_test
