#include "core/escapes.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

TEST(Escapes, PlainTextStaysAsItIs) {
  for (const std::string text :
       {"", "plain, text!", "~", " ", "\u00a0", "\u00e4\u20ac\U0001f600", "\u061b\u061d", "\u200d\u2010",
        "\u2027\u202f", "\u2065\u206a", "\ufffd", "\U0010ffff", "\ud7ff\ue000"})
    EXPECT_EQ(escaped(text), text);
}

// The first and the last of each range, and their neighbours above.
TEST(Escapes, WhatATerminalWouldObey) {
  EXPECT_EQ(escaped(std::string("a\0b", 3)), R"(a\x00b)");
  EXPECT_EQ(escaped("\x1b[31m\x1f\x7f"), R"(\x1b[31m\x1f\x7f)");
  EXPECT_EQ(escaped("\u0080\u009f"), R"(\u0080\u009f)");
  EXPECT_EQ(escaped("\u061c\u200e\u200f"), R"(\u061c\u200e\u200f)");
  EXPECT_EQ(escaped("\u2028\u2029\u202a\u202e"), R"(\u2028\u2029\u202a\u202e)");
  EXPECT_EQ(escaped("\u2066\u2069"), R"(\u2066\u2069)");
}

TEST(Escapes, WhatIsKeptStays) {
  EXPECT_EQ(escaped("a\n\tb\r", "\n\t"), "a\n\tb\\x0d");
  EXPECT_EQ(escaped("a\n"), R"(a\x0a)");
}

TEST(Escapes, BytesThatAreNoUtf8) {
  EXPECT_EQ(escaped("\xE4z"), R"(\xe4z)");
  EXPECT_EQ(escaped("\x80\xBF"), R"(\x80\xbf)");
  EXPECT_EQ(escaped("\xC3"), R"(\xc3)"); // cut off
  EXPECT_EQ(escaped("\xE2\x82"), R"(\xe2\x82)");
  EXPECT_EQ(escaped("\xE2z\x82"), R"(\xe2z\x82)");
  EXPECT_EQ(escaped("\xC0\x80\xC1\xBF"), R"(\xc0\x80\xc1\xbf)"); // longer than need be
  EXPECT_EQ(escaped("\xE0\x9F\xBF"), R"(\xe0\x9f\xbf)");
  EXPECT_EQ(escaped("\xF0\x8F\xBF\xBF"), R"(\xf0\x8f\xbf\xbf)");
  EXPECT_EQ(escaped("\xED\xA0\x80\xED\xBF\xBF"), R"(\xed\xa0\x80\xed\xbf\xbf)"); // halves of pairs
  EXPECT_EQ(escaped("\xF4\x90\x80\x80"), R"(\xf4\x90\x80\x80)");                 // beyond the last character
  EXPECT_EQ(escaped("\xF5\x80\x80\x80\xFF"), R"(\xf5\x80\x80\x80\xff)");
}

} // namespace
} // namespace lacuna
