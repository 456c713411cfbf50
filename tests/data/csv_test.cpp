#include <rapidcheck.h>

#include "data/csv_parser.hpp"
#include "data/table_source.hpp"
#include "tests/data/files.hpp"

namespace lacuna {
namespace {

using test::expect_error;
using test::TempFile;
using Record = std::vector<std::string>;
using Records = std::vector<Record>;

Records parse(const std::string& bytes, bool keep_blank_lines = false) {
  const TempFile file(bytes);
  ByteSource source(file.path());
  CsvParser parser(source, keep_blank_lines);
  Records records;
  while (parser.next()) {
    records.emplace_back();
    for (std::size_t i = 0; i < parser.n_fields(); ++i) records.back().emplace_back(parser.field(i));
  }
  return records;
}

std::string write_field(const std::string& field, bool always_quote) {
  if (!always_quote && !field.empty() && field.find_first_of("\",\r\n") == std::string::npos) return field;
  std::string result = "\"";
  for (const char c : field) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + "\"";
}

std::string write_csv(const Records& records, const std::string& line_end, bool last_line_end,
                      bool always_quote) {
  std::string text;
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (std::size_t j = 0; j < records[i].size(); ++j) {
      if (j > 0) text += ',';
      text += write_field(records[i][j], always_quote);
    }
    if (i + 1 < records.size() || last_line_end) text += line_end;
  }
  return text;
}

TEST(Csv, SplitsRecords) {
  struct Case {
    std::string bytes;
    Records records;
  };
  const std::vector<Case> cases = {
      {"a,b\n1,2\n", {{"a", "b"}, {"1", "2"}}},
      {"a,b\n1,2", {{"a", "b"}, {"1", "2"}}},
      {"a,b\r\n1,2\r\n", {{"a", "b"}, {"1", "2"}}},
      {"a,b\r\n1,2\r", {{"a", "b"}, {"1", "2"}}},
      {"\xEF\xBB\xBF"
       "a\n1\n",
       {{"a"}, {"1"}}},
      {"\n\r\na\n\n\n1\n\n", {{"a"}, {"1"}}},
      {"a,\n,b\n,", {{"a", ""}, {"", "b"}, {"", ""}}},
      {"\"a,b\",\"c\"\"d\",\"e\nf\",\"g\r\nh\"\n", {{"a,b", "c\"d", "e\nf", "g\r\nh"}}},
      {"\"\"\n", {{""}}},
      {"\"\",\"\"", {{"", ""}}},
      {"\"\"\"\"", {{"\""}}},
      {"5\" pipe, \"x\"\n", {{"5\" pipe", " \"x\""}}},
      {"\xEF\xBB\xBF", {}},
      {"\n", {}},
  };
  for (const Case& c : cases) EXPECT_EQ(parse(c.bytes), c.records) << c.bytes;
}

TEST(Csv, KeepsBlankLinesWhereTheyMeanSomething) {
  EXPECT_EQ(parse("a\n\nb\n\r\n", true), (Records{{"a"}, {""}, {"b"}, {""}}));
  EXPECT_EQ(parse("\n", true), (Records{{""}}));
}

TEST(Csv, RefusesWhatIsNotCsv) {
  const auto refuse = [](const std::string& bytes, std::initializer_list<std::string> words) {
    expect_error(ErrorKind::data, words, [&] { parse(bytes); });
  };
  refuse("a,b\n1,\"2\n3,4\n5,6\n", {"line 2", "closing quote"});
  refuse("a\n\"b\n\nc\",\"d\n", {"line 4", "closing quote"});
  refuse("a\n\"b\"c\n", {"line 2", "follows the closing quote", "'b'"});
  refuse("a\rb\rc\r", {"line 1", "carriage return"});
  refuse(std::string("a,b\n1,\0\n", 8), {"line 2", "zero byte"});
  refuse(std::string("a,b\n1,\"\0\"\n", 10), {"line 2", "zero byte"});
  const std::string mebibyte(1024 * 1024, 'x');
  refuse("a\nb\n" + mebibyte + "x\n", {"line 3", "1 MiB"});
  refuse("a\nb,\"\n" + mebibyte, {"line 2", "1 MiB", "quote"});
  EXPECT_EQ(parse("a\n" + mebibyte + "\n"), (Records{{"a"}, {mebibyte}}));
  EXPECT_EQ(parse("\"" + mebibyte + "\"\n"), (Records{{mebibyte}}));
}

TEST(Csv, FieldsMayLieAcrossBufferEnds) {
  // Every position of a record against the ends of the first buffers, quotes and line ends included. The
  // buffer doubles with the file, and one of 64 KiB is behind it.
  const std::string record = "ab,\"c\"\"d\r\ne\",\r\n";
  for (const std::size_t end : {4, 8, 12, 64, 68})
    for (std::size_t shift = 0; shift <= record.size(); ++shift) {
      const std::string filler(end * 1024 - shift - 1, 'x');
      EXPECT_EQ(parse(filler + "\n" + record + record),
                (Records{{filler}, {"ab", "c\"d\r\ne", ""}, {"ab", "c\"d\r\ne", ""}}))
          << end << " " << shift;
    }
}

TEST(Csv, RandomTablesComeBack) {
  const auto letter =
      rc::gen::element('a', 'b', ' ', ',', '"', '\n', '\r', '\t', ';', '\'', '1', '.', '\xC3');
  const auto cell = rc::gen::container<std::string>(letter);
  const bool holds = rc::check([&] {
    const auto n_columns = *rc::gen::inRange<std::size_t>(1, 6);
    const auto row = rc::gen::container<Record>(n_columns, cell);
    const Records records = *rc::gen::container<Records>(row);
    const std::string line_end = *rc::gen::element<std::string>("\n", "\r\n");
    const bool last_line_end = *rc::gen::arbitrary<bool>();
    const bool always_quote = *rc::gen::arbitrary<bool>();
    RC_ASSERT(parse(write_csv(records, line_end, last_line_end, always_quote)) == records);
  });
  EXPECT_TRUE(holds);
}

TEST(CsvTable, KnowsNamesRowsAndLines) {
  const TempFile file(" a ,\"b\nc\",\n\n1,\"2\n\n\",3\n4,5,6\n");
  const auto table = open_table(file.path(), {});
  EXPECT_EQ(table->column_names(), (Record{"a", "b\nc", "column 3"}));
  ASSERT_TRUE(table->next());
  EXPECT_EQ(table->place().row, 1);
  EXPECT_EQ(table->place().line, 4);
  ASSERT_TRUE(table->next());
  EXPECT_EQ(table->place().row, 2);
  EXPECT_EQ(table->place().line, 7);
  EXPECT_EQ(table->text(1), "5");
  EXPECT_FALSE(table->next());
}

TEST(CsvTable, NamesColumnsWithoutAHeader) {
  const TempFile file("1,2\n3,4\n");
  const auto table = open_table(file.path(), {.has_header = false});
  EXPECT_EQ(table->column_names(), (Record{"c0", "c1"}));
  ASSERT_TRUE(table->next());
  EXPECT_EQ(table->text(0), "1");
  ASSERT_TRUE(table->next());
  EXPECT_EQ(table->text(0), "3");
  EXPECT_FALSE(table->next());
}

TEST(CsvTable, RefusesRaggedRowsAndTwinNames) {
  const auto read = [](const std::string& bytes, bool has_header = true) {
    const TempFile file(bytes);
    const auto table = open_table(file.path(), {.has_header = has_header});
    while (table->next()) continue;
  };
  expect_error(ErrorKind::data, {"row 2 (line 3)", "got 3", "expected 2", "header"},
               [&] { read("a,b\n1,2\n1,2,3\n"); });
  expect_error(ErrorKind::data, {"row 2 (line 4)", "got 1", "expected 2"}, [&] { read("a,b\n\n1,2\n1\n"); });
  expect_error(ErrorKind::data, {"row 2 (line 2)", "got 1", "first row"}, [&] { read("1,2\n1\n", false); });
  expect_error(ErrorKind::data, {"line 1", "two columns", "'b'"}, [&] { read("a,b,b\n1,2,3\n"); });
  expect_error(ErrorKind::data, {"column 2", "UTF-8"}, [&] { read("a,\xE4\n1,2\n"); });
  expect_error(ErrorKind::data, {"blank lines only"}, [&] { read("\n\n"); });
}

TEST(OpenTable, TellsWhatAFileIs) {
  const auto open = [](const std::string& path) { open_table(path, {}); };
  expect_error(ErrorKind::no_input, {"/no/such/file", "no such file"}, [&] { open("/no/such/file"); });
  expect_error(ErrorKind::no_input, {"folder"}, [&] { open("/tmp"); });
  expect_error(ErrorKind::data, {"is empty"}, [&] {
    const TempFile file("");
    open(file.path());
  });
  expect_error(ErrorKind::data, {"is empty"}, [&] {
    const TempFile file(test::gzip(""));
    open(file.path());
  });
  const std::vector<std::pair<std::string, std::string>> foreign = {
      {"PK\x03\x04rest", "zip"}, {"PAR1rest", "Parquet"}, {"\x89HDF\r\n", "HDF5"}, {"\xFF\xFEx", "UTF-16"}};
  for (const auto& [bytes, word] : foreign) {
    const TempFile file(bytes);
    expect_error(ErrorKind::data, {word}, [&] { open(file.path()); });
  }
}

TEST(OpenTable, ReadsGzipAndNoticesDamage) {
  std::string text = "a,b\n";
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919 % 10007) + "," + std::to_string(i) + "\n";
  const std::string packed = test::gzip(text);
  const auto count = [](const std::string& bytes) {
    const TempFile file(bytes);
    const auto table = open_table(file.path(), {});
    Index sum = 0;
    while (table->next()) sum += static_cast<Index>(table->number(1).value);
    return sum;
  };
  EXPECT_EQ(count(packed), Index{20000} * 19999 / 2);
  expect_error(ErrorKind::data, {"cut off", "gzip"}, [&] { count(packed.substr(0, packed.size() / 2)); });
  expect_error(ErrorKind::data, {"cut off", "gzip"}, [&] { count(packed.substr(0, packed.size() - 4)); });
  std::string damaged = packed;
  damaged[packed.size() - 6] = static_cast<char>(damaged[packed.size() - 6] ^ 0x55);
  expect_error(ErrorKind::data, {"damaged"}, [&] { count(damaged); });
}

/// The rows of a table with one column, read to its end.
Index rows_in(const std::string& bytes) {
  const TempFile file(bytes);
  const auto table = open_table(file.path(), {});
  while (table->next()) {
  }
  return table->row();
}

TEST(OpenTable, ADamagedSecondMemberOfGzipIsAnError) {
  const std::string first = test::gzip("a\n1\n2\n3\n");
  std::string text;
  for (int i = 0; i < 20000; ++i) text += std::to_string(i * 7919 % 10007) + "\n";
  const std::string second = test::gzip(text);
  ASSERT_EQ(rows_in(first + second), 20003);
  ASSERT_EQ(rows_in(first + test::gzip("") + second), 20003);
  // Whatever byte of the second header changes (but for time, level and system, which say nothing), and
  // wherever it is cut off: three rows came before.
  for (const std::size_t at : {0U, 1U, 2U, 3U}) {
    SCOPED_TRACE(at);
    std::string damaged = second;
    damaged[at] = static_cast<char>(damaged[at] ^ 0x55);
    expect_error(ErrorKind::data, {"lacuna-data-", "row 3", "gzip data"}, [&] { rows_in(first + damaged); });
  }
  for (const std::size_t size : {1U, 2U, 5U, 10U}) {
    SCOPED_TRACE(size);
    expect_error(ErrorKind::data, {"lacuna-data-", "row 3", "cut off"},
                 [&] { rows_in(first + second.substr(0, size)); });
  }
  std::string damaged = second;
  damaged.back() = static_cast<char>(damaged.back() ^ 1); // the length in the last bytes
  expect_error(ErrorKind::data, {"row 20003", "damaged"}, [&] { rows_in(first + damaged); });
}

TEST(OpenTable, BytesBehindGzipArePaddingOrAnError) {
  const std::string packed = test::gzip("a\n1\n2\n3\n");
  EXPECT_EQ(rows_in(packed + std::string(1000, '\0')), 3);
  EXPECT_EQ(rows_in(packed + std::string(200'000, '\0')), 3);
  expect_error(ErrorKind::data, {"row 3", "follow"}, [&] { rows_in(packed + "4\n5\n"); });
  expect_error(ErrorKind::data, {"row 3", "follow"}, [&] { rows_in(packed + "x"); });
  expect_error(ErrorKind::data, {"row 3", "follow"},
               [&] { rows_in(packed + std::string(1000, '\0') + packed); });
}

} // namespace
} // namespace lacuna
