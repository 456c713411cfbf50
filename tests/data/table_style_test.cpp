#include "data/table_style.hpp"

#include <fmt/format.h>
#include <rapidcheck.h>

#include "tests/data/files.hpp"

namespace lacuna {
namespace {

using test::expect_error;
using test::read_text;
using test::TempFile;
using test::values;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TableStyle style_of(const std::string& text, StyleWishes wishes = {}, bool is_whole = true) {
  return find_style(text, is_whole, wishes, "t.csv");
}

TEST(TableStyle, FindsWhatSeparatesCells) {
  struct Case {
    std::string text;
    char separator;
  };
  const std::vector<Case> cases = {
      {"a,b\n1,2\n", ','},
      {"a;b\n1;2\n", ';'},
      {"a\tb\r\n1\t2\r\n", '\t'},
      {"a|b\n1|2\n", '|'},
      {"a;b\n1,5;2,5\n", ';'},             // decimal commas
      {"a;b\n\"x;y\n,\";2\n", ';'},        // quoted separators and line ends
      {"a;b, long\n1;2\n", ';'},           // a comma in a name
      {"a,b;c\n1,2;3\n", ','},             // commas read well, so they count
      {"a,b\n1,2\n3\n", ','},              // the reader says what is wrong with it
      {"a;b;c\n1;2;3\n4;5\n6;7;8\n", ';'}, // here too
      {"a\n1\n", ','},
      {"a\nx;y\nz\n", ','}, // one column of text
      {"", ','},
      {"a;\"b", ','},
  };
  for (const Case& each : cases) EXPECT_EQ(style_of(each.text).separator, each.separator) << each.text;
}

TEST(TableStyle, TwoWaysToSplitAreAnError) {
  for (const std::string text : {"a;b|c\n1;2|3\n", "a;b\tc\n1;2\t3\n"})
    expect_error(ErrorKind::data, {"t.csv", "may be separated by a semicolon", "both ways", "separator ';'"},
                 [&] { style_of(text); });
  // Without a header these are three cells or two numbers.
  expect_error(ErrorKind::data, {"a comma or by a semicolon", "separator ','"},
               [] { style_of("1,5;2,5\n3,5;4,25\n", {.has_header = false}); });
  EXPECT_EQ(style_of("1,x;y,5\n3,x;z,4\n", {.has_header = false}).separator, ',');
  EXPECT_EQ(style_of("a;b|c\n1;2|3\n", {.separator = '|'}).separator, '|');
}

TEST(TableStyle, ALineThatIsNotThereCompletelyDoesNotCount) {
  EXPECT_EQ(style_of("a;b\n1;2\n3", {}, false).separator, ';');
  EXPECT_EQ(style_of("a;b\n1;2\n3;", {}, false).separator, ';');
  EXPECT_EQ(style_of("a;b\n1;2\n\"3;4", {}, false).separator, ';');
}

TEST(TableStyle, FindsHowNumbersAreWritten) {
  struct Case {
    std::string text;
    Mark point;
    Mark comma;
  };
  const Mark decimal = Mark::decimal;
  const Mark thousands = Mark::thousands;
  const Mark unknown = Mark::unknown;
  const std::vector<Case> cases = {
      {"a,b\n1,2\n", decimal, unknown},
      {"a,b\n1.5,\"1,234\"\n", decimal, unknown},
      {"a,b\n1.5,\"1,234.5\"\n", decimal, thousands},
      {"a,b\n1,\"1,234,567\"\n", decimal, thousands},
      {"a,b\n1,\"1,5\"\n", unknown, decimal},              // pandas: to_csv(decimal=",")
      {"a,b\n1.5,\"1,5\"\n", decimal, unknown},            // was always read with points
      {"a,b\n1,\"1,5\"\n2,\"1,2,3\"\n", decimal, unknown}, // lists are text
      {"a;b\n1;1,5\n", unknown, decimal},
      {"a;b\n1;0,123\n", unknown, decimal}, // no thousands begin with 0
      {"a;b\n1;1234,567\n", unknown, decimal},
      {"a;b\n1;1.234,5\n", thousands, decimal},
      {"a;b\n1;1.234.567\n2;1,5\n", thousands, decimal},
      {"a;b\n1;1 234,5\n", unknown, decimal},
      {"a;b\n1;1,234\n", unknown, unknown},
      {"a;b\n1;1.234\n", unknown, unknown},
      {"a;b\n1;1.5\n", decimal, unknown},
      {"a;b\n1;2\n", unknown, unknown},
      {"a;b\nx;-1,5 %\n", unknown, decimal},
  };
  for (const Case& each : cases) {
    const NumberStyle found = style_of(each.text).numbers;
    EXPECT_EQ(found.point, each.point) << each.text;
    EXPECT_EQ(found.comma, each.comma) << each.text;
  }
  expect_error(ErrorKind::data, {"t.csv", "decimal points", "decimal commas", "decimal ,"},
               [] { style_of("a;b\n1.5;1,5\n"); });
  EXPECT_EQ(style_of("a;b\n1.5;1,5\n", {.decimal = ','}).numbers, (NumberStyle{thousands, decimal}));
  EXPECT_EQ(style_of("a,b\n1.5,2\n", {.decimal = '.'}).numbers, (NumberStyle{decimal, thousands}));
}

TEST(TableStyle, SaysWhatItFound) {
  EXPECT_EQ(style_of("a,b\n1.5,2\n").words(), "");
  EXPECT_EQ(style_of("a\tb\n1\t2\n").words(), "cells are separated by a tab");
  EXPECT_EQ(style_of("a;b\n1;1.234,5\n").words(),
            "cells are separated by a semicolon and numbers look like 1.234,5");
  EXPECT_EQ(style_of("a;b;c\n1,5;20%;3\n").words(),
            "cells are separated by a semicolon, numbers have decimal commas and 1 column holds percentages, "
            "taken as shares");
}

TEST(TableStyle, NumbersOfEveryStyle) {
  const NumberStyle commas{Mark::thousands, Mark::decimal};
  const NumberStyle points{Mark::decimal, Mark::thousands};
  const NumberStyle unsure_commas{Mark::unknown, Mark::decimal};
  const NumberStyle unsure{Mark::unknown, Mark::unknown};
  const auto finite = [](const std::string& cell, const NumberStyle& style) {
    const Number number = parse_number(cell, style);
    EXPECT_EQ(number.kind, NumberKind::finite) << cell;
    return number.value;
  };
  EXPECT_EQ(finite("1,5", commas), 1.5);
  EXPECT_EQ(finite("-1.234.567,25", commas), -1234567.25);
  EXPECT_EQ(finite("1.234", commas), 1234);
  EXPECT_EQ(finite("+,5", commas), 0.5);
  EXPECT_EQ(finite("1,5e-3", commas), 0.0015);
  EXPECT_EQ(finite("1e5", commas), 1e5);
  EXPECT_EQ(finite("1 234,5", commas), 1234.5);
  EXPECT_EQ(finite("1\xC2\xA0"
                   "234,5",
                   commas),
            1234.5);
  EXPECT_EQ(finite("1\xE2\x80\xAF"
                   "234",
                   commas),
            1234);
  EXPECT_EQ(finite("1'234.5", points), 1234.5);
  EXPECT_EQ(finite("1,234", points), 1234);
  EXPECT_EQ(finite("1,234.5", unsure), 1234.5);
  EXPECT_EQ(finite("1,5", unsure), 1.5);
  EXPECT_EQ(finite("1.5", unsure), 1.5);
  EXPECT_EQ(finite("0,125", unsure), 0.125);
  EXPECT_EQ(finite("12,5 %", {Mark::unknown, Mark::decimal, true}), 0.125);
  EXPECT_EQ(finite("50%", {Mark::decimal, Mark::unknown, true}), 0.5);
  const auto kind = [](const std::string& cell, const NumberStyle& style) {
    return parse_number(cell, style).kind;
  };
  for (const char* cell : {"1,234", "1.234", "-12,345"}) EXPECT_EQ(kind(cell, unsure), NumberKind::ambiguous);
  EXPECT_EQ(kind("1.234", unsure_commas), NumberKind::ambiguous);
  EXPECT_EQ(parse_number("1,234").kind, NumberKind::ambiguous);
  EXPECT_EQ(parse_number("1.234").kind, NumberKind::finite);
  for (const char* cell : {"1.5", "1.2345", "12.34,5", "1.234.5", "1,2,3", "1,5,", "0.123", ",", "-", "1,5x",
                           "1.234,5e3", "2024-03-05", "1.234 567", "1..234"})
    EXPECT_EQ(kind(cell, commas), NumberKind::text) << cell;
  for (const char* cell : {"110 001", "1'234", "1,2", "12,34.5", "1,5"})
    EXPECT_EQ(parse_number(cell).kind, NumberKind::text) << cell;
  EXPECT_EQ(kind("5", {Mark::decimal, Mark::unknown, true}), NumberKind::text); // 5 or 500 %?
  EXPECT_EQ(kind("%", {Mark::decimal, Mark::unknown, true}), NumberKind::text);
  EXPECT_EQ(kind("NA", {Mark::decimal, Mark::unknown, true}), NumberKind::missing);
  EXPECT_EQ(kind("inf", commas), NumberKind::infinite);
  EXPECT_EQ(kind("1,5e200", commas), NumberKind::too_large);
}

/// However a number is written, it is read as what it is, or not at all.
TEST(TableStyle, AWrittenNumberIsReadAsItself) {
  rc::check("a number in any style", [] {
    const auto whole = *rc::gen::inRange(0, 2'000'000'000);
    const auto places = *rc::gen::inRange(0, 5);
    const bool has_commas = *rc::gen::arbitrary<bool>();
    const bool has_groups = *rc::gen::arbitrary<bool>();
    const auto fraction = *rc::gen::inRange(0, 10000);
    std::string digits = std::to_string(whole);
    if (has_groups)
      for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, 1, has_commas ? '.' : ',');
    std::string plain = std::to_string(whole);
    if (places > 0) {
      const std::string tail = fmt::format("{:04}", fraction).substr(0, static_cast<std::size_t>(places));
      digits += (has_commas ? "," : ".") + tail;
      plain += "." + tail;
    }
    const double expected = std::stod(plain);
    const NumberStyle style = has_commas ? NumberStyle{Mark::thousands, Mark::decimal}
                                         : NumberStyle{Mark::decimal, Mark::thousands};
    const Number known = parse_number(digits, style);
    RC_ASSERT(known.kind == NumberKind::finite);
    RC_ASSERT(known.value == expected);
    const Number unknown = parse_number(digits, {Mark::unknown, Mark::unknown});
    RC_ASSERT(unknown.kind == NumberKind::ambiguous || unknown.value == expected);
  });
}

/// Where a table can be read with commas and points, it is: no file that was read before reads otherwise.
TEST(TableStyle, PlainTablesStayPlain) {
  rc::check("commas and points", [] {
    const auto n_columns = *rc::gen::inRange<std::size_t>(2, 5);
    const auto n_rows = *rc::gen::inRange<std::size_t>(1, 6);
    std::string text = "a";
    for (std::size_t j = 1; j < n_columns; ++j) text += ",b" + std::to_string(j);
    for (std::size_t i = 0; i < n_rows; ++i) {
      text += "\n1.5";
      for (std::size_t j = 1; j < n_columns; ++j)
        text +=
            "," + *rc::gen::element<std::string>("1", "2.25", "", "x;y", "a|b\tc", "1.234", "\"p;q\"", "5 ");
    }
    const TableStyle style = style_of(text + "\n");
    RC_ASSERT(style.separator == ',');
    RC_ASSERT(style.numbers == NumberStyle{});
    RC_ASSERT(style.is_percent.empty());
  });
}

TEST(TableStyle, TablesOfEveryStyleAreTheSameTable) {
  const TrainingTable plain = read_text("a,b,y\n1234.5,0.25,x\n-2,0.5,\n3.25,0.125,z\n");
  EXPECT_THAT(plain.notes, IsEmpty());
  for (const std::string text : {"a;b;y\n1234,5;0,25;x\n-2;0,5;\n3,25;0,125;z\n",
                                 "a;b;y\r\n1.234,5;25%;x\r\n-2;50%;\r\n3,25;12,5%;z\r\n",
                                 "a\tb\ty\n1,234.5\t0.25\tx\n-2\t0.5\t\n3.25\t0.125\tz\n",
                                 "a|b|y\n1234.5|0.25|x\n-2|0.5|\n3.25|0.125|z\n",
                                 "a,b,y\n\"1234,5\",\"0,25\",x\n-2,\"0,5\",\n\"3,25\",\"0,125\",z\n"}) {
    const TrainingTable table = read_text(text);
    EXPECT_EQ(values(table.data.features), values(plain.data.features)) << text;
    EXPECT_EQ(table.data.labels, plain.data.labels);
    EXPECT_THAT(table.notes, ElementsAre(HasSubstr("found in"))) << text;
  }
}

TEST(TableStyle, AnAmbiguousNumberIsRefusedWithTheOption) {
  const auto refuse = [](const std::string& text) {
    expect_error(ErrorKind::data, {"row 1", "'a'", "'1,234'", "one way", "decimal ,", "decimal ."},
                 [&] { read_text(text); });
  };
  refuse("a,b,y\n\"1,234\",2,x\n\"2,345\",3,\n");
  refuse("a;b;y\n1,234;2;x\n2,345;3;\n");
  TableOptions options;
  options.decimal = ',';
  EXPECT_EQ(values(read_text("a;b;y\n1,234;2;x\n2,345;3;\n", "y", options).data.features),
            (std::vector<double>{1.234, 2, 2.345, 3}));
  options.decimal = '.';
  EXPECT_EQ(values(read_text("a;b;y\n1,234;2;x\n2,345;3;\n", "y", options).data.features),
            (std::vector<double>{1234, 2, 2345, 3}));
  // As a category, a label or left out it is no number, and reads as it is.
  TableOptions left_out;
  left_out.categorical = {"a"};
  EXPECT_EQ(read_text("a,b,y\n\"1,234\",2,x\n\"2,345\",3,\n", "y", left_out).data.feature_names,
            (std::vector<std::string>{"a=1,234", "a=2,345", "b"}));
  left_out = {};
  left_out.drop = {"a"};
  EXPECT_NO_THROW(read_text("a,b,y\n\"1,234\",2,x\n\"2,345\",3,\n", "y", left_out));
}

TEST(TableStyle, IsFoundFromABoundedBeginning) {
  // The decimal comma comes too late to be seen, and is refused, not guessed.
  std::string text = "a;b;y\n";
  for (int i = 0; i < 20000; ++i) text += fmt::format("{};{};{}\n", i, i % 7, i % 2 == 0 ? "x" : "");
  text += "1,234;5;x\n";
  expect_error(ErrorKind::data, {"row 20001", "'1,234'", "decimal ,"}, [&] { read_text(text); });
  // Rows that are longer than what is usually looked at.
  std::string header = "y";
  std::string row = "p";
  for (int j = 0; j < 20000; ++j) {
    header += ";c" + std::to_string(j);
    row += ";1,5";
  }
  const TempFile wide(header + "\n" + row + "\n" + row + "\n");
  const TableSchema schema{{{"c7", false, {}}}, ""};
  TableReader reader(wide.path(), schema, {}, {});
  TableBlock block;
  ASSERT_TRUE(reader.next(block, 10));
  EXPECT_EQ(values(block.features), (std::vector<double>{1.5, 1.5}));
}

TEST(TableStyle, DamageIsToldWithItsRowAsBefore) {
  std::string bytes = test::gzip("a;y\n1,5;x\n2,5;\n");
  bytes.resize(bytes.size() - 6);
  const TempFile file(bytes, ".csv.gz");
  expect_error(ErrorKind::data, {"row 2", "cut off"},
               [&] { read_training_table(file.path(), {}, test::labels_in("y"), silent_observer()); });
}

} // namespace
} // namespace lacuna
