#include "lacuna/core/options.hpp"

#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lacuna {

// Not in an anonymous namespace: choice_names is found beside its enumeration.
namespace options_test {

enum class Colour { red, dark_blue };
constexpr auto choice_names(Colour) {
  return std::array{ChoiceName{Colour::red, "red"}, ChoiceName{Colour::dark_blue, "dark-blue"}};
}

struct Paint {
  Index layers = 2;
  double gloss = 0.5;
  bool is_dry = false;
  Colour colour = Colour::red;
  std::optional<Index> width = 7;
  std::optional<double> price;
  std::vector<std::string> names;
  std::vector<Index> sizes = {1, 2};

  static const OptionTable<Paint>& table() {
    static const OptionTable<Paint> rows{
        option("layers", &Paint::layers, "N", "How many layers", {.low = 1, .high = 10}),
        option("gloss", &Paint::gloss, "X", "How bright", {.above = 0.0, .high = 1.0}),
        option("is_dry", &Paint::is_dry, "", "Whether it is dry"),
        option("colour", &Paint::colour, "NAME", "Its colour"),
        option("width", &Paint::width, "N", "How wide", {.low = 1, .unset = "auto"}),
        option("price", &Paint::price, "X", "What it costs", {.above = 0.0, .unset = "0"}).unrecorded(),
        option("names", &Paint::names, "A,B", "Names"),
        option("sizes", &Paint::sizes, "N,N", "Sizes", {.low = 1, .most_values = 3}),
    };
    return rows;
  }
  void check_together(OptionChecks& checks) const {
    checks.require(layers < 5 || is_dry, "is_dry", "false", "true for many layers");
  }
};

struct House {
  Paint paint;
  static const OptionTable<House>& table() {
    static const OptionTable<House> rows = rows_of(&House::paint);
    return rows;
  }
};

} // namespace options_test

namespace {

using options_test::Colour;
using options_test::House;
using options_test::Paint;
using testing::HasSubstr;
using testing::Not;

const Option<Paint>& row(const std::string& name) {
  for (const Option<Paint>& each : Paint::table())
    if (each.name == name) return each;
  throw std::runtime_error("no row " + name);
}

std::string refusal(const std::string& name, const std::string& text) {
  Paint paint;
  try {
    row(name).set(paint, {text});
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::usage);
    EXPECT_EQ(error.parts().option, name);
    return error.what();
  }
  return "";
}

TEST(OptionTable, ReadsWhatItPrints) {
  const std::pair<const char*, std::vector<std::string>> given[] = {
      {"layers", {"3"}}, {"gloss", {"0.25"}}, {"is_dry", {"true"}},    {"colour", {"dark-blue"}},
      {"width", {"9"}},  {"price", {"2.5"}},  {"names", {"a", "b c"}}, {"sizes", {"3", "4"}}};
  Paint paint;
  for (const auto& [name, texts] : given) row(name).set(paint, texts);
  EXPECT_EQ(paint.layers, 3);
  EXPECT_EQ(paint.gloss, 0.25);
  EXPECT_TRUE(paint.is_dry);
  EXPECT_EQ(paint.colour, Colour::dark_blue);
  EXPECT_EQ(paint.width, 9);
  EXPECT_EQ(paint.price, 2.5);
  EXPECT_THAT(paint.names, testing::ElementsAre("a", "b c"));
  EXPECT_THAT(paint.sizes, testing::ElementsAre(3, 4));
  for (const auto& [name, texts] : given) {
    std::string joined;
    for (const std::string& text : texts) joined += (joined.empty() ? "" : ",") + text;
    EXPECT_EQ(to_string(row(name).get(paint)), joined);
  }
}

TEST(OptionTable, AWordEmptiesAField) {
  Paint paint;
  row("width").set(paint, {"auto"});
  EXPECT_FALSE(paint.width);
  EXPECT_EQ(row("width").get(paint), OptionValue("auto"));
  for (const char* zero : {"0", "0.0"}) {
    paint.price = 1.0;
    row("price").set(paint, {zero});
    EXPECT_FALSE(paint.price);
  }
  EXPECT_EQ(row("price").get(paint), OptionValue(0.0));
}

TEST(OptionTable, RefusesWhatIsNoValueAndSaysWhatIs) {
  EXPECT_EQ(refusal("layers", "2.5"), "layers: got '2.5', expected a whole number from 1 to 10");
  EXPECT_EQ(refusal("layers", "2x"), "layers: got '2x', expected a whole number from 1 to 10");
  EXPECT_EQ(refusal("gloss", ""), "gloss: got '', expected a number above 0 and at most 1");
  EXPECT_EQ(refusal("is_dry", "yes"), "is_dry: got 'yes', expected true or false");
  EXPECT_EQ(refusal("colour", "green"), "colour: got 'green', expected one of red, dark-blue");
  EXPECT_EQ(refusal("width", "wide"), "width: got 'wide', expected a whole number of at least 1, or auto");
  EXPECT_THAT(refusal("sizes", "a"), HasSubstr("expected whole numbers of at least 1, at most 3 of them"));
}

TEST(OptionTable, ChecksAllLimitsAtOnce) {
  Paint paint;
  EXPECT_NO_THROW(check_options(paint));
  paint.layers = 11;
  paint.gloss = std::numeric_limits<double>::quiet_NaN();
  paint.width = 0;
  paint.sizes = {1, 2, 3, 4};
  try {
    check_options(paint);
    FAIL() << "nothing was thrown";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("layers: got 11, expected"));
    EXPECT_THAT(error.what(), HasSubstr("gloss: got nan, expected"));
    EXPECT_THAT(error.what(), HasSubstr("width: got 0, expected"));
    EXPECT_THAT(error.what(), HasSubstr("sizes: got 1,2,3,4, expected"));
    EXPECT_THAT(error.what(), HasSubstr("is_dry: got false, expected true for many layers"));
    EXPECT_THAT(error.what(), Not(HasSubstr("colour")));
  }
}

TEST(OptionTable, PartsStandInTheTableOfTheWhole) {
  House house;
  for (const Option<House>& each : House::table())
    if (each.name == "layers") each.set(house, {"4"});
  EXPECT_EQ(house.paint.layers, 4);
  house.paint.layers = 0;
  EXPECT_THROW(check_options(house), Error);
  EXPECT_EQ(House::table().size(), Paint::table().size());
}

} // namespace

} // namespace lacuna
