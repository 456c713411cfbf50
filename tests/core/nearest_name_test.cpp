#include "core/nearest_name.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

const std::vector<std::string> names = {"income", "Age", "marital status", "children", "child support"};

TEST(NearestName, FindsASlip) {
  EXPECT_EQ(nearest_name("incme", names), "income");
  EXPECT_EQ(nearest_name("income", names), "income");
  EXPECT_EQ(nearest_name("INCOME ", names), "income");
  EXPECT_EQ(nearest_name("age", names), "Age");
  EXPECT_EQ(nearest_name("marital_status", names), "marital status");
}

TEST(NearestName, FindsABeginningThatIsOneNames) {
  EXPECT_EQ(nearest_name("mari", names), "marital status");
  EXPECT_EQ(nearest_name("chil", names), ""); // two begin so
  EXPECT_EQ(nearest_name("ma", names), "");   // too short
}

TEST(NearestName, SaysNothingWhereNoneIsNear) {
  EXPECT_EQ(nearest_name("weight", names), "");
  EXPECT_EQ(nearest_name("", names), "");
  EXPECT_EQ(nearest_name("x", names), "");
  EXPECT_EQ(nearest_name("income", {}), "");
  EXPECT_EQ(nearest_name(std::string(1000, 'a'), {std::string(1000, 'a')}), "");
}

} // namespace
} // namespace lacuna
