#include "core/order.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {
namespace {

TEST(NanLast, SortsNumbersAndPutsTheRestBehind) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<double> values;
  for (int i = 0; i < 1000; ++i) values.push_back(i % 3 == 0 ? nan : static_cast<double>(i * 7919 % 1009));
  std::sort(values.begin(), values.end(), NanLast{});
  const auto first_nan = std::find_if(values.begin(), values.end(), [](double v) { return std::isnan(v); });
  EXPECT_EQ(values.end() - first_nan, 334);
  EXPECT_TRUE(std::is_sorted(values.begin(), first_nan));
  EXPECT_TRUE(std::all_of(first_nan, values.end(), [](double v) { return std::isnan(v); }));
}

TEST(RandomGamma, OfNoNumberEnds) {
  RandomStream random(1, RandomPurpose::simulation);
  EXPECT_THROW(random.gamma(std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(random.gamma(std::numeric_limits<double>::infinity()), Error);
}

} // namespace
} // namespace lacuna
