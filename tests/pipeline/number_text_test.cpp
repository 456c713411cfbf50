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

} // namespace
} // namespace lacuna::testing
