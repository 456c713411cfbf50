// The four methods: corners of the algorithm, and the posterior formulas by an independent route.

#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "experiments/toys.hpp"
#include "lacuna/learning/learner.hpp"
#include "learning/region.hpp"
#include "tests/expect_error.hpp"
#include "tests/learning/test_data.hpp"

namespace lacuna {
namespace {

using test::expect_error;
using testing::all_methods;
using testing::quick;
using testing::two_classes;
using testing::UnitGaussian;

class Warnings : public Observer {
public:
  void warning(std::string_view text) override { texts.emplace_back(text); }
  bool mention(std::string_view words) const {
    for (const std::string& text : texts)
      if (text.find(words) != std::string::npos) return true;
    return false;
  }
  std::vector<std::string> texts;
};

void expect_valid(const Scores& scores, const char* what) {
  for (std::size_t i = 0; i < scores.prediction.size(); ++i) {
    const double* const p = scores.posterior.row(static_cast<Index>(i));
    const double total = std::accumulate(p, p + scores.posterior.n_cols(), 0.0);
    ASSERT_NEAR(total, 1.0, 1e-9) << what;
    ASSERT_NEAR(scores.error_probability[i], 1.0 - p[scores.prediction[i]], 1e-9) << what;
    for (Index y = 0; y < scores.posterior.n_cols(); ++y) {
      ASSERT_GE(p[y], 0.0);
      ASSERT_LE(p[y], p[scores.prediction[i]]);
    }
    ASSERT_FALSE(std::isnan(scores.log_ratio[i]));
  }
}

TEST(Corners, NoUnlabeledRows) {
  const Dataset data = two_classes(60, 60, 0);
  for (const Method method : all_methods) {
    const FitResult fit = fit_classifier(data, quick(method));
    const Scores scores = fit.classifier.score(data.features.view(), 1);
    expect_valid(scores, "supervised");
    EXPECT_EQ(fit.summary.informative_weight, 1.0);
    EXPECT_EQ(fit.summary.informative_share, 1.0);
    for (const char informative : scores.informative) EXPECT_EQ(informative, 1);
    // Without unlabeled rows every method is the supervised one, up to another start.
    for (std::size_t i = 0; i < scores.prediction.size(); ++i)
      EXPECT_EQ(scores.prediction[i], data.labels[i]);
  }
}

TEST(Corners, EveryUnlabeledRowIsInformative) {
  const Dataset data = two_classes(200, 60, 0);
  LearningOptions options = quick(Method::mar);
  options.kappa = -1e6;
  const FitResult mar = fit_classifier(data, options);
  EXPECT_EQ(mar.summary.informative_weight, 1.0);
  EXPECT_EQ(mar.summary.n_informative, 140);
  // D'' is empty: exactly the MCAR sampler.
  options.method = Method::mcar_sampling;
  const FitResult mcar = fit_classifier(data, options);
  EXPECT_EQ(mar.classifier.score(data.features.view(), 1).error_probability,
            mcar.classifier.score(data.features.view(), 1).error_probability);
}

TEST(Corners, NoUnlabeledRowIsInformative) {
  const Dataset data = two_classes(200, 60, 0);
  LearningOptions options = quick(Method::mar);
  options.kappa = 1e6;
  const FitResult fit = fit_classifier(data, options);
  EXPECT_EQ(fit.summary.n_informative, 0);
  EXPECT_NEAR(fit.summary.informative_weight, 60.0 / 200.0, 1e-12);
  expect_valid(fit.classifier.score(data.features.view(), 1), "D' = D1");
}

TEST(Corners, ClassWithOneRow) {
  Dataset data = two_classes(200, 60, 0);
  data.class_names.emplace_back("c");
  data.labels[61] = 2;
  for (const Method method : all_methods) {
    const FitResult fit = fit_classifier(data, quick(method));
    EXPECT_EQ(fit.summary.class_counts, (std::vector<Index>{30, 30, 1}));
    expect_valid(fit.classifier.score(data.features.view(), 1), "one row");
  }
}

TEST(Corners, ClassWithoutRows) {
  Dataset data = two_classes(200, 60, 200);
  data.class_names.emplace_back("c");
  const FitResult fit = fit_classifier(data, quick(Method::mar));
  const Scores scores = fit.classifier.score(data.features.view(), 1);
  expect_valid(scores, "no row");
  // It lives from the class-independent part: one third where nothing is known, nothing where labels are.
  const Matrix probes(2, 2, {0.0, 12.0, -3.0, 0.0});
  const Scores at_probes = fit.classifier.score(probes.view(), 1);
  EXPECT_NEAR(at_probes.posterior(0, 2), 1.0 / 3.0, 0.01);
  EXPECT_LT(at_probes.posterior(1, 2), 0.02);

  Warnings warnings;
  LearningOptions options = quick(Method::supervised);
  options.background = BackgroundForm::none; // which takes every class for possible
  const FitResult supervised = fit_classifier(data, options, warnings);
  EXPECT_TRUE(warnings.mention("'c' has no labeled row"));
  EXPECT_EQ(supervised.classifier.score(probes.view(), 1).posterior(0, 2), 0.0);
}

TEST(Corners, OneLabeledClass) {
  Dataset data = two_classes(200, 60, 0);
  for (int& label : data.labels)
    if (label == 1) label = missing_label;
  Warnings warnings;
  const FitResult fit = fit_classifier(data, quick(Method::mar), warnings);
  EXPECT_TRUE(warnings.mention("only class 'a'"));
  const Matrix probes(2, 2, {-3.0, 0.0, 3.0, 0.0});
  const Scores scores = fit.classifier.score(probes.view(), 1);
  EXPECT_LT(scores.error_probability[0], 0.1);
  EXPECT_GT(scores.error_probability[1], 0.45);

  data.class_names = {"a"};
  EXPECT_THROW(fit_classifier(data, quick(Method::mar)), Error);
}

TEST(Corners, NoLabeledRow) {
  Dataset data = two_classes(50, 0, 0);
  expect_error(ErrorKind::data, {"no row has a label"}, [&] { fit_classifier(data, quick(Method::mar)); });
}

TEST(Corners, DuplicatesOutliersAndFarRowsStayValid) {
  Dataset data = two_classes(200, 60, 0);
  for (Index i = 100; i < 150; ++i) std::copy_n(data.features.row(0), 2, data.features.row(i));
  data.features(7, 0) = 1e9;
  const Matrix probes(4, 2, {1e100, -1e100, 0.0, 1e50, 1e-300, 0.0, -1e9, 3.0});
  for (const Method method : all_methods) {
    LearningOptions options = quick(method);
    for (const PosteriorForm form : {PosteriorForm::joint, PosteriorForm::product}) {
      options.posterior = form;
      expect_valid(fit_classifier(data, options).classifier.score(probes.view(), 1), "far");
    }
  }
}

TEST(Region, KeepsLabeledRegionAndLeavesTheRest) {
  const Dataset data = two_classes(400, 100, 300);
  const FitResult fit = fit_classifier(data, quick(Method::mar));
  const Scores scores = fit.classifier.score(data.features.view(), 1);
  Index near_informative = 0;
  Index far_informative = 0;
  for (Index i = 100; i < 700; ++i)
    (i < 400 ? near_informative : far_informative) += scores.informative[static_cast<std::size_t>(i)];
  EXPECT_GT(near_informative, 270); // of 300
  EXPECT_EQ(far_informative, 0);    // of 300
  EXPECT_EQ(fit.summary.n_informative, near_informative);
  for (Index i = 400; i < 700; ++i)
    EXPECT_NEAR(scores.error_probability[static_cast<std::size_t>(i)], 0.5, 0.01);
}

TEST(Region, QuantileThreshold) {
  const std::vector<double> ratios = {5.0, 1.0, 3.0, 2.0, 4.0};
  const std::vector<double> ones(5, 1.0);
  EXPECT_LT(quantile_threshold(ratios, ones, 0.0), 1.0); // nobody is left out
  EXPECT_LT(quantile_threshold(ratios, ones, 0.19), 1.0);
  EXPECT_EQ(quantile_threshold(ratios, ones, 0.2), 1.0); // one of five
  std::vector<double> with_none = ratios; // a ratio that is no number ends the search, and it ends
  with_none[0] = with_none[1] = std::nan("");
  EXPECT_FALSE(std::isnan(quantile_threshold(with_none, ones, 0.9)));
  EXPECT_EQ(quantile_threshold(ratios, ones, 0.59), 2.0);
  EXPECT_EQ(quantile_threshold(ratios, {1.0, 3.0, 1.0, 1.0, 1.0}, 0.5), 1.0); // weight 3 counts thrice
  EXPECT_LT(quantile_threshold({1.0, 1.0, 2.0}, {1.0, 1.0, 1.0}, 0.4), 1.0);  // ties stay together
}

TEST(Region, AutoKappaLeavesOutAboutAlphaOfRowsLikeTheLabeledOnes) {
  // Labels missing by lot: rows inside the region should be about 1 - alpha of all unlabeled ones. With 400
  // labeled rows the chosen quantile has a standard error of sqrt(.2 * .8 / 400) = 0.02; 5 of them, plus the
  // models' noise.
  const Dataset data = two_classes(4000, 400, 0);
  LearningOptions options = quick(Method::mar);
  options.kappa = AutoKappa{0.2};
  EXPECT_NEAR(fit_classifier(data, options).summary.informative_share, 0.8, 0.12);
}

/// Rows of two classes whose means are so far apart in each of 8 features; the first `labeled` have labels.
Dataset eight_features(std::uint64_t seed, Index n, Index labeled, double distance) {
  Dataset data;
  data.features = Matrix(n, 8);
  data.class_names = {"a", "b"};
  RandomStream random(seed, RandomPurpose::simulation);
  for (Index j = 0; j < 8; ++j) data.feature_names.push_back("x" + std::to_string(j));
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < 8; ++j)
      data.features(i, j) = distance * static_cast<double>(i % 2) + random.normal();
    data.labels.push_back(i < labeled ? static_cast<int>(i % 2) : missing_label);
  }
  return data;
}

TEST(Region, OfKernelDensitiesIsTheSameForTrainingRowsAndFreshOnes) {
  // Labels missing by lot. The two shares are of 1500 rows each; near .95 their difference has a standard
  // error of sqrt(2 * .05 * .95 / 1500) = 0.008. Five of them: a false alarm once in a million.
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Dataset data = eight_features(seed, 1800, 300, 1.0);
    const Dataset fresh = eight_features(seed + 100, 1500, 0, 1.0);
    LearningOptions options = quick(Method::mar);
    options.conditional = ConditionalForm::densities;
    options.density = "kde";
    const FitResult fit = fit_classifier(data, options);
    const Scores scores = fit.classifier.score(fresh.features.view(), 1);
    const double share =
        static_cast<double>(std::count(scores.informative.begin(), scores.informative.end(), 1)) / 1500.0;
    EXPECT_NEAR(fit.summary.informative_share, share, 0.04) << "seed " << seed;
  }
}

TEST(GapsSlow, AFeatureNearlyAbsentInOneClassTellsNothing) {
  // Two classes that are the same, one of which lacks the first feature in most rows: mean q_e on complete
  // rows, over seeds 0 to 4, beside that without gaps. That one is below 1/2 itself, because 200 labeled rows
  // in 8 features leave room for chance. From seed to seed q_e differs by 0.02, so the means are good to
  // 0.01.
  const auto mean_q_e = [](double missing) {
    double sum = 0.0;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      Dataset data = eight_features(seed, 1200, 200, 0.0);
      RandomStream random(seed, RandomPurpose::simulation, 1);
      for (Index i = 1; i < 1200; i += 2)
        if (random.uniform() < missing) data.features(i, 0) = std::numeric_limits<double>::quiet_NaN();
      const Dataset fresh = eight_features(seed + 100, 1000, 0, 0.0);
      LearningOptions options;
      options.conditional = ConditionalForm::densities;
      options.shrinkage = 0.0; // which would hide what the densities say
      const GenerativeClassifier model = fit_classifier(data, options).classifier;
      for (const double q : model.score(fresh.features.view(), 1).error_probability) sum += q / 5000.0;
    }
    return sum;
  };
  const double complete = mean_q_e(0.0);
  for (const double missing : {0.85, 0.95, 0.99}) EXPECT_NEAR(mean_q_e(missing), complete, 0.06) << missing;
}

/// log of the posterior by the formulas of docs/math/classifier.md, written out with plain sums.
std::vector<double> posterior_by_hand(const GenerativeClassifier::Parts& parts, const Matrix& x) {
  const auto density = [&](const std::shared_ptr<const Density>& model) {
    double value = 0.0;
    model->log_density(x.view(), {&value, 1});
    return std::exp(value);
  };
  const double w = parts.informative_weight;
  const double n_classes = static_cast<double>(parts.class_names.size());
  const double rest = parts.uninformative != nullptr ? density(parts.uninformative) : 0.0;
  std::vector<double> p;
  double total = 0.0;
  for (std::size_t y = 0; y < parts.class_names.size(); ++y) {
    double joint = 0.0;
    double conditional = 0.0;
    double prior = 0.0;
    for (const ClassModel& draw : parts.draws) {
      const double m = static_cast<double>(parts.draws.size());
      joint += draw.probability[y] * density(draw.density[y]) / m;
      conditional += density(draw.density[y]) / m;
      prior += draw.probability[y] / m;
    }
    p.push_back(parts.posterior == PosteriorForm::joint
                    ? w * joint + (1.0 - w) / n_classes * rest
                    : (w * conditional + (1.0 - w) * rest) * (w * prior + (1.0 - w) / n_classes));
    total += p.back();
  }
  if (parts.background) {
    const double eps = parts.background->weight();
    const double all = eps * std::exp(parts.background->log_density(x.row(0)));
    for (double& value : p) value = (1.0 - eps) * value + all / n_classes;
    total = (1.0 - eps) * total + all;
  }
  for (double& value : p) value /= total;
  return p;
}

TEST(Posterior, FollowsTheFormulas) {
  const Dataset data = two_classes(300, 80, 100);
  for (const PosteriorForm form : {PosteriorForm::joint, PosteriorForm::product})
    for (const Index draws : {0, 1, 3}) {
      LearningOptions options = quick(Method::mar);
      options.posterior = form;
      options.shrinkage = 0.0; // tests/learning/shrinkage_test.cpp
      options.draws = draws == 0 ? Draws(SoftLabels{}) : Draws(Index{draws});
      const FitResult fit = fit_classifier(data, options);
      ASSERT_EQ(fit.classifier.parts().draws.size(), draws == 3 ? 3U : 1U);
      for (const double x : {-4.0, -1.0, 0.2, 2.5}) {
        const Matrix probe(1, 2, {x, 3.0 * x});
        const Scores scores = fit.classifier.score(probe.view(), 1);
        const std::vector<double> expected = posterior_by_hand(fit.classifier.parts(), probe);
        for (Index y = 0; y < 2; ++y)
          EXPECT_NEAR(scores.posterior(0, y), expected[static_cast<std::size_t>(y)], 1e-10);
      }
    }
}

TEST(Draws, SpreadIsReportedAndAveragesTowardsSoft) {
  const Dataset data = two_classes(300, 40, 100);
  LearningOptions options = quick(Method::mar);
  options.draws = 20;
  const FitResult drawn = fit_classifier(data, options);
  // Mean over the rows of the standard deviation between the imputations.
  std::vector<std::vector<double>> of_draw;
  for (const ClassModel& draw : drawn.classifier.parts().draws) {
    GenerativeClassifier::Parts single = drawn.classifier.parts();
    single.draws = {draw};
    of_draw.push_back(
        GenerativeClassifier(std::move(single)).score(data.features.view(), 1).error_probability);
  }
  double spread = 0.0;
  for (std::size_t i = 0; i < 400; ++i) {
    double mean = 0.0;
    for (const auto& q : of_draw) mean += q[i] / 20.0;
    double squares = 0.0;
    for (const auto& q : of_draw) squares += (q[i] - mean) * (q[i] - mean);
    spread += std::sqrt(squares / 19.0) / 400.0;
  }
  EXPECT_GT(spread, 0.0);
  EXPECT_NEAR(drawn.summary.draw_spread, spread, 1e-6);
  options.draws = SoftLabels{};
  const FitResult soft = fit_classifier(data, options);
  EXPECT_EQ(soft.summary.draw_spread, 0.0);
  const Scores a = drawn.classifier.score(data.features.view(), 1);
  const Scores b = soft.classifier.score(data.features.view(), 1);
  double difference = 0.0;
  for (std::size_t i = 0; i < a.error_probability.size(); ++i)
    difference += std::abs(a.error_probability[i] - b.error_probability[i]) / 400.0;
  EXPECT_LT(difference, 0.02);
}

TEST(Learner, MethodsFittedTogetherAreTheSameAsAlone) {
  const Dataset data = two_classes(400, 80, 100);
  LearningOptions options = quick(Method::mar);
  for (const bool is_soft : {true, false}) {
    options.draws = is_soft ? Draws(SoftLabels{}) : Draws(Index{5});
    const std::vector<FitResult> together = fit_classifiers(data, options, all_methods);
    ASSERT_EQ(together.size(), std::size(all_methods));
    for (std::size_t m = 0; m < together.size(); ++m) {
      options.method = all_methods[m];
      const FitResult alone = fit_classifier(data, options);
      EXPECT_EQ(together[m].summary.kappa, alone.summary.kappa);
      EXPECT_EQ(together[m].summary.densities.size(), alone.summary.densities.size());
      EXPECT_EQ(together[m].classifier.score(data.features.view(), 1).error_probability,
                alone.classifier.score(data.features.view(), 1).error_probability);
    }
  }
}

TEST(Learner, PaperPreset) {
  LearningOptions options = testing::densities_alone();
  apply_paper_preset(options);
  const auto* const mixture = options.density.as<VbMixtureOptions>();
  ASSERT_NE(mixture, nullptr);
  EXPECT_EQ(mixture->components, 5);
  EXPECT_TRUE(mixture->own_covariance);
  EXPECT_EQ(mixture->covariance_scale, 1.0); // that covariance itself, not a share of it
  EXPECT_EQ(mixture->density_form, DensityForm::expected_log);
  EXPECT_EQ(std::get<double>(options.kappa), 0.0);
  EXPECT_EQ(std::get<Index>(options.draws), 1);
  EXPECT_EQ(options.posterior, PosteriorForm::product);
  EXPECT_EQ(options.ignorant, Ignorant::guess);
  EXPECT_EQ(options.background, BackgroundForm::none);
  EXPECT_EQ(options.shrinkage, 0.0);
}

class UnitGaussianFamily : public DensityFamily {
public:
  std::shared_ptr<const Density> fit(const WeightedRows& rows, const DensityFitContext&) const override {
    std::vector<double> mean(static_cast<std::size_t>(rows.n_features()));
    double weight = 0.0;
    for (Index i = 0; i < rows.size(); ++i) {
      weight += rows.weight(i);
      for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += rows.weight(i) * rows.row(i)[j];
    }
    for (double& m : mean) m /= weight;
    return std::make_shared<UnitGaussian>(mean);
  }
};

TEST(Learner, TakesAnyDensityFamily) {
  const Dataset data = two_classes(300, 80, 0);
  for (const Method method : all_methods) {
    const FitResult fit = fit_classifier(data, quick(method), UnitGaussianFamily());
    const Scores scores = fit.classifier.score(data.features.view(), 1);
    expect_valid(scores, "own density");
    for (std::size_t i = 0; i < 80; ++i) EXPECT_EQ(scores.prediction[i], data.labels[i]);
  }
}

TEST(Learner, CancelsInTheMiddle) {
  class Impatient : public Observer {
  public:
    bool cancelled() const override { return ++n_asked_ > 20; }
    mutable std::atomic<int> n_asked_{0};
  } observer;
  const Dataset data = two_classes(5000, 500, 0);
  expect_error(ErrorKind::interrupted, {}, [&] { fit_classifier(data, quick(Method::mar), observer); });
}

TEST(Options, ParsingAndPrintingAgree) {
  const auto read_back = [](const std::string& name, const std::string& text) {
    LearningOptions options = testing::densities_alone();
    for (const Option<LearningOptions>& row : LearningOptions::table()) {
      if (row.name != name) continue;
      row.set(options, {text});
      return to_string(row.get(options));
    }
    return std::string("no such option");
  };
  for (const char* text : {"auto:0.05", "0", "-1.5", "2"}) EXPECT_EQ(read_back("kappa", text), text);
  for (const char* text : {"soft", "1", "25"}) EXPECT_EQ(read_back("draws", text), text);
  for (const char* text : {"mar", "mcar-em", "mcar-sampling", "supervised"})
    EXPECT_EQ(read_back("method", text), text);
  for (const char* bad : {"", "auto:", "auto:x", "nan", "inf", "1,5", "0.1x"})
    EXPECT_THROW(read_back("kappa", bad), Error);
  for (const char* bad : {"", "hard", "1.5", "3x"}) EXPECT_THROW(read_back("draws", bad), Error);
  EXPECT_THROW(read_back("method", "MAR"), Error);
  LearningOptions options = testing::densities_alone();
  options.kappa = AutoKappa{1.5};
  options.folds = 1;
  expect_error(ErrorKind::usage, {"kappa", "folds"}, [&] { check_options(options); });
}

} // namespace
} // namespace lacuna
