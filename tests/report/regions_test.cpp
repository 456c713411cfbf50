#include "report/regions.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lacuna/core/random.hpp"

namespace lacuna {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

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

TEST(TooSurePart, IsTheTrapAndItsNumbers) {
  Matrix features;
  const RegionRows trap = square(features, false);
  const std::optional<JudgedRows> part = too_sure_part(trap);
  ASSERT_TRUE(part);
  EXPECT_THAT(part->where, HasSubstr("where age is above 0.6"));
  EXPECT_NEAR(part->announced, 0.05, 1e-12);
  EXPECT_GT(part->made, 0.4);
  Matrix others;
  EXPECT_FALSE(too_sure_part(square(others, true)));
}

} // namespace
} // namespace lacuna
