#include "pipeline/number_text.hpp"

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "lacuna/core/random.hpp"

namespace lacuna::testing {
namespace {

/// What put_number writes, and that it keeps to the room it asks for.
std::string text_of(double value) {
  std::string text(longest_number + 1, '#');
  char* const end = put_number(text.data(), value);
  EXPECT_EQ(text.back(), '#') << value;
  text.resize(static_cast<std::size_t>(end - text.data()));
  return text;
}

TEST(NumberText, IsWhatFmtWrites) {
  using limits = std::numeric_limits<double>;
  std::vector<double> numbers{0.0,
                              -0.0,
                              limits::infinity(),
                              -limits::infinity(),
                              limits::quiet_NaN(),
                              limits::max(),
                              limits::min(),
                              limits::denorm_min(),
                              0.1,
                              1.0 / 3.0,
                              123456.789};
  for (int power = -330; power <= 308; ++power)
    for (const double first : {1.0, 9.0, 9.5, 1.25, 1.2345678901234567, 9.999999999999999})
      numbers.push_back(first * std::pow(10.0, power));
  for (int power = -1074; power < 1024; ++power) numbers.push_back(std::ldexp(1.0, power));
  RandomStream random(3, RandomPurpose::simulation);
  for (int i = 0; i < 200000; ++i) {
    const auto bits = static_cast<std::uint64_t>(random.uniform() * 0x1p63);
    numbers.push_back(std::bit_cast<double>(bits));                    // any exponent
    numbers.push_back(random.uniform() * std::pow(10.0, i % 40 - 20)); // around those written plainly
    numbers.push_back(std::round(1e6 * random.uniform()) * std::pow(10.0, i % 30 - 15)); // few digits
  }
  for (const double number : numbers)
    for (const double value : {number, -number}) ASSERT_EQ(text_of(value), fmt::format("{}", value));
}

std::string rounded(double value, int digits) {
  char text[longest_number];
  return {text, put_number(text, value, digits)};
}

TEST(NumberText, RoundsToSoManyDigits) {
  EXPECT_EQ(rounded(0.123456, 3), "0.123");
  EXPECT_EQ(rounded(0.15, 1), "0.2"); // by the shortest digits, though the double lies below
  EXPECT_EQ(rounded(-9.99996, 5), "-10");
  EXPECT_EQ(rounded(0.99996, 4), "1");
  EXPECT_EQ(rounded(123456.0, 2), "120000");
  EXPECT_EQ(rounded(2.6e-7, 1), "3e-07");
  EXPECT_EQ(rounded(0.25, 7), "0.25");
  RandomStream random(4, RandomPurpose::simulation);
  for (int i = 0; i < 100000; ++i) {
    const double value = (random.uniform() - 0.5) * std::pow(10.0, i % 40 - 20);
    const int digits = 1 + i % 17;
    const std::string text = rounded(value, digits);
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) + 1 - digits);
    ASSERT_LE(std::abs(std::stod(text) - value), 0.5 * unit + 1e-15 * std::abs(value)) << text;
    ASSERT_EQ(rounded(std::stod(text), digits), text) << value; // nothing changes the second time
  }
}

} // namespace
} // namespace lacuna::testing
