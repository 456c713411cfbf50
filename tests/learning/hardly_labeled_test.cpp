// Classes that are hardly labeled: how many there can be outside, and what an extrapolation is worth there.

#include "learning/hardly_labeled.hpp"

#include <cmath>
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

TEST(HardlyLabeled, ByHand) {
  // 24, 6 and 0 labels: hard to the degree 0, 1/2 and 1, half of all rows on average.
  const HardlyLabeled some = HardlyLabeled::of({24.0, 6.0, 0.0}, 0.8);
  EXPECT_EQ(some.hardness, (std::vector<double>{0.0, 0.5, 1.0}));
  EXPECT_NEAR(some.share, 0.5 / 0.8, 1e-12);
  EXPECT_NEAR(some.probability(0), 0.125, 1e-12);
  EXPECT_NEAR(some.probability(1), 0.125 + 0.625 / 3.0, 1e-12);
  EXPECT_NEAR(some.probability(2), 0.125 + 1.25 / 3.0, 1e-12);
  // Little is outside: most of it may be theirs, never all.
  EXPECT_EQ(HardlyLabeled::of({24.0, 6.0, 0.0}, 0.2).share, 0.7);
  EXPECT_EQ(HardlyLabeled::of({24.0, 6.0, 0.0}, 0.0).share, 0.7);
  // Of three or more a class is also hard that has less than .35 of what the middle one has.
  const HardlyLabeled few = HardlyLabeled::of({120.0, 100.0, 110.0, 21.0}, 0.5);
  EXPECT_EQ(few.hardness, (std::vector<double>{0.0, 0.0, 0.0, 1.0 - 21.0 / (0.35 * 110.0)}));
  EXPECT_EQ(HardlyLabeled::of({1000.0, 100.0}, 0.5).share, 0.0); // of two the smaller one may simply be rare
  // Enough labels of all: nobody is owed anything.
  const HardlyLabeled none = HardlyLabeled::of({12.0, 5000.0}, 0.0);
  EXPECT_EQ(none.share, 0.0);
  EXPECT_EQ(none.probability(0), 0.5);
}

TEST(HardlyLabeled, ShiftAndBeliefByHand) {
  // 30 labels, m = 5/8: the last two are 5/24 + 3/8 * 1/5 = 17/60 and 5/12 of the rows outside. Without a
  // label a class counts as one label.
  const HardlyLabeled some = HardlyLabeled::of({24.0, 6.0, 0.0}, 0.8);
  EXPECT_EQ(some.shift[0], 1.0);
  EXPECT_NEAR(some.shift[1], 30.0 * 17.0 / 60.0 / 6.0, 1e-12);
  EXPECT_NEAR(some.shift[2], 30.0 * 5.0 / 12.0, 1e-12);
  EXPECT_NEAR(some.belief, 30.0 / 130.0, 1e-12);
  // Half a label counts as one, too: h = 23/24, m = .7, outside .7 + .3 / 80.
  EXPECT_NEAR(HardlyLabeled::of({39.5, 0.5}, 0.1).shift[1], (0.7 + 0.3 / 80.0) * 40.0, 1e-12);
  // 10 of 22 labels: h = 1/6, m = 1/12, outside 1/12 + 11/12 * 10/22 = 1/2. A hard class is never taken to be
  // rarer than among the labels: outside only 1/24 + 11/24 are the first of the next two.
  EXPECT_NEAR(HardlyLabeled::of({12.0, 10.0}, 1.0).shift[1], 1.1, 1e-12);
  const HardlyLabeled both = HardlyLabeled::of({11.0, 1.0}, 1.0);
  EXPECT_EQ(both.shift[0], 1.0);
  EXPECT_NEAR(both.shift[1], (0.5 * 11.0 / 12.0 + 0.5 / 12.0) * 12.0, 1e-12); // h = (1/12, 11/12), m = 1/2
  // When no class is hard, nothing is believed beyond trust.
  const HardlyLabeled none = HardlyLabeled::of({120.0, 100.0, 5000.0}, 0.5);
  EXPECT_EQ(none.belief, 0.0);
  EXPECT_EQ(none.shift, (std::vector<double>{1.0, 1.0, 1.0}));
}

// Of seven classes the middle one of those with labels has 40 of 1000: what has none is not taken for a
// seventh of all rows.
TEST(HardlyLabeled, AmongRareClassesNoneIsTakenForAFrequentOne) {
  const std::vector<double> labels = {800.0, 140.0, 40.0, 15.0, 5.0, 0.0, 0.0};
  const HardlyLabeled some = HardlyLabeled::of(labels, 0.5);
  const double sum = 1.0 - 5.0 / 12.0 + 2.0; // 15 are enough: .35 of the middle one's 15 are fewer than 12
  EXPECT_NEAR(some.share, 0.04 * sum / 0.5, 1e-12);
  EXPECT_NEAR(some.shift[6], some.share / sum * 1000.0, 1e-9);
  // Where those with labels have about as many, the others are taken for one like them.
  EXPECT_NEAR(HardlyLabeled::of({500.0, 0.0, 0.0}, 1.0).share, 2.0 / 3.0, 1e-12);
  EXPECT_NEAR(HardlyLabeled::of({500.0, 490.0, 0.0}, 1.0).share, 1.0 / 3.0, 1e-12);
}

TEST(HardlyLabeled, ExtrapolatesByHand) {
  // s p = (20, 17, 100) / 40, so that p' = (20, 17, 100) / 137. With m = 5/8, belief = 3/13 and t = .4, k is
  // .4 * 3/8 = .15 for the first class and .4 + .6 * 15/104 for the others.
  const HardlyLabeled some = HardlyLabeled::of({24.0, 6.0, 0.0}, 0.8);
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
  HardlyLabeled some = HardlyLabeled::of({24.0, 6.0, 0.0}, 0.8);
  some.belief = 0.0;
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
