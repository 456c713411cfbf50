#include "data/table_copy.hpp"

#include <gtest/gtest.h>

#include "tests/data/files.hpp"

namespace lacuna {
namespace {

using test::expect_error;
using test::labels_in;
using test::TempFile;

using Texts = std::vector<std::string>;

/// The copy of a table whose label column is "y"; the new column is "new".
std::string copied(const TempFile& table, const std::vector<char>& keeps_label, const Texts& values,
                   const TableOptions& options = labels_in("y")) {
  std::string text;
  copy_table(
      table.path(), options, {keeps_label, "new", values}, [&](std::string_view part) { text += part; },
      silent_observer());
  return text;
}

TEST(TableCopy, CellsAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(csv_cell("plain text"), "plain text");
  EXPECT_EQ(csv_cell(""), "\"\"");
  for (const std::string text : {"a,b", "a\nb", "a\rb"}) EXPECT_EQ(csv_cell(text), '"' + text + '"');
  EXPECT_EQ(csv_cell("say \"hi\""), R"("say ""hi""")");
  EXPECT_EQ(csv_cell_or_nothing(""), "");
  EXPECT_EQ(csv_cell_or_nothing("a,b"), R"("a,b")");
}

TEST(TableCopy, EmptiesLabelsAndAppendsAColumn) {
  const TempFile table("x,y,\"a,b\"\n1,red,\n2,\"a \"\"b\"\"\",p\n3,,q\n");
  EXPECT_EQ(copied(table, {1, 1, 1}, {"u", "", "v,w"}),
            "x,y,\"a,b\",new\n1,red,,u\n2,\"a \"\"b\"\"\",p,\"\"\n3,,q,\"v,w\"\n");
  EXPECT_EQ(copied(table, {0, 0, 1}, {"u", "v", "w"}), "x,y,\"a,b\",new\n1,,,u\n2,,p,v\n3,,q,w\n");
}

TEST(TableCopy, KeepsTheNamelessIndexOfPandas) {
  EXPECT_EQ(copied(TempFile(",y\n0,a\n"), {1}, {"u"}), ",y,new\n0,a,u\n");
}

TEST(TableCopy, ATableWithoutNamesStaysOne) {
  TableOptions options = labels_in("c1");
  options.no_header = true;
  EXPECT_EQ(copied(TempFile("1,a\n2,b\n"), {1, 0}, {"u", "v"}, options), "1,a,u\n2,,v\n");
}

TEST(TableCopy, HandsOutLargeTablesInParts) {
  std::string text = "x,y\n";
  std::string expected = "x,y,new\n";
  for (int i = 0; i < 50000; ++i) {
    text += std::to_string(i) + ",a\n";
    expected += std::to_string(i) + ",a,u\n";
  }
  const TempFile table(text);
  const std::vector<char> keeps(50000, 1);
  const Texts values(50000, "u");
  std::string seen;
  int n_parts = 0;
  const auto write = [&](std::string_view part) {
    seen += part;
    ++n_parts;
    EXPECT_LT(part.size(), 70000U);
  };
  copy_table(table.path(), labels_in("y"), {keeps, "new", values}, write, silent_observer());
  EXPECT_EQ(seen, expected);
  EXPECT_EQ(n_parts, 1 + static_cast<int>(expected.size() / 65536));

  class Stop : public Observer {
    bool cancelled() const override { return true; }
  } stop;
  expect_error(ErrorKind::interrupted, {"interrupted"}, [&] {
    copy_table(table.path(), labels_in("y"), {keeps, "new", values}, write, stop);
  });
}

TEST(TableCopy, RefusesAnotherTableThanItWasAskedFor) {
  const TempFile table("x,y\n1,a\n2,b\n");
  expect_error(ErrorKind::data, {"'new'", "rename it"},
               [&] { copied(TempFile("x,y,new\n1,a,b\n"), {1}, {"u"}); });
  expect_error(ErrorKind::data, {"label column", "'z'", "'x', 'y'"}, [&] {
    copied(table, {1, 1}, {"u", "v"}, labels_in("z"));
  });
  expect_error(ErrorKind::data, {"changed"}, [&] { copied(table, {1}, {"u"}); });
  expect_error(ErrorKind::data, {"changed"}, [&] { copied(table, {1, 1, 1}, {"u", "v", "w"}); });
}

} // namespace
} // namespace lacuna
