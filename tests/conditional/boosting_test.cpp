#include "conditional/boosting.hpp"

#include <cstdlib>
#include <tuple>

#include <gtest/gtest.h>

#include "conditional/xgboost_booster.hpp"
#include "core/index.hpp"
#include "core/parallel.hpp"
#include "tests/conditional/test_data.hpp"

namespace lacuna::testing {
namespace {

constexpr int n_rounds = 40;

/// XGBoost's own answers for all rows of the data from the same fit, as probabilities: the rows are handed to
/// it as another matrix.
Matrix library_answers(const Dataset& data, int n_leaves, std::uint64_t seed) {
  const LabeledRows labeled = labeled_rows(data);
  const ColumnScales scales = ColumnScales::fit(data, labeled);
  const std::vector<double> weights = labeled.class_weights();
  std::vector<float> starts;
  if (weights.size() == 2) starts.push_back(static_cast<float>(std::log(weights[1] / weights[0])));
  if (weights.size() != 2)
    for (const double weight : weights)
      starts.push_back(static_cast<float>(std::log(weight / labeled.total_weight)));
  const XgboostMatrix train(data, labeled, scales, starts);
  XgboostBooster booster(train, weights.size(), n_leaves, seed);
  for (int round = 0; round < n_rounds; ++round) booster.add_round(round, train);

  Dataset all = data;
  for (int& label : all.labels) label = 0;
  const LabeledRows every = labeled_rows(all);
  const XgboostMatrix test(all, every, scales, starts);
  const std::span<const float> margins = booster.margins(test);
  Matrix out(data.n_rows(), data.n_classes());
  for (Index i = 0; i < data.n_rows(); ++i) {
    double sum = 0.0;
    for (std::size_t y = 0; y < weights.size(); ++y) {
      const double score =
          weights.size() == 2 ? (y == 1 ? margins[at(i)] : 0.0F) : margins[at(i) * starts.size() + y];
      out(i, static_cast<Index>(y)) = std::exp(score);
      sum += out(i, static_cast<Index>(y));
    }
    for (std::size_t y = 0; y < weights.size(); ++y)
      out(i, static_cast<Index>(y)) = std::log(out(i, static_cast<Index>(y)) / sum);
  }
  return out;
}

TEST(Boosting, EqualsTheLibrary) {
  ASSERT_EQ(xgboost_problem(), "");
  for (const int n_classes : {2, 4}) {
    Dataset data = mixed_table(1500, n_classes, 1);
    const auto fitted = BoostingFamily(n_rounds).fit(data, {.seed = 3});
    EXPECT_LT(largest_difference(answers(*fitted, data.features.view()), library_answers(data, 4, 3)), 1e-6);
    // It learned something: its answers are not the shares of the classes.
    const auto shares = ClassPriorFamily().fit(data, {});
    EXPECT_GT(
        largest_difference(answers(*fitted, data.features.view()), answers(*shares, data.features.view())),
        0.3);
  }
}

TEST(Boosting, SplitsByEachKindOfColumn) {
  ASSERT_EQ(xgboost_problem(), "");
  const Dataset data = mixed_table(1500, 4, 1);
  Archive archive;
  BoostingFamily(n_rounds).fit(data, {})->save(archive, "");
  std::vector<int> used(5, 0);
  const std::vector<double>& left = archive.tensor("trees/left").values;
  for (std::size_t i = 0; i < left.size(); ++i)
    if (left[i] != 0.0) ++used[static_cast<std::size_t>(archive.tensor("trees/feature").values[i])];
  for (const int n : used) EXPECT_GT(n, 0);
  EXPECT_FALSE(archive.tensor("trees/set_words").values.empty());
}

TEST(Boosting, GrowsWithTheLabels) {
  ASSERT_EQ(xgboost_problem(), "");
  // 100, 2000 and 4000 labels of two classes, the last 4000 by weight: 4, 6 and 7 leaves, 13 rounds for each.
  for (const auto& [n_rows, weight, n_leaves] : {std::tuple{200, 1.0, 4}, {4000, 1.0, 6}, {4000, 2.0, 7}}) {
    Dataset data = mixed_table(n_rows, 2, 2);
    data.weights.assign(static_cast<std::size_t>(n_rows), weight);
    Archive archive;
    BoostingFamily().fit(data, {})->save(archive, "");
    const std::vector<double>& first = archive.tensor("trees/tree_first").values;
    double largest = 0.0;
    for (std::size_t tree = 1; tree < first.size(); ++tree)
      largest = std::max(largest, first[tree] - first[tree - 1]);
    EXPECT_EQ(first.size(), static_cast<std::size_t>(13 * n_leaves + 1));
    EXPECT_EQ(largest, 2.0 * n_leaves - 1.0); // a binary tree with that many leaves
  }
}

TEST(Boosting, ThreadsFitTheSameBitsSideBySide) {
  ASSERT_EQ(xgboost_problem(), "");
  constexpr Index n_fits = 6;
  std::vector<Dataset> tables;
  for (Index i = 0; i < n_fits; ++i)
    tables.push_back(mixed_table(400, 2 + static_cast<int>(i % 3), static_cast<std::uint64_t>(20 + i)));
  const auto fit = [&](int threads) {
    std::vector<Matrix> results(n_fits);
    parallel_for(n_fits, threads, [&](Index i) {
      results[at(i)] =
          answers(*BoostingFamily(n_rounds).fit(tables[at(i)], {.seed = 1}), tables[at(i)].features.view());
    });
    return results;
  };
  const std::vector<Matrix> alone = fit(1);
  const std::vector<Matrix> together = fit(6);
  for (std::size_t i = 0; i < n_fits; ++i)
    EXPECT_EQ(std::vector(alone[i].values().begin(), alone[i].values().end()),
              std::vector(together[i].values().begin(), together[i].values().end()));
}

TEST(Boosting, TakesUnusualTables) {
  ASSERT_EQ(xgboost_problem(), "");
  Dataset data = mixed_table(40, 2, 30);
  for (Index i = 0; i < 40; ++i) {
    data.features(i, 0) = 1e100 * (i % 3 == 0 ? -1.0 : 1.0);
    data.features(i, 1) = gap;
    data.features(i, 2) = 5.0;
  }
  BoostingFamily(5).fit(data, {});
  data.labels.assign(40, missing_label); // one row of each class
  data.labels[3] = 0;
  data.labels[7] = 1;
  BoostingFamily(5).fit(data, {});
}

/// Runs in a process of its own, which has not yet looked for the library.
TEST(BoostingDeathTest, SaysWhatIsMissing) {
  ::testing::FLAGS_gtest_death_test_style = "threadsafe";
  const auto complain = [](const char* library) {
    setenv("LACUNA_XGBOOST_LIBRARY", library, 1);
    try {
      BoostingFamily(5).fit(mixed_table(40, 2, 1), {});
    } catch (const Error& error) {
      fprintf(stderr, "%s", error.what());
      std::exit(error.kind() == ErrorKind::usage ? 3 : 4);
    }
    std::exit(0);
  };
  EXPECT_EXIT(complain("/nowhere/libxgboost.so"), ::testing::ExitedWithCode(3),
              "install the package libxgboost-dev .Debian.*LACUNA_XGBOOST_LIBRARY.*nowhere");
  EXPECT_EXIT(complain("libm.so.6"), ::testing::ExitedWithCode(3), "lacks XGBGetLastError");
}

} // namespace
} // namespace lacuna::testing
