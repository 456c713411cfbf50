#include "core/archive_checks.hpp"

#include <limits>

#include <gtest/gtest.h>

#include "tests/expect_error.hpp"

namespace lacuna {
namespace {

using test::expect_error;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> two(double value) {
  return {1.0, value};
}

TEST(ArchiveChecks, TextsAreShownCutAndEscaped) {
  EXPECT_EQ(shown("a\nb"), R"(a\x0ab)");
  EXPECT_EQ(shown(std::string(80, 'x')), std::string(80, 'x'));
  EXPECT_EQ(shown(std::string(81, 'x')), std::string(80, 'x') + "...");
}

TEST(ArchiveChecks, NumbersAreWhatTheyShouldBe) {
  for (const double value : {nan, infinity, -infinity}) {
    EXPECT_FALSE(all_finite(two(value)));
    EXPECT_FALSE(all_positive(two(value)));
    EXPECT_FALSE(all_weights(two(value)));
    expect_error(ErrorKind::data, {"'a/x'", "not a finite number"}, [&] { finite(two(value), "a/x"); });
    expect_error(ErrorKind::data, {"'a/x'", "no fit gives"}, [&] { require_within(two(value), 9.0, "a/x"); });
  }
  for (const double value : {0.0, -1.0}) {
    EXPECT_TRUE(all_finite(two(value)));
    EXPECT_FALSE(all_positive(two(value)));
    EXPECT_FALSE(all_weights(two(value)));
  }
  EXPECT_TRUE(all_positive(two(1e300)));
  EXPECT_TRUE(all_weights(two(1e30)));
  EXPECT_FALSE(all_weights(two(1.01e30)));
  EXPECT_EQ(finite(two(-1e308), "a/x"), two(-1e308));
  for (const double value : {9.0, -9.0, 0.0}) EXPECT_NO_THROW(require_within(two(value), 9.0, "a/x"));
  for (const double value : {9.01, -9.01})
    expect_error(ErrorKind::data, {"'a/x'", "no fit gives"}, [&] { require_within(two(value), 9.0, "a/x"); });
}

TEST(ArchiveChecks, TextsAndPrefixesHaveALargestSize) {
  const std::string longest(std::size_t{4} << 20U, 'x');
  EXPECT_EQ(require_short(longest, "note"), longest);
  expect_error(ErrorKind::data, {"'note'", "too long"}, [&] { require_short(longest + "x", "note"); });
  EXPECT_NO_THROW(require_shallow(std::string(500, 'a')));
  expect_error(ErrorKind::data, {"too deep"}, [] { require_shallow(std::string(501, 'a')); });
}

TEST(ArchiveChecks, WhatMustHoldIsNamed) {
  EXPECT_NO_THROW(require_saved(true, "a/", "no rows"));
  expect_error(ErrorKind::data, {"a/ has no rows"}, [] { require_saved(false, "a/", "no rows"); });
}

TEST(ArchiveChecks, AVectorHasALength) {
  Archive archive;
  archive.put("vector", two(2.0));
  archive.put("matrix", Matrix(1, 2));
  archive.put("empty", std::vector<double>{});
  EXPECT_EQ(stored_length(archive, "vector"), 2);
  for (const std::string name : {"matrix", "empty"})
    expect_error(ErrorKind::data, {"'" + name + "'", "shape"}, [&] { stored_length(archive, name); });
  expect_error(ErrorKind::data, {"none"}, [&] { stored_length(archive, "none"); });
}

} // namespace
} // namespace lacuna
