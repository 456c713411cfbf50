#include "report/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lacuna/core/random.hpp"

namespace lacuna {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

/// `n` rows with this error probability and this error rate.
void add_rows(Evaluator& evaluator, Index n, double announced, double made, const std::string* stratum) {
  const double p[2] = {1.0 - announced, announced};
  for (Index i = 0; i < n; ++i)
    evaluator.add(static_cast<double>(i) < made * static_cast<double>(n) ? 1 : 0, 0, announced, p, stratum);
}

ReportWords verdict_on(double announced, double made) {
  Evaluator evaluator(2);
  add_rows(evaluator, 2000, announced, made, nullptr);
  return verdict("it", evaluator.evaluation());
}

TEST(Verdict, FollowsTheNumbers) {
  EXPECT_EQ(verdict_on(0.05, 0.25).head, "it is overconfident");
  EXPECT_EQ(verdict_on(0.25, 0.05).head, "it is too careful");
  EXPECT_EQ(verdict_on(0.20, 0.20).head, "it keeps its word");
  EXPECT_EQ(verdict_on(0.20, 0.21).head, "it keeps its word"); // chance alone gives that
  const ReportWords words = verdict_on(0.05, 0.25);
  const Interval interval = clopper_pearson(2000, 500, interval_level);
  EXPECT_THAT(words.text, HasSubstr("announced errors in 5.0 % of 2,000 test rows and made them in 25.0 %"));
  EXPECT_THAT(words.text, HasSubstr(percent_words(interval.low) + " to " + percent_words(interval.high)));
}

StackSummary stack_with(std::vector<GapRecord> gaps, double deepest, SelfCheck all, SelfCheck deep) {
  StackSummary stack;
  stack.members = {{"logistic", 1.0, -0.5}};
  stack.gaps = std::move(gaps);
  stack.deepest = deepest;
  stack.all = all;
  stack.deep = deep;
  return stack;
}

TEST(TrustWords, CountGapsThatKeptTheirCertainty) {
  const std::vector<GapRecord> gaps{{"ball", 40, 1.0, 0.1, 0.1, 1.0}, {"class", 50, 2.0, 0.1, 0.5, 0.2}};
  EXPECT_EQ(
      gaps_words(stack_with(gaps, 3.25, {}, {})),
      "Labels were hidden on purpose in 2 gaps: in 1 of them extrapolation was worth at least 80 % of its "
      "certainty, and beyond depth 3.2 nobody has seen how it does.");
  const std::string none =
      "No trust in extrapolation was learned, so that nothing is believed outside the region.";
  EXPECT_EQ(gaps_words(stack_with({}, 0.0, {}, {})), none);
  EXPECT_EQ(gaps_words(stack_with(gaps, 0.0, {}, {})), none);
}

TEST(TrustWords, TellABreachOfTheSelfCheck) {
  const SelfCheck honest{1000, 0.2, 0.21, 0.19, 0.24};
  EXPECT_EQ(check_words(stack_with({}, 0.0, honest, {})),
            "On 1,000 labeled rows that it had not seen it announced 20.0 % errors and made 21.0 %.");
  EXPECT_EQ(
      check_words(stack_with({}, 0.0, honest, {100, 0.1, 0.3, 0.2, 0.4})),
      "On 1,000 labeled rows that it had not seen it announced 20.0 % errors and made 21.0 %; on the tenth "
      "that is least like the others it announced 10.0 % errors and made 30.0 %: do not rely on numbers that "
      "were too low.");
  EXPECT_EQ(check_words(stack_with({}, 0.0, {}, {})), "");
}

TEST(Verdict, DifferencesBelowThreePointsAreNotWorthAWord) {
  const auto head = [](double announced, double made) {
    Evaluator evaluator(2);
    add_rows(evaluator, 20000, announced, made, nullptr); // the interval is some 0.6 points to each side
    return verdict("it", evaluator.evaluation()).head;
  };
  EXPECT_EQ(head(0.20, 0.225), "it keeps its word");
  EXPECT_EQ(head(0.20, 0.235), "it is overconfident");
  EXPECT_EQ(head(0.225, 0.20), "it keeps its word");
  EXPECT_EQ(head(0.235, 0.20), "it is too careful");
}

TEST(Verdict, FewRowsAreNoReasonToAccuse) {
  Evaluator evaluator(2);
  add_rows(evaluator, 5, 0.2, 0.4, nullptr);
  EXPECT_EQ(verdict("it", evaluator.evaluation()).head, "it keeps its word");
}

TEST(Verdict, NamesTheStratumThatAGoodAverageHides) {
  Evaluator evaluator(2);
  const std::string near = "near";
  const std::string far = "far";
  add_rows(evaluator, 3000, 0.20, 0.16, &near);
  add_rows(evaluator, 600, 0.10, 0.30, &far);
  const ReportWords words = verdict("it", evaluator.evaluation());
  EXPECT_EQ(words.head, "it keeps its word on the whole, but is overconfident in 'far'");
  EXPECT_THAT(words.text, HasSubstr("Worst in 'far': announced 10.0 %, made 30.0 % (600 rows)."));
}

TEST(Verdict, ErrorsThatCancelOutAreStillTold) {
  Evaluator evaluator(2);
  add_rows(evaluator, 1000, 0.02, 0.22, nullptr);
  add_rows(evaluator, 1000, 0.42, 0.22, nullptr);
  EXPECT_EQ(verdict("it", evaluator.evaluation()).head,
            "it is right on average, but overconfident about some rows and too careful about others");
}

TEST(Verdict, NoRowsAreNotJudged) {
  EXPECT_EQ(verdict("it", Evaluation{}).head, "it was not judged");
}

TEST(ClassWords, TheWorstComeFirstAndForgottenOnesAreNamed) {
  ScoredRows rows;
  const auto add = [&](int label, int prediction, double q, int n) {
    for (int i = 0; i < n; ++i) {
      rows.label.push_back(label);
      rows.prediction.push_back(prediction);
      rows.error_probability.push_back(q);
      rows.stratum.push_back(no_stratum);
    }
  };
  add(0, 0, 0.1, 90);
  add(1, 0, 0.1, 10);
  add(1, 1, 0.3, 20);
  add(0, 1, 0.3, 20);
  add(2, 1, 0.3, 0);
  add(3, 0, 0.1, 1);
  const std::vector<ReportWords> words = class_words({"a", "b", "absent", "forgotten"}, rows, 5);
  ASSERT_EQ(words.size(), 3U);
  EXPECT_EQ(words[0].text, "'forgotten': it occurs among the test rows, but no prediction names it.");
  EXPECT_EQ(words[1].head, "Predictions of class 'b'");
  EXPECT_EQ(words[1].text, "40 rows: 50.0 % were wrong, 30.0 % were announced.");
  EXPECT_EQ(words[2].head, "Predictions of class 'a'");
  EXPECT_EQ(class_words({"a", "b", "absent", "forgotten"}, rows, 1).size(), 2U);
}

/// Rows over the unit square. In one corner errors are announced; in another they come unannounced.
RegionRows square(Matrix& features, bool is_honest) {
  constexpr Index n = 3000;
  features = Matrix(n, 3);
  RegionRows rows;
  for (Index i = 0; i < n; ++i) {
    RandomStream random(1, RandomPurpose::simulation, static_cast<std::uint64_t>(i));
    for (Index j = 0; j < 3; ++j) features(i, j) = random.uniform();
    const bool is_doubtful = features(i, 0) < 0.3 && features(i, 2) < 0.3;
    const bool is_trap = features(i, 0) > 0.7 && features(i, 2) > 0.7;
    rows.error_probability.push_back(is_doubtful ? 0.5 : 0.05);
    const double rate = is_doubtful ? 0.5 : is_trap && !is_honest ? 0.6 : 0.05;
    rows.is_error.push_back(random.uniform() < rate ? 1 : 0);
  }
  rows.features = features.view();
  rows.feature_names = {"age", "noise", "income"};
  rows.n_classes = 2;
  return rows;
}

TEST(RegionWords, FindDoubtAndSurpriseByPairsOfFeatures) {
  Matrix features;
  const std::vector<ReportWords> words = region_words(square(features, false));
  ASSERT_EQ(words.size(), 2U);
  EXPECT_THAT(words[0].head, HasSubstr("Most doubt where age is at most 0.3"));
  EXPECT_THAT(words[0].head, HasSubstr("and income is at most 0.3"));
  EXPECT_THAT(words[0].text, HasSubstr("It does not know there, and says so."));
  EXPECT_THAT(words[1].head, HasSubstr("Too sure where age is above 0.6"));
  EXPECT_THAT(words[1].head, HasSubstr("and income is above 0.6"));
}

TEST(RegionWords, AnHonestMethodSurprisesNobody) {
  Matrix features;
  const std::vector<ReportWords> words = region_words(square(features, true));
  ASSERT_EQ(words.size(), 1U);
  EXPECT_THAT(words[0].head, HasSubstr("Most doubt"));
}

/// Of each set of honest rows at most one in forty may be accused by chance, so five or more of twenty with
/// probability 2e-4. One part by itself, taken at its own interval, is off in nearly every set.
TEST(RegionWords, ManyPartsLookedAtAccuseNobodyByChance) {
  int n_accused = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    RandomStream random(seed, RandomPurpose::simulation);
    Matrix features(1000, 8);
    for (double& value : features.values()) value = random.uniform();
    RegionRows rows;
    for (Index i = 0; i < 1000; ++i) {
      rows.error_probability.push_back(0.2);
      rows.is_error.push_back(random.uniform() < 0.2 ? 1 : 0);
    }
    rows.features = features.view();
    rows.feature_names = {"a", "b", "c", "d", "e", "f", "g", "h"};
    for (const ReportWords& words : region_words(rows))
      if (words.head.starts_with("Too sure")) ++n_accused;
  }
  EXPECT_LT(n_accused, 5);
}

TEST(RegionWords, WhoSaysThatItKnowsNothingIsNotTooSure) {
  Matrix features(900, 1);
  RegionRows rows;
  for (Index i = 0; i < 900; ++i) {
    const Index part = i % 3; // low, middle and high
    features(i, 0) = static_cast<double>(part) + 5e-4 * static_cast<double>(i);
    rows.error_probability.push_back(part == 0 ? 0.1 : part == 1 ? 0.49 : 0.5);
    rows.is_error.push_back(part > 0 && i % 10 != 0 ? 1 : 0); // guesses that happen to be bad
  }
  rows.features = features.view();
  rows.feature_names = {"age"};
  const std::vector<ReportWords> words = region_words(rows);
  ASSERT_EQ(words.size(), 1U);
  EXPECT_THAT(words[0].head, HasSubstr("Most doubt"));
  EXPECT_THAT(words[0].text, HasSubstr("its guesses happened to be bad ones"));
}

TEST(RegionWords, FlagsAreSpokenOfAsFlags) {
  Matrix features(400, 1);
  RegionRows rows;
  for (Index i = 0; i < 400; ++i) {
    features(i, 0) = i % 2 == 0 ? 1.0 : 0.0;
    rows.error_probability.push_back(i % 2 == 0 ? 0.4 : 0.1);
    rows.is_error.push_back(i % 5 == 0 ? 1 : 0);
  }
  rows.features = features.view();
  rows.feature_names = {"town=Bonn"};
  const std::vector<ReportWords> words = region_words(rows);
  ASSERT_FALSE(words.empty());
  EXPECT_EQ(words[0].head, "Most doubt where town=Bonn holds");
}

TEST(RegionWords, NothingIsSaidAboutFewRowsOrManyFeatures) {
  Matrix features;
  RegionRows rows = square(features, false);
  rows.features.n_rows = 99;
  EXPECT_THAT(region_words(rows), IsEmpty());
  const Matrix wide(200, 65);
  rows.features = wide.view();
  EXPECT_THAT(region_words(rows), IsEmpty());
}

} // namespace
} // namespace lacuna
