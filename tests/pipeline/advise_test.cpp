#include "lacuna/pipeline/advise.hpp"

#include <algorithm>
#include <set>

#include <gtest/gtest.h>

#include "core/index.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/pipeline/fit.hpp"

namespace lacuna::advise_test {
namespace {

/// Two clouds of a class each, of which some rows have labels, and two that nobody labeled, far off.
struct Clouds {
  Dataset data;
  std::vector<int> cloud;
};
Clouds clouds(Index n, std::uint64_t seed) {
  RandomStream random(seed, RandomPurpose::simulation);
  constexpr double centers[4][2] = {{-4.0, 0.0}, {4.0, 0.0}, {0.0, 40.0}, {0.0, -60.0}};
  Clouds made;
  made.data.features = Matrix(n, 2);
  made.data.class_names = {"a", "b"};
  made.data.feature_names = {"x", "y"};
  for (Index i = 0; i < n; ++i) {
    const double u = random.uniform();
    const int c = u < 0.35 ? 0 : u < 0.7 ? 1 : u < 0.9 ? 2 : 3;
    for (Index j = 0; j < 2; ++j) made.data.features(i, j) = centers[c][j] + random.normal();
    made.cloud.push_back(c);
    made.data.labels.push_back(c < 2 && random.uniform() < 0.3 ? c : missing_label);
  }
  return made;
}

TEST(Advise, LooksWhereLabelsSayNothingFirst) {
  const Clouds made = clouds(1500, 1);
  const Model model = fit(made.data);
  const Advice advice = advise(model, made.data.features.view(), made.data.labels, {.n = 10, .threads = 2});
  EXPECT_EQ(advice.n_labeled + advice.n_unlabeled, 1500);
  ASSERT_EQ(advice.rows.size(), 10);
  // The larger of the two clouds first, and both before any other.
  EXPECT_EQ(made.cloud[at(advice.rows[0].row)], 2);
  EXPECT_TRUE(
      std::ranges::any_of(advice.rows, [&](const AdvisedRow& row) { return made.cloud[at(row.row)] == 3; }));
  std::set<Index> rows;
  double drop = 0.0;
  for (const AdvisedRow& row : advice.rows) {
    EXPECT_GE(made.cloud[at(row.row)], 2);
    EXPECT_EQ(row.reason, AdviceReason::unseen);
    EXPECT_EQ(made.data.labels[at(row.row)], missing_label);
    EXPECT_NE(row.prediction, row.second);
    EXPECT_GT(row.stands_for, 0.0);
    drop += row.expected_drop;
    rows.insert(row.row);
  }
  EXPECT_EQ(rows.size(), 10);
  EXPECT_GT(drop, 0.0);
  EXPECT_LT(drop, advice.mean_error_probability);
}

TEST(Advise, LabelsThatAreThereSpeakForRowsLikeThem) {
  const Clouds made = clouds(1500, 2);
  const Model model = fit(made.data);
  std::vector<int> labels = made.data.labels;
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (made.cloud[i] == 2) labels[i] = 0; // the model does not know them, but they need none
  const Advice advice = advise(model, made.data.features.view(), labels, {.n = 5});
  ASSERT_FALSE(advice.rows.empty());
  EXPECT_EQ(made.cloud[at(advice.rows[0].row)], 3);
  for (const AdvisedRow& row : advice.rows) EXPECT_EQ(labels[at(row.row)], missing_label);
}

TEST(Advise, ThreadsDoNotMatterAndAllRowsMayBeAskedFor) {
  const Clouds made = clouds(60, 3);
  const Model model = fit(made.data);
  const auto rows_of = [&](int threads) {
    std::vector<Index> rows;
    for (const AdvisedRow& row :
         advise(model, made.data.features.view(), {}, {.n = 1000, .threads = threads}).rows)
      rows.push_back(row.row);
    return rows;
  };
  const std::vector<Index> rows = rows_of(1);
  EXPECT_EQ(rows_of(2), rows);
  EXPECT_LE(rows.size(), 60);
  EXPECT_EQ(std::set<Index>(rows.begin(), rows.end()).size(), rows.size());
  const std::vector<int> all(60, 1);
  EXPECT_TRUE(advise(model, made.data.features.view(), all, {}).rows.empty());
}

} // namespace
} // namespace lacuna::advise_test
