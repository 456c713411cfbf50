// The toy problems of the paper's kind: what the whole method promises, over 20 seeds.

#include <gtest/gtest.h>

#include "experiments/toys.hpp"
#include "lacuna/evaluation/reliability.hpp"
#include "lacuna/learning/learner.hpp"

namespace lacuna {
namespace {

struct RegionMeans {
  double error_rate = 0.0;
  double mean_error_probability = 0.0;
  double overconfidence = 0.0;
};

struct ToyMeans {
  RegionMeans labeled;
  RegionMeans never_labeled;
};

constexpr int n_seeds = 20;

ToyMeans mean_over_seeds(const std::string& name, Method method,
                         BackgroundForm background = BackgroundForm::cauchy) {
  ToyMeans means;
  for (int seed = 0; seed < n_seeds; ++seed) {
    const Toy toy = make_toy(name, static_cast<std::uint64_t>(seed));
    LearningOptions options;
    options.method = method;
    options.background = background;
    options.seed = static_cast<std::uint64_t>(seed);
    const Scores scores = fit_classifier(toy.train, options).classifier.score(toy.test.features.view(), 0);
    ReliabilityAccumulator labeled;
    ReliabilityAccumulator never_labeled;
    for (Index i = 0; i < toy.test.n_rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      (toy.never_labeled[at] != 0 ? never_labeled : labeled)
          .add(toy.test.labels[at], scores.prediction[at], scores.error_probability[at],
               {scores.posterior.row(i), 2});
    }
    const auto add = [](RegionMeans& to, const Metrics& metrics) {
      to.error_rate += metrics.error_rate / n_seeds;
      to.mean_error_probability += metrics.mean_error_probability / n_seeds;
      to.overconfidence += metrics.overconfidence / n_seeds;
    };
    add(means.labeled, labeled.metrics());
    add(means.never_labeled, never_labeled.metrics());
  }
  return means;
}

TEST(Toys, CoinAdmitsIgnoranceWhereNothingWasLabeled) {
  const ToyMeans mar = mean_over_seeds("coin", Method::mar);
  const ToyMeans supervised = mean_over_seeds("coin", Method::supervised);
  EXPECT_LE(mar.never_labeled.overconfidence, 0.02);
  EXPECT_NEAR(mar.never_labeled.mean_error_probability, 0.5, 0.02);
  // The middle blob is so far from all labels that the background alone makes supervised doubt.
  EXPECT_GE(mean_over_seeds("coin", Method::supervised, BackgroundForm::none).never_labeled.overconfidence,
            0.10);
  EXPECT_LE(supervised.never_labeled.overconfidence, 0.02);
  EXPECT_GE(mean_over_seeds("coin", Method::mcar_sampling).never_labeled.overconfidence, 0.10);
  EXPECT_NEAR(mar.labeled.error_rate, supervised.labeled.error_rate, 0.01);
}

TEST(Toys, QuadrantsAdmitsIgnoranceWhereNothingWasLabeled) {
  const ToyMeans mar = mean_over_seeds("quadrants", Method::mar);
  const ToyMeans supervised = mean_over_seeds("quadrants", Method::supervised);
  EXPECT_GE(mar.never_labeled.mean_error_probability, 0.45);
  EXPECT_GE(mean_over_seeds("quadrants", Method::mcar_sampling).never_labeled.overconfidence, 0.5);
  EXPECT_NEAR(mar.labeled.error_rate, supervised.labeled.error_rate, 0.01);
}

} // namespace
} // namespace lacuna
