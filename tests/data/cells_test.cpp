#include <fmt/format.h>
#include <gtest/gtest.h>

#include "data/cells.hpp"
#include "data/messages.hpp"

namespace lacuna {
namespace {

TEST(Cells, NumbersAreRead) {
  const std::vector<std::pair<std::string, double>> cases = {
      {"0", 0},
      {"7", 7},
      {"007", 7},
      {"-3", -3},
      {"+2.5", 2.5},
      {".5", 0.5},
      {"5.", 5},
      {"1e3", 1000},
      {"-1E-2", -0.01},
      {"0.1", 0.1},
      {"1e100", 1e100},
      {"999999999999999", 999999999999999.0},
      {"9007199254740993", 9007199254740992.0}, // 2^53 + 1 rounds to even
      {"123456789012345678901234567890", 123456789012345678901234567890.0},
      {"1e-400", 0},
      {"-1e-400", 0},
      {"0.00001e-330", 0},
      {"1e-99999999999999999999", 0},
      {"0e999999", 0}};
  for (const auto& [text, value] : cases) {
    const Number number = parse_number(text);
    EXPECT_EQ(number.kind, NumberKind::finite) << text;
    EXPECT_EQ(number.value, value) << text;
  }
}

TEST(Cells, OtherCellsAreToldApart) {
  const std::vector<std::pair<std::string, NumberKind>> cases = {
      {"", NumberKind::missing},
      {"NA", NumberKind::missing},
      {"NaN", NumberKind::missing},
      {"nan", NumberKind::missing},
      {"-nan", NumberKind::missing},
      {"?", NumberKind::missing},
      {"<NA>", NumberKind::missing},
      {"inf", NumberKind::infinite},
      {"-Infinity", NumberKind::infinite},
      {"+inf", NumberKind::infinite},
      {"1e101", NumberKind::too_large},
      {"-1e300", NumberKind::too_large},
      {"1e400", NumberKind::too_large},
      {"123e99999999999999999999", NumberKind::too_large},
      {std::string(400, '9'), NumberKind::too_large},
      {"a", NumberKind::text},
      {"1,5", NumberKind::text},
      {"1.2.3", NumberKind::text},
      {"+-1", NumberKind::text},
      {"++1", NumberKind::text},
      {"-", NumberKind::text},
      {"+", NumberKind::text},
      {"1 2", NumberKind::text},
      {"0x10", NumberKind::text},
      {"12a", NumberKind::text},
      {"e5", NumberKind::text},
      {"1e", NumberKind::text},
      {"N/A", NumberKind::text},
      {"True", NumberKind::text}};
  for (const auto& [text, kind] : cases) EXPECT_EQ(parse_number(text).kind, kind) << text;
}

TEST(Cells, WholeFloatsBecomeIntegers) {
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"1.0", "1"},       {"-3.00", "-3"}, {"12.", "12"},
      {"-0.0", "0"},      {"0.0", "0"},    {"1.5", "1.5"},
      {"1.01", "1.01"},   {"a.0", "a.0"},  {".0", ".0"},
      {"-.0", "-.0"},     {"1", "1"},      {"", ""},
      {"1.0.0", "1.0.0"}, {"1e3", "1e3"},  {"99999999999999999999.0", "99999999999999999999"}};
  for (const auto& [text, canonical] : cases) EXPECT_EQ(canonical_text(text), canonical);
}

TEST(Cells, TrimTakesSpacesAndTabs) {
  EXPECT_EQ(trim(" \t a b\t "), "a b");
  EXPECT_EQ(trim(" \t"), "");
  EXPECT_EQ(trim("a\n"), "a\n");
}

TEST(Messages, Utf8IsChecked) {
  for (const std::string good : {"", "abc", "\xC3\xA4", "\xE2\x82\xAC", "\xF0\x9F\x98\x80",
                                 "\xF4\x8F\xBF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xF0\x90\x80\x80"})
    EXPECT_TRUE(is_valid_utf8(good)) << good;
  for (const std::string bad :
       {"\xE4", "\xC3", "a\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xE2\x82", "\xF0\x8F\x80\x80", "\xE2\x82z", "\xFF"})
    EXPECT_FALSE(is_valid_utf8(bad));
}

TEST(Messages, ValuesAreShownSafely) {
  EXPECT_EQ(in_quotes("a b"), "'a b'");
  EXPECT_EQ(in_quotes("a\nb\x01"), R"('a\x0ab\x01')");
  EXPECT_EQ(in_quotes("\xC3\xA4"), "'\xC3\xA4'");
  EXPECT_EQ(in_quotes("\xE4z"), R"('\xe4z')");
  EXPECT_EQ(in_quotes(std::string(100, 'x')), fmt::format("'{:x<60}...'", ""));
  // The cut never splits a letter.
  EXPECT_EQ(in_quotes(fmt::format("{:x<59}\xC3\xA4\xC3\xA4", "")), fmt::format("'{:x<59}...'", ""));
}

TEST(Messages, NearNamesAreSuggested) {
  const std::vector<std::string> names = {"age", "income", "Label", "x"};
  EXPECT_EQ(nearest_name_hint("incme", names), "did you mean 'income'?");
  EXPECT_EQ(nearest_name_hint("label", names), "did you mean 'Label'?");
  EXPECT_EQ(nearest_name_hint("y", names), "");
  EXPECT_EQ(nearest_name_hint("weight", names), "");
  // Long names are not worth the search.
  EXPECT_EQ(nearest_name_hint(std::string(61, 'a'), {std::string(61, 'a')}), "");
  EXPECT_EQ(nearest_name_hint(std::string(60, 'a'), {std::string(61, 'a')}), "");
  EXPECT_NE(nearest_name_hint(std::string(60, 'a'), {std::string(60, 'A')}), "");
}

TEST(Messages, AWordOfAShellIsQuotedWhenItMustBe) {
  for (const std::string plain : {"age", "x_1", "a-b", "v1.2"}) EXPECT_EQ(shell_word(plain), plain);
  for (const std::string other : {"", "two words", "a,b", "$HOME"})
    EXPECT_EQ(shell_word(other), "'" + other + "'");
}

TEST(Messages, ListsAreCut) {
  EXPECT_EQ(name_list({"a", "b"}), "'a', 'b'");
  EXPECT_TRUE(name_list(std::vector<std::string>(25, "a")).ends_with("'a' and 5 more"));
}

} // namespace
} // namespace lacuna
