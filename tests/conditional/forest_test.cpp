// What only a forest promises: leaves hold shares, cuts see ranks and gaps, and no leaf is small.
#include "conditional/forest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include <gtest/gtest.h>

#include "conditional/boosted_trees.hpp"
#include "conditional/forest_growth.hpp"
#include "core/index.hpp"
#include "tests/conditional/test_data.hpp"

namespace lacuna::testing {
namespace {

Matrix forest_answers(const Dataset& data, MatrixView rows, std::uint64_t seed = 1) {
  return answers(*ForestFamily().fit(data, {.seed = seed}), rows);
}

std::vector<double> bits(const Matrix& logs) {
  return {logs.values().begin(), logs.values().end()};
}

/// A column in which `n_rows[k]` rows have the value k and `n_second[k]` of them the second of two classes.
Dataset counted_column(const std::vector<int>& n_rows, const std::vector<int>& n_second) {
  Dataset data;
  data.class_names = {"a", "b"};
  std::vector<double> cells;
  for (std::size_t k = 0; k < n_rows.size(); ++k)
    for (int i = 0; i < n_rows[k]; ++i) {
      cells.push_back(static_cast<double>(k));
      data.labels.push_back(i < n_second[k] ? 1 : 0);
    }
  const auto n = static_cast<Index>(cells.size());
  data.features = Matrix(n, 1, std::move(cells));
  return data;
}

/// (n p + 1/K) / (n + 1): what trees say that all found the share p among n labels of K classes.
double one_label_more(double n, double share, double n_classes) {
  return (n * share + 1.0 / n_classes) / (n + 1.0);
}

constexpr double of_float = 1e-7; // shares are stored in 32 bits

TEST(Forest, LeavesHoldTheSharesOfTheClasses) {
  const Dataset data = counted_column({30, 50}, {9, 40});
  const Matrix rows(4, 1, {0.0, 1.0, -5.0, 7.0});
  const Matrix logs = forest_answers(data, rows.view());
  EXPECT_NEAR(std::exp(logs(0, 1)), one_label_more(80.0, 0.3, 2.0), of_float);
  EXPECT_NEAR(std::exp(logs(1, 1)), one_label_more(80.0, 0.8, 2.0), of_float);
  EXPECT_EQ(logs(2, 1), logs(0, 1)); // beyond the ends as at them
  EXPECT_EQ(logs(3, 1), logs(1, 1));
}

TEST(Forest, SharesGoByWeightAmongTheClassesThatThereAre) {
  // Weights 1, 2, 3 at the first value, 4 at the second; of four classes three have labels.
  Dataset data;
  data.features = Matrix(4, 1, {0.0, 0.0, 0.0, 1.0});
  data.class_names = {"a", "none", "b", "c"};
  data.labels = {0, 2, 3, 2};
  data.weights = {1.0, 2.0, 3.0, 4.0};
  const Matrix logs = forest_answers(data, data.features.view());
  EXPECT_NEAR(std::exp(logs(0, 0)), one_label_more(10.0, 1.0 / 6.0, 3.0), of_float);
  EXPECT_NEAR(std::exp(logs(0, 2)), one_label_more(10.0, 2.0 / 6.0, 3.0), of_float);
  EXPECT_NEAR(std::exp(logs(0, 3)), one_label_more(10.0, 3.0 / 6.0, 3.0), of_float);
  EXPECT_NEAR(std::exp(logs(3, 0)), one_label_more(10.0, 0.0, 3.0), of_float);
  EXPECT_NEAR(std::exp(logs(3, 2)), one_label_more(10.0, 1.0, 3.0), of_float);
}

TEST(Forest, CategoriesEndAlone) {
  // 40 levels, of which the last two have no row; some levels are of one class only, some are alike.
  std::vector<int> n_rows(38);
  std::vector<int> n_second(38);
  for (std::size_t k = 0; k < 38; ++k) {
    n_rows[k] = 8 + static_cast<int>(k % 5);
    n_second[k] = static_cast<int>(3 * k % 8);
  }
  Dataset data = counted_column(n_rows, n_second);
  data.levels = {40};
  const double n = std::accumulate(n_rows.begin(), n_rows.end(), 0.0);
  ASSERT_LE(n / 400.0, 8.0); // each may have a leaf
  Matrix rows(41, 1);
  for (Index k = 0; k < 40; ++k) rows(k, 0) = static_cast<double>(k);
  rows(40, 0) = gap;
  const Matrix logs = forest_answers(data, rows.view());
  for (std::size_t k = 0; k < 38; ++k)
    EXPECT_NEAR(std::exp(logs(static_cast<Index>(k), 1)),
                one_label_more(n, static_cast<double>(n_second[k]) / n_rows[k], 2.0), of_float)
        << k;
  // What was never seen ends in some level's leaf: a mean of their shares, none of which is above 7/8.
  for (const Index unseen : {38, 39, 40}) {
    EXPECT_NEAR(std::exp(logs(unseen, 0)) + std::exp(logs(unseen, 1)), 1.0, 1e-12);
    EXPECT_GE(std::exp(logs(unseen, 1)), one_label_more(n, 0.0, 2.0) - of_float);
    EXPECT_LE(std::exp(logs(unseen, 1)), one_label_more(n, 7.0 / 8.0, 2.0) + of_float);
  }
}

TEST(Forest, LearnsWhatNoLineTells) {
  // The class is the sign of a product, of 400 rows; asked are 2000 others. Chance is wrong in half of them,
  // a line in at least a third; what is tested leaves out twenty standard errors (.011) to the first.
  const auto table = [](Index n, std::uint64_t seed) {
    Dataset data;
    data.features = Matrix(n, 2);
    data.class_names = {"a", "b"};
    RandomStream random(seed, RandomPurpose::simulation);
    for (double& value : data.features.values()) value = 2.0 * random.uniform() - 1.0;
    for (Index i = 0; i < n; ++i)
      data.labels.push_back(data.features(i, 0) * data.features(i, 1) > 0.0 ? 1 : 0);
    return data;
  };
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Dataset train = table(400, seed);
    const Dataset fresh = table(2000, 100 + seed);
    const auto error_of = [&](const ConditionalFamily& family) {
      const Matrix logs = answers(*family.fit(train, {.seed = seed}), fresh.features.view());
      double n_wrong = 0.0;
      for (Index i = 0; i < 2000; ++i)
        n_wrong += (logs(i, 1) > logs(i, 0) ? 1 : 0) == fresh.labels[at(i)] ? 0.0 : 1.0;
      return n_wrong / 2000.0;
    };
    EXPECT_LT(error_of(ForestFamily()), 0.15) << seed;
    EXPECT_GT(error_of(LogisticFamily()), 0.3) << seed;
  }
}

/// A mixed table whose numbers have few different values, so that none of them is rounded to another.
Dataset rounded_table(Index n, std::uint64_t seed) {
  Dataset data = mixed_table(n, 3, seed);
  for (Index i = 0; i < n; ++i) {
    data.features(i, 0) = std::round(8.0 * data.features(i, 0)) / 8.0;
    data.features(i, 1) = std::round(2.0 * std::log(data.features(i, 1)));
    data.features(i, 2) = std::round(8.0 * (data.features(i, 2) - 100.0)) / 8.0;
  }
  return data;
}

Dataset labeled_only(const Dataset& data, const std::vector<Index>& order) {
  Dataset result = data;
  result.labels.clear();
  result.features = Matrix(static_cast<Index>(order.size()), data.n_features());
  for (std::size_t i = 0; i < order.size(); ++i) {
    std::copy_n(data.features.row(order[i]), data.n_features(), result.features.row(static_cast<Index>(i)));
    result.labels.push_back(data.labels[at(order[i])]);
  }
  return result;
}

std::vector<Index> labeled_order(const Dataset& data) {
  std::vector<Index> order;
  for (Index i = 0; i < data.n_rows(); ++i)
    if (data.labels[at(i)] != missing_label) order.push_back(i);
  return order;
}

TEST(Forest, ForgetsMonotoneChangesOfAColumn) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Dataset whole = rounded_table(400, seed);
    const Dataset data = labeled_only(whole, labeled_order(whole));
    Dataset changed = data;
    for (Index i = 0; i < data.n_rows(); ++i) {
      changed.features(i, 0) = std::exp(data.features(i, 0));
      changed.features(i, 1) = std::pow(data.features(i, 1), 3.0);
      changed.features(i, 2) = std::exp(0.5 * data.features(i, 2)); // a gap stays a gap
    }
    // Rows that it was fitted to: others may lie between two of them, closer to this one or to that.
    EXPECT_EQ(bits(forest_answers(data, data.features.view())),
              bits(forest_answers(changed, changed.features.view())))
        << seed;
  }
}

/// Of each kind of column: what shall not matter is more likely to in some than in others.
const std::vector<std::pair<std::string, std::vector<Index>>> kinds_of_columns = {
    {"numbers", {0, 1}},
    {"gaps", {2}},
    {"categories", {3}},
    {"categories with gaps", {4}},
    {"all", {0, 1, 2, 3, 4}}};

Dataset some_columns(const Dataset& data, const std::vector<Index>& columns) {
  Dataset result = data;
  result.features = Matrix(data.n_rows(), static_cast<Index>(columns.size()));
  result.levels.clear();
  result.feature_names.clear();
  for (std::size_t j = 0; j < columns.size(); ++j) {
    result.levels.push_back(data.levels[at(columns[j])]);
    result.feature_names.push_back(data.feature_names[at(columns[j])]);
    for (Index i = 0; i < data.n_rows(); ++i)
      result.features(i, static_cast<Index>(j)) = data.features(i, columns[j]);
  }
  return result;
}

TEST(Forest, ForgetsTheOrderOfTheRows) {
  for (const auto& [name, columns] : kinds_of_columns)
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Dataset whole = some_columns(rounded_table(400, 10 + seed), columns);
      std::vector<Index> order = labeled_order(whole);
      const Dataset data = labeled_only(whole, order);
      RandomStream random(seed, RandomPurpose::simulation, 2);
      for (std::size_t i = order.size() - 1; i > 0; --i)
        std::swap(order[i], order[static_cast<std::size_t>(random.uniform() * static_cast<double>(i + 1))]);
      const Dataset shuffled = labeled_only(whole, order);
      EXPECT_LT(largest_difference(forest_answers(data, whole.features.view()),
                                   forest_answers(shuffled, whole.features.view())),
                1e-12)
          << name << ", seed " << seed;
    }
}

TEST(Forest, TakesWeightTwoForTheRowTwice) {
  for (const auto& [name, columns] : kinds_of_columns)
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Dataset data = some_columns(rounded_table(400, 20 + seed), columns);
      const auto [twice, weighted] = doubled(data);
      EXPECT_LT(largest_difference(forest_answers(twice, data.features.view()),
                                   forest_answers(weighted, data.features.view())),
                1e-12)
          << name << ", seed " << seed;
    }
}

TEST(Forest, GapsMaySayTheClass) {
  // The second class is where the value is missing: all leaves of all trees are of one class.
  for (const Index n_levels : {0, 6}) {
    Dataset data;
    data.features = Matrix(200, 1);
    data.class_names = {"a", "b"};
    if (n_levels > 0) data.levels = {n_levels};
    RandomStream random(1, RandomPurpose::simulation);
    for (Index i = 0; i < 200; ++i) {
      const double value = n_levels > 0 ? std::floor(6.0 * random.uniform()) : random.normal();
      data.features(i, 0) = i % 2 == 0 ? gap : value;
      data.labels.push_back(i % 2 == 0 ? 1 : 0);
    }
    const Matrix logs = forest_answers(data, data.features.view());
    for (Index i = 0; i < 200; ++i)
      EXPECT_NEAR(std::exp(logs(i, i % 2 == 0 ? 1 : 0)), one_label_more(200.0, 1.0, 2.0), of_float) << i;
  }
}

TEST(Forest, NoLeafIsLight) {
  // 4000 rows whose labels are noise and whose weights differ: every tree would go on to single rows.
  Dataset data = noise_table(4000, 4, 2, 1);
  RandomStream random(1, RandomPurpose::simulation, 3);
  for (Index i = 0; i < 4000; ++i) {
    data.weights.push_back(1.0 + std::floor(4.0 * random.uniform()));
    if (i % 7 == 0) data.features(i, 1) = gap;
  }
  const LabeledRows labeled = labeled_rows(data);
  const ColumnScales scales = ColumnScales::fit(data, labeled);
  std::vector<float> cells(4000U * 4U);
  for (std::size_t i = 0; i < 4000; ++i)
    BoostedTrees::read(scales, data.features.row(static_cast<Index>(i)), std::span(cells).subspan(4 * i, 4));
  const double least = labeled.total_weight / 400.0;
  GrownForest forest;
  forest.trees.n_features = 4;
  for (std::uint64_t seed = 0; seed < 5; ++seed)
    forest.append(grow_tree(RankedRows(data, labeled, cells, 2), least, seed), 2);
  for (std::size_t tree = 0; tree < 5; ++tree) {
    std::vector<double> weight_of(forest.shares.size() / 2);
    std::vector<double> second_of(forest.shares.size() / 2);
    for (std::size_t i = 0; i < 4000; ++i) {
      const auto leaf =
          static_cast<std::size_t>(forest.trees.leaf(tree, std::span(cells).subspan(4 * i, 4)).value);
      weight_of[leaf] += data.weights[i];
      if (data.labels[i] == 1) second_of[leaf] += data.weights[i];
    }
    double total = 0.0;
    int n_leaves = 0;
    for (std::size_t leaf = 0; leaf < weight_of.size(); ++leaf) {
      if (weight_of[leaf] == 0.0) continue; // of another tree
      EXPECT_GE(weight_of[leaf], least);
      EXPECT_NEAR(forest.shares[2 * leaf + 1], second_of[leaf] / weight_of[leaf], of_float);
      EXPECT_NEAR(forest.shares[2 * leaf] + forest.shares[2 * leaf + 1], 1.0, 2.0 * of_float);
      total += weight_of[leaf];
      ++n_leaves;
    }
    EXPECT_EQ(total, labeled.total_weight);
    const Index n_nodes = forest.trees.tree_first[tree + 1] - forest.trees.tree_first[tree];
    EXPECT_EQ(n_nodes, 2 * n_leaves - 1); // and no leaf of the tree is empty
    EXPECT_GT(n_leaves, 50);
  }
}

TEST(Forest, HasAtMostFourHundredLeavesPerTree) {
  Archive archive;
  ForestFamily().fit(noise_table(4000, 4, 2, 2), {.seed = 1})->save(archive, "");
  const std::vector<double>& first = archive.tensor("trees/tree_first").values;
  ASSERT_EQ(first.size(), 101U);
  for (std::size_t tree = 0; tree < 100; ++tree) EXPECT_LE(first[tree + 1] - first[tree], 2.0 * 400.0 - 1.0);
}

TEST(Forest, IsNotCertainOfNoise) {
  // 300 labels that are coins, 2000 other rows, five times. The guesses are right as often as coins: .5
  // within 5 standard errors of 10,000 (.025; one run in 10^6). Trees that disagree leave doubt: were every
  // answer the share among ten labels at random, the larger share would have a mean of .623, and be .9 or
  // more in 22/1024 of the rows. A tree alone is always certain.
  double n_right = 0.0;
  double largest = 0.0;
  double n_sure = 0.0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Dataset fresh = noise_table(2000, 5, 2, 200 + seed);
    const Matrix logs = forest_answers(noise_table(300, 5, 2, seed), fresh.features.view(), seed);
    for (Index i = 0; i < 2000; ++i) {
      n_right += (logs(i, 1) > logs(i, 0) ? 1 : 0) == fresh.labels[at(i)] ? 1.0 : 0.0;
      const double p = std::exp(std::max(logs(i, 0), logs(i, 1)));
      largest += p / 10000.0;
      n_sure += p >= 0.9 ? 1.0 : 0.0;
    }
  }
  EXPECT_NEAR(n_right / 10000.0, 0.5, 0.025);
  EXPECT_GT(largest, 0.5);
  EXPECT_LT(largest, 0.62);
  EXPECT_LT(n_sure / 10000.0, 0.02);
}

TEST(Forest, DependsOnTheSeedAlone) {
  const Dataset data = mixed_table(300, 3, 30);
  const auto of = [&](std::uint64_t seed) { return bits(forest_answers(data, data.features.view(), seed)); };
  EXPECT_EQ(of(1), of(1));
  EXPECT_NE(of(1), of(2));
}

} // namespace
} // namespace lacuna::testing
