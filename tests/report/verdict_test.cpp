#include "report/verdict.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lacuna/core/random.hpp"
#include "report/words.hpp"

namespace lacuna {
namespace {

using testing::HasSubstr;
using testing::Not;

/// `n` rows with this error probability and this error rate.
void add_rows(Evaluator& evaluator, Index n, double announced, double made, const std::string* stratum) {
  const double p[2] = {1.0 - announced, announced};
  for (Index i = 0; i < n; ++i)
    evaluator.add(static_cast<double>(i) < made * static_cast<double>(n) ? 1 : 0, 0, announced, p, stratum);
}

ReportVerdict verdict_on(const Evaluator& evaluator, Index n_classes = 10) {
  VerdictInput input{
      "it", evaluator.evaluation().overall, {}, evaluator.diagnostics({}).risk_coverage, n_classes, nullptr};
  for (const auto& [name, metrics] : evaluator.evaluation().strata)
    input.parts.push_back(
        {"in " + quoted(name), metrics.n, metrics.mean_error_probability, metrics.error_rate});
  return verdict(input);
}

ReportVerdict verdict_on(Index n, double announced, double made) {
  Evaluator evaluator(2);
  add_rows(evaluator, n, announced, made, nullptr);
  return verdict_on(evaluator);
}

TEST(Verdict, FollowsTheNumbers) {
  EXPECT_EQ(verdict_on(2000, 0.05, 0.25).text, "announced 5.0 %, made 25.0 %: do not trust it.");
  EXPECT_EQ(verdict_on(2000, 0.05, 0.25).tone, Tone::broken);
  EXPECT_EQ(verdict_on(2000, 0.25, 0.05).tone, Tone::careful);
  EXPECT_EQ(verdict_on(2000, 0.20, 0.20).tone, Tone::kept);
  EXPECT_EQ(verdict_on(2000, 0.20, 0.21).tone, Tone::kept); // chance alone gives that
}

TEST(Verdict, SmallDifferencesAreNotWorthAWordUnlessErrorsDouble) {
  // The interval is some 0.6 points to each side.
  EXPECT_EQ(verdict_on(20000, 0.20, 0.225).tone, Tone::kept);
  EXPECT_EQ(verdict_on(20000, 0.20, 0.235).tone, Tone::broken);
  EXPECT_EQ(verdict_on(20000, 0.225, 0.20).tone, Tone::kept);
  EXPECT_EQ(verdict_on(20000, 0.235, 0.20).tone, Tone::careful);
  EXPECT_EQ(verdict_on(20000, 0.01, 0.015).tone, Tone::kept);
  EXPECT_EQ(verdict_on(20000, 0.01, 0.025).tone, Tone::broken);
  EXPECT_EQ(verdict_on(20000, 0.0, 0.002).tone, Tone::kept);
}

TEST(Verdict, FewRowsNeitherAccuseNorAcquit) {
  const ReportVerdict few = verdict_on(5, 0.2, 0.4);
  EXPECT_EQ(few.tone, Tone::unsure);
  EXPECT_THAT(few.text, HasSubstr("5 rows cannot show less than 40 points"));
  const Interval interval = clopper_pearson(5, 2, interval_level);
  EXPECT_NEAR(0.5 * (interval.high - interval.low), 0.40, 0.005);
  EXPECT_EQ(verdict_on(1000, 0.2, 0.2).tone, Tone::kept); // 2.5 points
  EXPECT_EQ(verdict_on(500, 0.2, 0.2).tone, Tone::unsure);
}

TEST(Verdict, NamesTheStratumThatAGoodAverageHides) {
  Evaluator evaluator(2);
  const std::string near = "near";
  const std::string far = "far";
  add_rows(evaluator, 3000, 0.20, 0.16, &near);
  add_rows(evaluator, 600, 0.10, 0.30, &far);
  const ReportVerdict found = verdict_on(evaluator);
  EXPECT_EQ(found.tone, Tone::broken);
  EXPECT_THAT(found.text,
              HasSubstr("on the whole: do not trust it in 'far' (announced 10.0 %, made 30.0 %)."));
}

TEST(Verdict, SaysWhereFromTheRowsItWasTooSureOf) {
  Evaluator evaluator(2);
  add_rows(evaluator, 2000, 0.05, 0.25, nullptr);
  VerdictInput input{"it", evaluator.evaluation().overall,
                     {},   {},
                     2,    [] {
                       return JudgedRows{"where age is at most 31", 300, 0.02, 0.41}; }};
  EXPECT_EQ(verdict(input).text, "announced 5.0 %, made 25.0 %: do not trust it where age is at most 31 "
                                 "(announced 2.0 %, made 41.0 %).");
}

TEST(Verdict, ErrorsThatCancelOutAreStillTold) {
  Evaluator evaluator(2);
  add_rows(evaluator, 1000, 0.02, 0.22, nullptr);
  add_rows(evaluator, 1000, 0.42, 0.22, nullptr);
  const ReportVerdict found = verdict_on(evaluator);
  EXPECT_EQ(found.tone, Tone::broken);
  EXPECT_THAT(found.text, HasSubstr("too sure of some rows and too careful about others"));
}

TEST(Verdict, WhoSaysThatItKnowsNothingKeepsItsWord) {
  Evaluator evaluator(2);
  add_rows(evaluator, 2000, 0.49, 0.80, nullptr); // guesses that happen to be bad
  EXPECT_NE(verdict_on(evaluator, 2).tone, Tone::broken);
  EXPECT_EQ(verdict_on(evaluator, 3).tone, Tone::broken);
}

TEST(Verdict, NoRowsAreNotJudged) {
  EXPECT_EQ(verdict({"it", {}, {}, {}, 2, nullptr}).text, "was not judged: no test row has a label.");
}

TEST(Verdict, AnInvertedOrderIsTold) {
  Evaluator evaluator(2);
  add_rows(evaluator, 1000, 0.24, 0.40, nullptr); // the surest half
  add_rows(evaluator, 1000, 0.26, 0.10, nullptr);
  const ReportVerdict found = verdict_on(evaluator);
  EXPECT_EQ(found.tone, Tone::broken);
  EXPECT_THAT(found.text,
              HasSubstr("Acting on its surest rows is worse: of the surest 50 % it gets 40.0 % wrong, "
                        "of the others 10.0 %."));
  Evaluator slight(2);
  add_rows(slight, 5000, 0.24, 0.28, nullptr);
  add_rows(slight, 5000, 0.26, 0.22, nullptr);
  EXPECT_EQ(
      verdict_on(slight).text,
      "announced 25.0 %, made 25.0 % on the whole. Acting on its surest rows is worse: of the surest 50 % it "
      "gets 28.0 % wrong, of the others 22.0 %.");
  Evaluator right(2);
  add_rows(right, 1000, 0.10, 0.10, nullptr);
  add_rows(right, 1000, 0.40, 0.40, nullptr);
  EXPECT_EQ(inverted_words(right.diagnostics({}).risk_coverage, 2000), "");
}

/// Of methods that keep their word at most one in twenty may be called too sure, by all looks together: of
/// 400 more than 44 with probability 1e-6. Few errors, so that chance alone often doubles them.
TEST(Verdict, AtMostOneInTwentyHonestMethodsIsAccused) {
  const std::string strata[] = {"a", "b", "c", "d"};
  int n_accused = 0;
  for (std::uint64_t run = 0; run < 400; ++run) {
    RandomStream random(run, RandomPurpose::simulation);
    Evaluator evaluator(2);
    for (int i = 0; i < 300; ++i) {
      const double q = 0.06 * random.uniform();
      const double p[2] = {1.0 - q, q};
      evaluator.add(random.uniform() < q ? 1 : 0, 0, q, p, &strata[i % 4]);
    }
    if (verdict_on(evaluator).tone == Tone::broken) ++n_accused;
  }
  EXPECT_LE(n_accused, 44);
}

TEST(SelfCheckVerdict, FollowsTheIntervals) {
  StackSummary stack;
  EXPECT_FALSE(self_check_verdict("mar", stack, 2));
  stack.all = {2000, 0.20, 0.21, 0.19, 0.23};
  EXPECT_EQ(self_check_verdict("mar", stack, 2)->tone, Tone::kept);
  stack.deep = {200, 0.10, 0.30, 0.23, 0.37};
  EXPECT_EQ(self_check_verdict("mar", stack, 2)->tone, Tone::broken);
  EXPECT_THAT(self_check_verdict("mar", stack, 2)->text,
              HasSubstr("on rows least like the others (announced 10.0 %, made 30.0 %)"));
  stack.all = {100, 0.20, 0.21, 0.13, 0.30};
  stack.deep = {};
  EXPECT_EQ(self_check_verdict("mar", stack, 2)->tone, Tone::unsure);
}

TEST(Headline, SaysWhomToTrust) {
  const ReportVerdict mar{"mar", Tone::kept, ""};
  const ReportVerdict other{"other", Tone::broken, ""};
  const ReportVerdict careful{"third", Tone::careful, ""};
  EXPECT_EQ(verdict_headline({mar}), "");
  EXPECT_EQ(verdict_headline({mar, other, careful}),
            "Do not trust 1 of 3 methods. mar keeps its word. third is too careful.");
  EXPECT_EQ(verdict_headline({mar, mar}), "None of 2 methods is to be distrusted. mar, mar keep their word.");
  EXPECT_THAT(verdict_headline({other, other}), Not(HasSubstr("keep")));
}

} // namespace
} // namespace lacuna
