#include "learning/labeling_test.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "experiments/toys.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna::by_lot_test {
namespace {

/// Two numbers, one of them with gaps and ties, and a category; `n_labeled` rows have a label, by lot.
Dataset table_by_lot(Index n, Index n_labeled, std::uint64_t seed) {
  RandomStream random(seed, RandomPurpose::simulation);
  Dataset data;
  data.features = Matrix(n, 3);
  data.class_names = {"a", "b"};
  data.levels = {0, 0, 3};
  Index left = n_labeled;
  for (Index i = 0; i < n; ++i) {
    data.features(i, 0) = random.normal();
    data.features(i, 1) =
        random.uniform() < 0.2 ? std::numeric_limits<double>::quiet_NaN() : std::floor(3.0 * random.normal());
    data.features(i, 2) = std::floor(3.0 * random.uniform());
    const bool is_labeled = random.uniform() * static_cast<double>(n - i) < static_cast<double>(left);
    left -= is_labeled ? 1 : 0;
    data.labels.push_back(is_labeled ? static_cast<int>(2.0 * random.uniform()) : missing_label);
  }
  return data;
}

/// The largest distance between the share of values up to t and t.
double kolmogorov_smirnov(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const auto n = static_cast<double>(values.size());
  double distance = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i)
    distance = std::max(
        {distance, static_cast<double>(i + 1) / n - values[i], values[i] - static_cast<double>(i) / n});
  return distance;
}

// False alarm with probability .001: the distance of 500 uniform numbers exceeds 1.949 / sqrt(500).
TEST(LabelingByLot, PValuesAreUniformWhereLabelsAreMissingByLot) {
  constexpr int n_runs = 500;
  std::vector<double> p_values;
  for (int run = 0; run < n_runs; ++run)
    p_values.push_back(
        test_labeling(table_by_lot(120, 45, static_cast<std::uint64_t>(run)), 0, 1, silent_observer())
            .p_value);
  const double distance = kolmogorov_smirnov(p_values);
  RecordProperty("distance", std::to_string(distance));
  EXPECT_LT(distance, 1.949 / std::sqrt(n_runs));
}

TEST(LabelingByLot, TheTestOfUniformityFindsPValuesOfScoresThatSawTheirRows) {
  // As they would be with one run in five too small by half: what the test above has to be able to find.
  std::vector<double> p_values;
  for (int i = 0; i < 500; ++i)
    p_values.push_back((static_cast<double>(i) + 0.5) / 500.0 * (i % 5 < 2 ? 0.5 : 1.0));
  EXPECT_GT(kolmogorov_smirnov(p_values), 1.949 / std::sqrt(500));
}

class LabelingOfToys : public ::testing::TestWithParam<const char*> {};

// 100 draws of a toy, each with 250 labels among 1,000 rows.
TEST_P(LabelingOfToys, IsFoundNotToBeByLot) {
  int n_found = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    n_found +=
        test_labeling(make_toy(GetParam(), seed).train, 0, 1, silent_observer()).p_value <= 0.05 ? 1 : 0;
  RecordProperty("n_found", std::to_string(n_found));
  EXPECT_GT(n_found, 90);
}
INSTANTIATE_TEST_SUITE_P(Both, LabelingOfToys, ::testing::Values("quadrants", "coin"));

TEST(LabelingByLot, NamesTheColumnThatDecides) {
  Dataset data = table_by_lot(600, 0, 3);
  RandomStream random(9, RandomPurpose::simulation);
  for (Index i = 0; i < data.n_rows(); ++i)
    if (data.features(i, 2) == 1.0 && random.uniform() < 0.5) data.labels[static_cast<std::size_t>(i)] = 0;
  const LabelingTest test = test_labeling(data, 0, 1, silent_observer());
  EXPECT_EQ(test.p_value, 1.0 / (1.0 + static_cast<double>(test.n_permutations)));
  ASSERT_EQ(test.importance.size(), 3);
  EXPECT_GT(test.importance[2], 0.2);
  EXPECT_LT(std::max(std::abs(test.importance[0]), std::abs(test.importance[1])), 0.05);
}

TEST(LabelingByLot, NeitherThreadsNorClassesMatter) {
  Dataset data = table_by_lot(400, 150, 1);
  const LabelingTest one = test_labeling(data, 7, 1, silent_observer());
  for (int& label : data.labels)
    if (label != missing_label) label = 1 - label;
  const LabelingTest three = test_labeling(data, 7, 3, silent_observer());
  EXPECT_EQ(one.auc, three.auc);
  EXPECT_EQ(one.p_value, three.p_value);
  EXPECT_EQ(one.importance, three.importance);
}

TEST(LabelingByLot, SaysNothingAboutAHandfulOfRows) {
  const LabelingTest test = test_labeling(table_by_lot(50, 4, 1), 0, 1, silent_observer());
  EXPECT_TRUE(std::isnan(test.p_value));
  EXPECT_EQ(test.n_permutations, 0);
  EXPECT_EQ(test.n_labeled, 4);
  EXPECT_TRUE(std::isnan(test_labeling(table_by_lot(50, 50, 1), 0, 1, silent_observer()).auc));
}

TEST(LabelingByLot, RowsOfWeightZeroAreNotThere) {
  Dataset data = table_by_lot(300, 100, 2);
  data.weights.assign(300, 1.0);
  std::fill_n(data.weights.begin(), 100, 0.0);
  const LabelingTest test = test_labeling(data, 0, 1, silent_observer());
  EXPECT_EQ(test.n_labeled + test.n_unlabeled, 200);
}

} // namespace
} // namespace lacuna::by_lot_test
