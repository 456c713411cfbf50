#include "report/words.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lacuna {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

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

} // namespace
} // namespace lacuna
