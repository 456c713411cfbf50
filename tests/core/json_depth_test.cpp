#include "core/json_depth.hpp"

#include <string>

#include <gtest/gtest.h>

namespace lacuna {
namespace {

std::string nested(std::size_t depth) {
  return std::string(depth, '[') + std::string(depth, ']');
}

TEST(JsonDepth, CountsOpenBracketsAndBraces) {
  EXPECT_FALSE(nests_too_deeply(""));
  EXPECT_FALSE(nests_too_deeply(nested(deepest_json)));
  EXPECT_TRUE(nests_too_deeply(nested(deepest_json + 1)));
  EXPECT_TRUE(nests_too_deeply(std::string(1'000'000, '{')));
  std::string many = "[";
  for (int i = 0; i < 1000; ++i) many += "{\"a\": [1]},";
  EXPECT_FALSE(nests_too_deeply(many));
  EXPECT_FALSE(nests_too_deeply(std::string(1000, ']') + nested(deepest_json)));
}

TEST(JsonDepth, DoesNotCountWhatStandsInTexts) {
  const std::string brackets(1000, '[');
  EXPECT_FALSE(nests_too_deeply("{\"a\": \"" + brackets + "\"}"));
  EXPECT_FALSE(nests_too_deeply(R"(["\"")" + std::string(", \"") + brackets + "\"]"));
  EXPECT_TRUE(nests_too_deeply(R"(["\\", )" + brackets)); // the quote behind the backslashes ends the text
}

} // namespace
} // namespace lacuna
