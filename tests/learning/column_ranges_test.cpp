#include "learning/column_ranges.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "lacuna/data/dataset.hpp"
#include "tests/expect_error.hpp"

namespace lacuna::column_ranges_test {
namespace {

using test::expect_error;

constexpr double gap = std::numeric_limits<double>::quiet_NaN();

/// Numbers from -1 to 3, categories, one value, nothing at all.
Dataset table() {
  Dataset data;
  data.features = Matrix(3, 4, {-1.0, 0.0, 7.0, gap, 3.0, 1.0, 7.0, gap, gap, 0.0, 7.0, gap});
  data.labels = {0, 1, missing_label};
  data.class_names = {"a", "b"};
  data.levels = {0, 2, 0, 0};
  return data;
}

ColumnRanges ranges_of(const Dataset& data) {
  return ColumnRanges::of(row_moments(WeightedRows(data.features.view(), data.weights)), data.levels);
}

TEST(ColumnRanges, TellHowFarOutsideARowLies) {
  const Dataset data = table();
  const ColumnRanges ranges = ranges_of(data);
  const auto strangeness = [&](double x) {
    const double row[] = {x, 0.0, 7.0, gap};
    return ranges.strangeness(row);
  };
  for (const double inside : {-1.0, 0.0, 3.0, gap}) EXPECT_EQ(strangeness(inside), 0.0) << inside;
  EXPECT_EQ(strangeness(5.0), 0.0); // half a width of 4
  EXPECT_EQ(strangeness(-3.0), 0.0);
  EXPECT_NEAR(strangeness(7.0), 0.5, 1e-12);
  EXPECT_NEAR(strangeness(-5.0), 0.5, 1e-12);
  EXPECT_EQ(strangeness(9.0), 1.0);
  EXPECT_EQ(strangeness(1e308), 1.0);
  EXPECT_EQ(strangeness(-1e308), 1.0);
}

// Ends that are neither 0 nor 1 away from it: 2 to 6, so that a row is half a width outside at 0 and 8.
TEST(ColumnRanges, CountFromTheirEnds) {
  const ColumnRanges ranges{{2.0}, {6.0}};
  for (const double x : {2.0, 6.0, 0.0, 8.0}) EXPECT_EQ(ranges.strangeness(&x), 0.0) << x;
  for (const double x : {-2.0, 10.0}) EXPECT_NEAR(ranges.strangeness(&x), 0.5, 1e-12) << x;
  for (const double x : {-1.0, 9.0}) EXPECT_NEAR(ranges.strangeness(&x), 0.0625 * 2.5, 1e-12) << x;
  for (const double x : {-4.0, 12.0}) EXPECT_EQ(ranges.strangeness(&x), 1.0) << x;
}

TEST(ColumnRanges, SayNothingOfCategoriesAndConstantColumns) {
  const Dataset data = table();
  const double row[] = {0.0, 1.0, 1e9, 1e9};
  EXPECT_EQ(ranges_of(data).strangeness(row), 0.0);
}

TEST(ColumnRanges, RowsOfNoWeightAreNoRows) {
  Dataset data = table();
  data.weights = {1.0, 0.0, 1.0};
  EXPECT_EQ(ranges_of(data).high[0], -1.0);
}

TEST(ColumnRanges, HugeNumbersHaveAWidth) {
  Dataset data = table();
  data.features(0, 0) = -1.7e308;
  data.features(1, 0) = 1.7e308;
  const double row[] = {1.75e308, 0.0, 7.0, gap};
  EXPECT_EQ(ranges_of(data).strangeness(row), 0.0);
}

TEST(ColumnRanges, ComeBackFromAnArchiveUnlessItIsDamaged) {
  const Dataset data = table();
  const ColumnRanges ranges = ranges_of(data);
  Archive archive;
  ranges.save(archive, "r/");
  const ColumnRanges loaded = ColumnRanges::load(archive, "r/", 4);
  EXPECT_EQ(loaded.low, ranges.low);
  EXPECT_EQ(loaded.high, ranges.high);
  for (const double wrong : {-2.0, gap, std::numeric_limits<double>::infinity()}) {
    Archive damaged = archive;
    damaged.put("r/high", std::vector<double>{wrong, 0.0, 7.0, 0.0});
    expect_error(ErrorKind::data, {"r/high"}, [&] { ColumnRanges::load(damaged, "r/", 4); });
  }
  expect_error(ErrorKind::data, {}, [&] { ColumnRanges::load(archive, "r/", 5); });
}

} // namespace
} // namespace lacuna::column_ranges_test
