// What class densities have in common: closed forms, labels that are noise, and classes that are far apart.

#include <cmath>
#include <utility>

#include <gtest/gtest.h>

#include "core/index.hpp"
#include "experiments/toys.hpp"
#include "lacuna/core/errors.hpp"
#include "learning/shrinkage.hpp"
#include "tests/learning/test_data.hpp"

namespace lacuna::shrinkage_test {
namespace {

using testing::all_methods;
using testing::quick;
using testing::two_classes;

TEST(Shrinkage, SharesThatChanceExplainsAreEqual) {
  // Chi square of (60, 40) is 4, of (55, 45) it is 1, of (54, 46) 0.64.
  EXPECT_EQ(shrunk_shares({46.0, 54.0}), (std::vector<double>{0.5, 0.5}));
  EXPECT_EQ(shrunk_shares({45.0, 55.0}), (std::vector<double>{0.5, 0.5}));
  const std::vector<double> kept = shrunk_shares({60.0, 40.0, 0.0});
  EXPECT_DOUBLE_EQ(kept[0], 0.5 + 0.75 * 0.1);
  EXPECT_DOUBLE_EQ(kept[1], 0.5 - 0.75 * 0.1);
  EXPECT_EQ(kept[2], 0.0);
  EXPECT_EQ(shrunk_shares({0.0, 7.0}), (std::vector<double>{0.0, 1.0}));
  const std::vector<double> clear = shrunk_shares({9000.0, 900.0, 100.0});
  EXPECT_NEAR(clear[2], 0.01, 1e-4);
  EXPECT_NEAR(clear[0] + clear[1] + clear[2], 1.0, 1e-12);
}

TEST(Shrinkage, TheLikeliestShare) {
  // n1 log(.9 - .4 s) + n2 log(.1 + .4 s) has its maximum at (.9 n2 - .1 n1) / (.4 (n1 + n2)).
  EXPECT_NEAR(likeliest_share({0.9, 0.1}, {0.5, 0.5}, {80.0, 20.0}), 0.25, 1e-12);
  EXPECT_EQ(likeliest_share({0.9, 0.1}, {0.5, 0.5}, {90.0, 10.0}), 0.0);
  EXPECT_EQ(likeliest_share({0.9, 0.1}, {0.5, 0.5}, {50.0, 50.0}), 1.0);
  EXPECT_EQ(likeliest_share({1.0, 1.0}, {0.5, 0.5}, {1.0, 1.0}), 0.0);
  EXPECT_EQ(likeliest_share({0.0, 0.0}, {0.5, 0.5}, {1.0, 1.0}), 1.0);
  // One mistake among a hundred that was certain: its share of all, doubled because half are right by chance.
  EXPECT_NEAR(likeliest_share({1.0, 0.0}, {0.5, 0.5}, {99.0, 1.0}), 0.02, 1e-9);
  EXPECT_EQ(likeliest_share({}, {}, {}), 0.0);
  // s = 0.75 gains 0.6 log 1.2 + 0.4 log 0.8 = 0.020 nats per row, 3.0 with 150 rows and 2.0 with 100; it
  // must be half the logarithm of their number, 2.5 and 2.3.
  EXPECT_NEAR(likeliest_share({0.9, 0.1}, {0.5, 0.5}, {90.0, 60.0}), 0.75, 1e-12);
  EXPECT_EQ(likeliest_share({0.9, 0.1}, {0.5, 0.5}, {60.0, 40.0}), 1.0);
}

TEST(Shrinkage, MixesThePosteriorWithTheSharesOfTheClasses) {
  Dataset data = two_classes(300, 80, 0);
  data.class_names.emplace_back("c");
  LearningOptions options = quick(Method::supervised);
  options.background = BackgroundForm::none;
  options.shrinkage = 0.0;
  const Matrix rows(3, 2, {-3.0, 0.0, 0.3, 1.0, 2.0, -1.0});
  for (const PosteriorForm form : {PosteriorForm::joint, PosteriorForm::product}) {
    options.posterior = form;
    GenerativeClassifier::Parts parts = fit_classifier(data, options).classifier.parts();
    const Scores plain = GenerativeClassifier(parts).score(rows.view(), 1);
    for (const double s : {0.1, 0.7, 1.0}) {
      parts.shrinkage = {s, {0.3, 0.7, 0.0}};
      const Scores shrunk = GenerativeClassifier(parts).score(rows.view(), 1);
      for (Index i = 0; i < 3; ++i)
        for (Index y = 0; y < 3; ++y)
          EXPECT_NEAR(shrunk.posterior(i, y),
                      (1.0 - s) * plain.posterior(i, y) + s * parts.shrinkage.probability[at(y)], 1e-12);
    }
  }
}

/// Standard normal rows of which the first `n_labeled` have a label; `shift` of the first feature for
/// class 1.
Dataset normal_rows(Index n, Index n_labeled, Index d, double shift, std::uint64_t seed) {
  return testing::drawn_rows(n, d, seed, [&](RandomStream& random, Index i, std::span<double> row) {
    const int label = random.uniform() < 0.5 ? 1 : 0;
    testing::draw_normal(random, row);
    row[0] += label == 1 ? shift : 0.0;
    return i < n_labeled ? label : missing_label;
  });
}

TEST(Shrinkage, LabelsThatAreNoiseAreRecognisedSlow) {
  // A fair coin labels the rows, so that every prediction errs in half of them. Without shrinkage the mean of
  // q_e is 0.43, 0.39 and 0.32. With it, over 100 seeds: 0.490, 0.496 and 0.493, with standard deviations of
  // 0.020, 0.010 and 0.014; the mean of 16 seeds has a standard error of 0.005 at most.
  struct Case {
    Index d;
    Index n_labeled;
  };
  constexpr int n_seeds = 16;
  for (const Case& each : {Case{2, 200}, Case{8, 500}, Case{20, 500}}) {
    double announced = 0.0;
    for (std::uint64_t seed = 0; seed < n_seeds; ++seed) {
      const Dataset train = normal_rows(each.n_labeled + 1000, each.n_labeled, each.d, 0.0, seed);
      const Dataset test = normal_rows(2000, 0, each.d, 0.0, seed + 1000);
      LearningOptions options = testing::densities_alone();
      options.seed = seed;
      const Scores scores = fit_classifier(train, options).classifier.score(test.features.view(), 0);
      for (const double q : scores.error_probability) announced += q / (2000.0 * n_seeds);
    }
    EXPECT_NEAR(announced, 0.5, 0.02) << each.d;
  }
}

/// Mean over test rows of the change of q_e by shrinkage, and the share that was chosen.
std::pair<double, double> change_by_shrinkage(const Dataset& train, const Dataset& test, std::uint64_t seed) {
  LearningOptions options = testing::densities_alone();
  options.seed = seed;
  const FitResult chosen = fit_classifier(train, options);
  options.shrinkage = 0.0;
  const FitResult without = fit_classifier(train, options);
  const std::vector<double> a = chosen.classifier.score(test.features.view(), 0).error_probability;
  const std::vector<double> b = without.classifier.score(test.features.view(), 0).error_probability;
  double change = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) change += std::abs(a[i] - b[i]) / static_cast<double>(a.size());
  return {change, chosen.summary.shrinkage};
}

TEST(Shrinkage, ClassesThatAreFarApartKeepEveryBit) {
  // No held-out row of the coin's outer blobs lies on the wrong side: nothing is shared, nothing changes.
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Toy toy = make_toy("coin", seed);
    EXPECT_EQ(change_by_shrinkage(toy.train, toy.test, seed), (std::pair{0.0, 0.0}));
  }
}

TEST(Shrinkage, ARowAmongTheOtherClassCostsLittle) {
  // 0.4 % of the rows of quadrants are on the wrong side of their blob, about one of 250 labels.
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Toy toy = make_toy("quadrants", seed);
    const auto [change, share] = change_by_shrinkage(toy.train, toy.test, seed);
    EXPECT_LT(change, 0.01);
    EXPECT_LT(share, 0.03);
  }
}

TEST(Shrinkage, ClassesThatDifferHardlyNotice) {
  // Two normals two standard deviations apart, 16 % errors: here the densities are right, and the share is
  // what the noise of 400 labels makes of zero.
  double change = 0.0;
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    change += change_by_shrinkage(normal_rows(1400, 400, 2, 2.0, seed),
                                  normal_rows(2000, 0, 2, 2.0, seed + 1000), seed)
                  .first /
              5.0;
  EXPECT_LT(change, 0.01);
}

TEST(Shrinkage, IsTheSameForAllMethodsAndWithoutUnlabeledRows) {
  const Dataset data = normal_rows(700, 200, 3, 0.0, 1);
  const std::vector<FitResult> fits = fit_classifiers(data, quick(Method::mar), all_methods);
  for (const FitResult& fit : fits) {
    EXPECT_GT(fit.summary.shrinkage, 0.5);
    EXPECT_EQ(fit.summary.shrinkage, fits.front().summary.shrinkage);
    EXPECT_EQ(fit.classifier.parts().shrinkage.share, fit.summary.shrinkage);
  }
  EXPECT_GT(fit_classifier(normal_rows(200, 200, 3, 0.0, 1), quick(Method::supervised)).summary.shrinkage,
            0.5);
  // A threshold that is given leaves the folds to the share.
  LearningOptions options = quick(Method::mar);
  options.kappa = 0.0;
  EXPECT_EQ(fit_classifier(data, options).summary.shrinkage, fits.front().summary.shrinkage);
}

TEST(Shrinkage, IsNoneWhereNothingCanBeHeldOut) {
  const Dataset data = normal_rows(50, 2, 2, 0.0, 3); // one row of each class, or two of one
  EXPECT_EQ(fit_classifier(data, quick(Method::mar)).summary.shrinkage, 0.0);
}

TEST(Shrinkage, IsPartOfTheModel) {
  const Dataset data = normal_rows(700, 200, 3, 0.0, 1);
  const GenerativeClassifier classifier = fit_classifier(data, quick(Method::mar)).classifier;
  Archive archive;
  classifier.save(archive, "");
  EXPECT_EQ(GenerativeClassifier::load(archive, "").score(data.features.view(), 1).error_probability,
            classifier.score(data.features.view(), 1).error_probability);
  for (const double share : {-0.1, 1.5, std::nan("")}) {
    archive.put("shrinkage/share", share);
    EXPECT_THROW(GenerativeClassifier::load(archive, ""), Error);
  }
}

} // namespace
} // namespace lacuna::shrinkage_test
