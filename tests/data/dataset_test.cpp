#include <cmath>
#include <functional>
#include <limits>

#include <gtest/gtest.h>

#include "lacuna/data/dataset.hpp"
#include "tests/expect_error.hpp"

namespace lacuna {
namespace {

Dataset small() {
  Dataset data;
  data.features = Matrix(3, 2, {1, 2, 3, 4, 5, 6});
  data.labels = {0, missing_label, 1};
  data.class_names = {"a", "b"};
  data.feature_names = {"age", "height"};
  data.weights = {1.0, 0.0, 2.5};
  return data;
}

TEST(CheckDataset, AcceptsWhatIsRight) {
  EXPECT_NO_THROW(check_dataset(small()));
  Dataset bare;
  bare.features = Matrix(2, 1, {-largest_feature, largest_feature});
  EXPECT_NO_THROW(check_dataset(bare));
  bare.features =
      Matrix(3, 3,
             {0.0, 1e-300, std::numeric_limits<double>::quiet_NaN(), //
              smallest_spread, 1e-300, std::numeric_limits<double>::quiet_NaN(),
              std::numeric_limits<double>::quiet_NaN(), 1e-300, std::numeric_limits<double>::quiet_NaN()});
  bare.weights = {0.0, 1e-300, largest_weight};
  EXPECT_NO_THROW(check_dataset(bare));
  EXPECT_NO_THROW(check_dataset(Dataset{}));
}

TEST(CheckDataset, NamesWhatIsWrong) {
  struct Case {
    std::function<void(Dataset&)> damage;
    std::vector<std::string> words;
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<Case> cases = {
      {[&](Dataset& d) { d.features(2, 1) = -inf; }, {"row 3", "'height'", "-inf", "finite"}},
      {[&](Dataset& d) {
         d.levels = {3, 0};
         d.features(0, 0) = d.features(2, 0) = 1;
         d.features(1, 0) = 3;
       },
       {"row 2", "'age'", "got 3", "0 to 2"}},
      {[&](Dataset& d) {
         d.levels = {3, 0};
         d.features(0, 0) = 0.5;
       },
       {"row 1", "'age'", "0.5", "whole"}},
      {[&](Dataset& d) { d.levels = {3}; }, {"1 numbers of levels", "2 columns"}},
      {[&](Dataset& d) { d.features(0, 1) = 1e101; }, {"row 1", "'height'", "1e+101", "rescale"}},
      {[&](Dataset& d) {
         d.feature_names.clear();
         d.features(0, 1) = inf;
       },
       {"row 1", "column '2'"}},
      {[](Dataset& d) { d.labels[1] = 2; }, {"row 2", "class number 2", "2 classes"}},
      {[](Dataset& d) { d.labels[0] = -2; }, {"row 1", "class number -2"}},
      {[](Dataset& d) { d.labels.pop_back(); }, {"2 labels", "3 rows"}},
      {[](Dataset& d) {
         d.class_names = {"a", "a"};
       },
       {"'a'", "twice"}},
      {[](Dataset& d) { d.feature_names.pop_back(); }, {"1 feature names", "2 columns"}},
      {[](Dataset& d) { d.weights.push_back(1); }, {"4 weights", "3 rows"}},
      {[](Dataset& d) { d.weights[1] = -0.5; }, {"row 2", "weight", "-0.5"}},
      {[&](Dataset& d) { d.weights[2] = nan; }, {"row 3", "weight", "nan"}},
      {[&](Dataset& d) { d.weights[2] = inf; }, {"row 3", "weight", "inf"}},
      {[](Dataset& d) { d.weights[0] = 1e13; }, {"row 1", "weight", "1e+13", "at most 1e+12", "divide"}},
      {[](Dataset& d) {
         for (Index i = 0; i < 3; ++i) d.features(i, 0) *= 1e-120;
       },
       {"'age'", "4e-120", "1e-100", "rescale"}},
  };
  for (const Case& wrong : cases) {
    SCOPED_TRACE(testing::PrintToString(wrong.words));
    Dataset data = small();
    wrong.damage(data);
    test::expect_error(ErrorKind::data, wrong.words, [&] { check_dataset(data); });
  }
}

} // namespace
} // namespace lacuna
