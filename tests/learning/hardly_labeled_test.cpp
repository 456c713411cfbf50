// Classes that are hardly labeled: how many there can be outside, and what an extrapolation is worth there.

#include "learning/hardly_labeled.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "core/index.hpp"
#include "lacuna/core/random.hpp"
#include "learning/stacked_model.hpp"
#include "tests/expect_error.hpp"
#include "tests/learning/test_data.hpp"

namespace lacuna::hardly_labeled_test {
namespace {

using test::expect_error;

/// The probability of log sizes under docs/math/trust.md, eq. 8a, but for the range: both integrals by sums.
double integrated(const std::vector<double>& sample) {
  const double mean = std::accumulate(sample.begin(), sample.end(), 0.0) / static_cast<double>(sample.size());
  constexpr double step = 0.02;
  double sum = 0.0;
  for (double log_scale = -5.0; log_scale < 7.0; log_scale += step) {
    const double scale = std::exp(log_scale);
    const double variance = scale * scale;
    const double prior = 0.25 * std::exp(-0.25 / variance) / (variance * variance) * 2.0 * variance * step;
    for (double u = -10.0; u < 10.0; u += step) {
      double density = prior * scale * step;
      for (const double x : sample)
        density *= std::exp(-0.5 * std::pow((x - mean) / scale - u, 2)) /
                   (scale * std::sqrt(2.0 * std::numbers::pi));
      sum += density;
    }
  }
  return sum;
}

/// Eq. 8a for the class with the fewest labels first; no two may have as many.
std::vector<double> hidden_by_sums(std::vector<double> labels) {
  const double range = std::log(1.0 + 2.0 * std::accumulate(labels.begin(), labels.end(), 0.0));
  for (double& n : labels) n = std::log(n + 0.5);
  std::vector<double> p;
  for (std::size_t k = 0; k < labels.size(); ++k)
    p.push_back(integrated({labels.begin() + static_cast<std::ptrdiff_t>(k), labels.end()}) *
                std::pow(0.1 / range, k) * std::pow(0.9, labels.size() - k));
  const double sum = std::accumulate(p.begin(), p.end(), 0.0);
  for (std::size_t y = 0; y < p.size(); ++y)
    p[y] = std::accumulate(p.begin() + static_cast<std::ptrdiff_t>(y) + 1, p.end(), 0.0) / sum;
  return p;
}

TEST(HiddenProbabilities, AreTheIntegrals) {
  for (const std::vector<double>& labels : {std::vector{0.0, 6.0, 24.0},
                                            {2.0, 26.0, 110.0, 120.0, 130.0},
                                            {0.0, 4.0, 13.0, 40.0, 120.0, 360.0}}) {
    const std::vector<double> expected = hidden_by_sums(labels);
    const std::vector<double> found = hidden_probabilities(labels);
    for (std::size_t y = 0; y < labels.size(); ++y) EXPECT_NEAR(found[y], expected[y], 1e-6) << y;
  }
}

TEST(HiddenProbabilities, AskHowEvenTheOthersAre) {
  // Two of ten have few where the others have as many: they are hidden, whatever the order.
  const std::vector<double> even = hidden_probabilities({120, 2, 125, 118, 122, 119, 121, 117, 26, 115});
  EXPECT_GT(even[1], 0.99);
  EXPECT_GT(even[8], 0.95);
  EXPECT_LT(even[9], 0.02);
  // Where each has a third of what the one before has, the last is small rather than hidden.
  EXPECT_LT(hidden_probabilities({540, 180, 60, 20, 7, 2})[5], 0.4);
  EXPECT_NEAR(hidden_probabilities({800, 140, 40, 15, 5, 0, 0})[6], 0.309009, 1e-6);
  // As many labels, the same probability; two classes say nothing about each other, nor do labels that are
  // not there.
  const std::vector<double> alike = hidden_probabilities({0, 360, 120, 0, 40, 13});
  EXPECT_EQ(alike[0], alike[3]);
  EXPECT_NEAR(alike[0], 0.652941, 1e-6);
  EXPECT_EQ(hidden_probabilities({3, 3, 3}), (std::vector<double>{0, 0, 0}));
  EXPECT_EQ(hidden_probabilities({500, 0}), (std::vector<double>{1, 1}));
  EXPECT_EQ(hidden_probabilities({0, 0, 0}), (std::vector<double>{1, 1, 1}));
}

TEST(HiddenProbabilities, AreProbabilitiesThatFallWithTheLabels) {
  RandomStream random(2, RandomPurpose::simulation);
  for (int probe = 0; probe < 500; ++probe) {
    std::vector<double> labels;
    const auto n_classes = static_cast<std::size_t>(3.0 + 30.0 * random.uniform());
    for (std::size_t y = 0; y < n_classes; ++y)
      labels.push_back(
          random.uniform() < 0.2
              ? 0.0
              : std::exp(random.uniform() < 0.1 ? 600.0 * random.uniform() : 8.0 * random.uniform() - 9.0));
    std::sort(labels.begin(), labels.end());
    const std::vector<double> hidden = hidden_probabilities(labels);
    EXPECT_TRUE(std::is_sorted(hidden.rbegin(), hidden.rend()));
    EXPECT_GE(hidden.back(), 0.0);
    EXPECT_LE(hidden.front(), 1.0);
  }
}

TEST(HardlyLabeled, ByHand) {
  // 24, 6 and 0 labels: so few that they are hard to the degree 0, 1/2 and 1 if they are hidden.
  const std::vector<double> hidden = hidden_probabilities({24.0, 6.0, 0.0});
  const std::vector<double> hard = {0.0, 0.5 * hidden[1], hidden[2]};
  const double sum = hard[1] + hard[2];
  const HardlyLabeled some = HardlyLabeled::of({24.0, 6.0, 0.0}, 0.8);
  EXPECT_EQ(some.hardness, hard);
  const double m = sum / 3.0 / 0.8;
  EXPECT_NEAR(some.share, m, 1e-12);
  for (std::size_t y = 0; y < 3; ++y)
    EXPECT_NEAR(some.probability(y), m * hard[y] / sum + (1.0 - m) / 3.0, 1e-12);
  // Little is outside: most of it may be theirs, never all.
  EXPECT_EQ(HardlyLabeled::of({24.0, 6.0, 0.0}, 0.2).share, 0.7);
  EXPECT_EQ(HardlyLabeled::of({24.0, 6.0, 0.0}, 0.0).share, 0.7);
  // Of three or more a class is also hard that has less than .35 of what the middle one has.
  const HardlyLabeled few = HardlyLabeled::of({120.0, 100.0, 110.0, 21.0}, 0.5);
  const double p = hidden_probabilities({120.0, 100.0, 110.0, 21.0})[3];
  EXPECT_EQ(few.hardness, (std::vector<double>{0.0, 0.0, 0.0, p * (1.0 - 21.0 / (0.35 * 110.0))}));
  EXPECT_EQ(HardlyLabeled::of({1000.0, 100.0}, 0.5).share, 0.0); // of two the smaller one may simply be rare
  // Enough labels of all: nobody is owed anything.
  const HardlyLabeled none = HardlyLabeled::of({12.0, 5000.0}, 0.0);
  EXPECT_EQ(none.share, 0.0);
  EXPECT_EQ(none.probability(0), 0.5);
}

TEST(HardlyLabeled, OfTwoClassesOnlyTheCountsTell) {
  const HardlyLabeled some = HardlyLabeled::of({24.0, 6.0}, 0.8);
  EXPECT_EQ(some.hardness, (std::vector<double>{0.0, 0.5}));
  EXPECT_NEAR(some.share, 0.25 / 0.8, 1e-12);
  EXPECT_NEAR(some.probability(1), 0.25 / 0.8 + 0.5 * (1.0 - 0.25 / 0.8), 1e-12);
  EXPECT_NEAR(HardlyLabeled::of({5000.0, 11.9}, 1.0).hardness[1], 0.1 / 12.0, 1e-12);
}

TEST(HardlyLabeled, ShiftAndBeliefByHand) {
  // Half a label counts as one: h = 23/24, m = .7, outside .7 + .3 / 80.
  EXPECT_NEAR(HardlyLabeled::of({39.5, 0.5}, 0.1).shift[1], (0.7 + 0.3 / 80.0) * 40.0, 1e-12);
  // 10 of 22 labels: h = 1/6, m = 1/12, outside 1/12 + 11/12 * 10/22 = 1/2. A hard class is never taken to be
  // rarer than among the labels: outside only 1/24 + 11/24 are the first of the next two.
  EXPECT_NEAR(HardlyLabeled::of({12.0, 10.0}, 1.0).shift[1], 1.1, 1e-12);
  const HardlyLabeled both = HardlyLabeled::of({11.0, 1.0}, 1.0);
  EXPECT_EQ(both.shift[0], 1.0);
  EXPECT_NEAR(both.shift[1], (0.5 * 11.0 / 12.0 + 0.5 / 12.0) * 12.0, 1e-12); // h = (1/12, 11/12), m = 1/2
  // 30 labels of three classes; without a label a class counts as one label.
  const HardlyLabeled some = HardlyLabeled::of({24.0, 6.0, 0.0}, 0.8);
  const double m = some.share;
  const double sum = some.hardness[1] + some.hardness[2];
  EXPECT_EQ(some.shift[0], 1.0);
  EXPECT_NEAR(some.shift[1], std::max(1.0, 30.0 * (m * some.hardness[1] / sum + (1.0 - m) * 0.2) / 6.0),
              1e-12);
  EXPECT_NEAR(some.shift[2], 30.0 * m * some.hardness[2] / sum, 1e-12);
  EXPECT_NEAR(some.belief, 30.0 / 130.0, 1e-12);
  // When no class is hard, nothing is believed beyond trust.
  const HardlyLabeled none = HardlyLabeled::of({120.0, 100.0, 5000.0}, 0.5);
  EXPECT_EQ(none.belief, 0.0);
  EXPECT_EQ(none.shift, (std::vector<double>{1.0, 1.0, 1.0}));
}

// Of seven classes the middle one of those with labels has 40 of 1000: what has none is not taken for a
// seventh of all rows.
TEST(HardlyLabeled, AmongRareClassesNoneIsTakenForAFrequentOne) {
  const std::vector<double> labels = {800.0, 140.0, 40.0, 15.0, 5.0, 0.0, 0.0};
  const double hidden = hidden_probabilities(labels)[6];
  const HardlyLabeled some = HardlyLabeled::of(labels, 0.5);
  EXPECT_GT(hidden_probabilities(labels)[4], 0.0);
  EXPECT_EQ(some.hardness, (std::vector<double>{0, 0, 0, 0, 0, hidden, hidden})); // 5 labels: below .05
  EXPECT_NEAR(some.share, 0.04 * 2.0 * hidden / 0.5, 1e-12);
  EXPECT_NEAR(some.shift[6], 0.5 * some.share * 1000.0, 1e-9);
  // Where those with labels have about as many, the others are taken for one like them.
  EXPECT_NEAR(HardlyLabeled::of({500.0, 490.0, 0.0}, 1.0).share,
              hidden_probabilities({500.0, 490.0, 0.0})[2] / 3.0, 1e-12);
}

TEST(HardlyLabeled, ExtrapolatesByHand) {
  // What h, m, shifts and belief are in other tests, is given here: m = 5/8, s p = (20, 17, 100) / 40, so
  // that p' = (20, 17, 100) / 137. With belief = 3/13 and t = .4, k is .4 * 3/8 = .15 for the first class and
  // .4 + .6 * 15/104 for the others.
  const HardlyLabeled some{{0.0, 0.5, 1.0}, 0.625, 3.0 / 13.0, {1.0, 17.0 / 12.0, 12.5}};
  std::vector<double> p = {0.5, 0.3, 0.2};
  some.extrapolate(0.4, p);
  const double k = 0.4 + 0.6 * 15.0 / 104.0;
  const std::vector<double> kept = {0.15 * 20.0 / 137.0, k * 17.0 / 137.0, k * 100.0 / 137.0};
  const double rest = 1.0 - kept[0] - kept[1] - kept[2];
  EXPECT_NEAR(p[0], kept[0] + rest / 8.0, 1e-12);
  EXPECT_NEAR(p[1], kept[1] + rest / 3.0, 1e-12);
  EXPECT_NEAR(p[2], kept[2] + rest * 13.0 / 24.0, 1e-12);
}

TEST(HardlyLabeled, WithEnoughLabelsOnlyTrustCounts) {
  const HardlyLabeled none = HardlyLabeled::of({120.0, 100.0, 90.0}, 0.5);
  const std::vector<double> before = {0.7, 0.2, 0.1};
  for (const double trust : {0.0, 0.3, 1.0}) {
    std::vector<double> p = before;
    none.extrapolate(trust, p);
    for (std::size_t y = 0; y < 3; ++y)
      EXPECT_NEAR(p[y], trust * before[y] + (1.0 - trust) / 3.0, 1e-15) << trust;
  }
}

TEST(HardlyLabeled, WithoutTrustAndBeliefOnlyTheCountsSpeak) {
  const HardlyLabeled some{{0.0, 0.5, 1.0}, 0.625, 0.0, {1.0, 17.0 / 12.0, 12.5}};
  for (const std::vector<double>& before : {std::vector{0.5, 0.3, 0.2}, {1.0, 0.0, 0.0}, {0.0, 0.0, 1.0}}) {
    std::vector<double> p = before;
    some.extrapolate(0.0, p);
    EXPECT_NEAR(p[0], 1.0 / 8.0, 1e-12);
    EXPECT_NEAR(p[1], 1.0 / 3.0, 1e-12);
    EXPECT_NEAR(p[2], 13.0 / 24.0, 1e-12);
  }
}

TEST(HardlyLabeled, IsADistributionWhateverIsTrusted) {
  RandomStream random(1, RandomPurpose::simulation);
  for (int probe = 0; probe < 500; ++probe) {
    const auto n_classes = static_cast<std::size_t>(2.0 + 6.0 * random.uniform());
    std::vector<double> labels;
    std::vector<double> p;
    for (std::size_t y = 0; y < n_classes; ++y) {
      labels.push_back(random.uniform() < 0.2 ? 0.0 : std::exp(8.0 * random.uniform() - 1.0));
      p.push_back(random.uniform() < 0.1 ? 1e-12 : random.uniform());
    }
    labels[0] += 1.0; // some class has one
    const double total = std::accumulate(p.begin(), p.end(), 0.0);
    for (double& value : p) value /= total;
    const HardlyLabeled some = HardlyLabeled::of(labels, random.uniform());
    double sum = 0.0;
    for (std::size_t y = 0; y < n_classes; ++y) sum += some.probability(y);
    EXPECT_NEAR(sum, 1.0, 1e-12);
    for (const double trust : {0.0, random.uniform(), 1.0}) {
      std::vector<double> q = p;
      some.extrapolate(trust, q);
      EXPECT_NEAR(std::accumulate(q.begin(), q.end(), 0.0), 1.0, 1e-12);
      for (const double value : q) {
        EXPECT_GE(value, 0.0);
        EXPECT_LE(value, 1.0 + 1e-12);
      }
    }
  }
}

TEST(HardlyLabeled, ComesBackFromAnArchive) {
  const HardlyLabeled some = HardlyLabeled::of({24.0, 6.0, 0.0}, 0.8);
  Archive archive;
  some.save(archive, "h/");
  const HardlyLabeled loaded = HardlyLabeled::load(archive, "h/", 3);
  EXPECT_EQ(loaded.hardness, some.hardness);
  EXPECT_EQ(loaded.share, some.share);
  EXPECT_EQ(loaded.belief, some.belief);
  EXPECT_EQ(loaded.shift, some.shift);
  const auto expect_damage = [&](const std::string& name, auto value) {
    Archive damaged = archive;
    damaged.put("h/" + name, value);
    expect_error(ErrorKind::data, {name}, [&] { HardlyLabeled::load(damaged, "h/", 3); });
  };
  for (const double wrong : {-0.1, 1.1, std::nan("")}) {
    expect_damage("hardness", std::vector{0.0, 0.5, wrong});
    expect_damage("hardly_labeled_share", wrong);
    expect_damage("hardly_labeled_belief", wrong);
  }
  for (const double wrong : {0.0, 0.99, -1.0, 1e300, std::nan("")})
    expect_damage("hardly_labeled_shift", std::vector{1.0, wrong, 1.0});
  expect_damage("hardly_labeled_shift", std::vector{1.0, 1.0});
}

TEST(HardlyLabeled, NothingIsBelievedWhereNothingIsTrusted) {
  // A third class with one of 61 labels.
  Dataset data = testing::two_classes(200, 60, 50);
  data.class_names.emplace_back("c");
  data.labels[61] = 2;
  for (const TrustForm form : {TrustForm::none, TrustForm::worst, TrustForm::regions}) {
    LearningOptions options;
    options.conditional = ConditionalForm::stack;
    options.trust = form;
    options.threads = 1;
    const GenerativeClassifier classifier = fit_classifier(data, options).classifier;
    const StackedModel& model = *classifier.parts().stacked;
    EXPECT_GT(model.hardly_labeled.share, 0.0);
    EXPECT_GT(model.hardly_labeled.shift[2], 1.0);
    const bool is_trusted = !model.trust.empty() && !model.trust.front().is_none();
    EXPECT_EQ(model.hardly_labeled.belief, form == TrustForm::regions && is_trusted ? 61.0 / 161.0 : 0.0);
  }
}

} // namespace
} // namespace lacuna::hardly_labeled_test
