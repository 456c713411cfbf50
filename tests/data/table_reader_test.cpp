#include <cmath>
#include <thread>

#include <sys/stat.h>

#include "tests/data/files.hpp"

namespace lacuna {
namespace {

using test::expect_error;
using test::labels_from;
using test::labels_in;
using test::TempFile;
using test::values;
using Names = std::vector<std::string>;
using Labels = std::vector<int>;

TableSchema schema_of(std::vector<TableColumn> columns) {
  return {std::move(columns), "y"};
}

const TableSchema mixed = schema_of({{"job", true, {"clerk", "nurse"}}, {"x", false, {}}});

TEST(TableReader, StreamsBlocksWhateverTheColumnOrder) {
  const TempFile file("y,x,extra,job\na,1,?,nurse\n,2,?,clerk\n2.0,3,?,pilot\nNA,4,?,1\nb,5,?,nurse\n");
  TableReader reader(file.path(), mixed, labels_in("y"), {"2", "a", "b"}, {.stratum = "job"});
  TableBlock block;
  ASSERT_TRUE(reader.next(block, 2));
  EXPECT_EQ(block.first_row, 0);
  EXPECT_EQ(values(block.features), (std::vector<double>{0, 1, 1, 1, 0, 2}));
  EXPECT_EQ(block.labels, (Labels{1, missing_label}));
  EXPECT_EQ(block.strata, (Names{"nurse", "clerk"}));
  EXPECT_EQ(reader.n_unseen_categories(), 0);
  const double* memory = block.features.row(0);
  ASSERT_TRUE(reader.next(block, 2));
  EXPECT_EQ(block.features.row(0), memory); // blocks of one size share their memory
  EXPECT_EQ(block.first_row, 2);
  EXPECT_EQ(values(block.features), (std::vector<double>{0, 0, 3, 0, 0, 4}));
  EXPECT_EQ(block.labels, (Labels{0, missing_label}));
  EXPECT_EQ(reader.n_unseen_categories(), 2);
  ASSERT_TRUE(reader.next(block, 2));
  EXPECT_EQ(block.first_row, 4);
  EXPECT_EQ(values(block.features), (std::vector<double>{0, 1, 5}));
  EXPECT_EQ(block.labels, (Labels{2}));
  EXPECT_EQ(block.strata, (Names{"nurse"}));
  EXPECT_FALSE(reader.next(block, 2));
  EXPECT_FALSE(reader.next(block, 2));
  EXPECT_EQ(block.features.n_rows(), 0);
  EXPECT_EQ(reader.position(), 1.0);
}

TEST(TableReader, GapsAndUnseenCategoriesAreMissingValues) {
  const TableSchema coded = schema_of({{"job", true, {"clerk", "nurse"}, true}, {"x", false, {}}});
  const TempFile file("x,job\n1,nurse\n,clerk\n3,pilot\nNA,?\n");
  TableReader reader(file.path(), coded, {}, {});
  TableBlock block;
  ASSERT_TRUE(reader.next(block, 10));
  const std::vector<double> found = values(block.features);
  const std::vector<double> expected = {1, 1, 0, -1, -1, 3, -1, -1}; // -1 stands for a gap
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(expected[i] < 0 ? std::isnan(found[i]) : found[i] == expected[i]) << i;
  EXPECT_EQ(reader.n_unseen_categories(), 1); // the pilot; a gap is no category
}

TEST(TableReader, GivesOnlyWhatWasAskedFor) {
  const TempFile file("job,x\nclerk,1\n");
  TableReader reader(file.path(), mixed, {}, {});
  TableBlock block;
  block.labels = {1, 2};
  block.strata = {"old"};
  ASSERT_TRUE(reader.next(block, 1'000'000'000'000)); // must not allocate for rows that are not there
  EXPECT_EQ(block.features.n_rows(), 1);
  EXPECT_TRUE(block.labels.empty());
  EXPECT_TRUE(block.strata.empty());
  expect_error(ErrorKind::usage, {"at least one row"}, [&] { reader.next(block, 0); });
}

TEST(TableReader, AcceptsATableWithoutRows) {
  const TempFile file("job,x\n");
  TableReader reader(file.path(), mixed, {}, {});
  TableBlock block;
  EXPECT_FALSE(reader.next(block, 10));
}

TEST(TableReader, SeesTheSameAsTheTrainingReader) {
  std::string text = "x,job,y\n";
  for (int i = 0; i < 5000; ++i)
    text += std::to_string(i * 0.1) + "," + (i % 3 == 0 ? "nurse" : "clerk") + "," + (i % 7 == 0 ? "a" : "") +
            "\n";
  const TempFile file(test::gzip(text));
  const TrainingTable table = read_training_table(file.path(), {}, labels_in("y"), silent_observer());
  TableReader reader(file.path(), table.schema, labels_in("y"), table.data.class_names);
  TableBlock block;
  std::vector<double> features;
  Labels labels;
  double position = 0.0;
  while (reader.next(block, 999)) {
    features.insert(features.end(), block.features.values().begin(), block.features.values().end());
    labels.insert(labels.end(), block.labels.begin(), block.labels.end());
    EXPECT_LE(position, reader.position());
    position = reader.position();
  }
  EXPECT_EQ(features, values(table.data.features));
  EXPECT_EQ(labels, table.data.labels);
}

TEST(TableReader, NamesMissingColumns) {
  const TempFile file("jobs,z\nclerk,1\n");
  const auto open = [&](const TableSchema& schema, const std::string& label = "",
                        const std::string& stratum = "") {
    TableReader(file.path(), schema, labels_in(label), {"a"}, {.stratum = stratum});
  };
  expect_error(ErrorKind::data, {"2 columns", "'job', 'x'", "it has 'jobs', 'z'"}, [&] { open(mixed); });
  expect_error(ErrorKind::data, {"a column", "'job'", "did you mean 'jobs'"}, [&] {
    open(schema_of({{"job", false, {}}}));
  });
  expect_error(ErrorKind::data, {"'c0'", "no_header"}, [&] { open(schema_of({{"c0", false, {}}})); });
  const TableSchema z = schema_of({{"z", false, {}}});
  expect_error(ErrorKind::data, {"'y'", "label column"}, [&] { open(z, "y"); });
  expect_error(ErrorKind::data, {"'region'", "stratum column"}, [&] { open(z, "", "region"); });
}

TEST(TableReader, CountsColumnsOfTablesWithoutNames) {
  const TempFile file("1,2,3\n");
  TableOptions options;
  options.no_header = true;
  const TableSchema wide = schema_of({{"c1", false, {}}, {"c7", false, {}}});
  expect_error(ErrorKind::data, {"has 3 columns", "needs 8"},
               [&] { TableReader(file.path(), wide, options, {}); });
  expect_error(ErrorKind::data, {"'x'", "this table has none"},
               [&] { TableReader(file.path(), mixed, options, {}); });
}

TEST(TableReader, NamesTheCellThatCannotBeUsed) {
  const auto refuse = [](const std::string& cell, std::initializer_list<std::string> words) {
    const TempFile file("x,job\n1,clerk\n" + cell + ",clerk\n");
    TableReader reader(file.path(), mixed, {}, {});
    TableBlock block;
    expect_error(ErrorKind::data, words, [&] { reader.next(block, 10); });
  };
  refuse("old", {"row 2 (line 3)", "'x'", "'old'", "expected a number"});
  refuse("inf", {"row 2 (line 3)", "'inf'", "finite", "leave the row out"});
  refuse("-1e200", {"'-1e200'", "too large"});
  refuse("1,2", {"row 2 (line 3)", "got 3", "expected 2"});
}

TEST(TableReader, HandsOutTheRowsBeforeABadOneWhenAsked) {
  // The last column of the bad row is wrong: its label and all but one feature are read by then.
  const TempFile file("y,job,x\na,clerk,1\nb,nurse,2\na,nurse,oops\na,clerk,4\n");
  TableReader reader(file.path(), mixed, labels_in("y"), {"a", "b"}, {.stratum = "job"});
  TableBlock block;
  ASSERT_TRUE(reader.next_sound(block, 10));
  EXPECT_EQ(values(block.features), (std::vector<double>{1, 0, 1, 0, 1, 2}));
  EXPECT_EQ(block.labels, (Labels{0, 1}));
  EXPECT_EQ(block.strata, (Names{"clerk", "nurse"}));
  for (int call = 0; call < 2; ++call)
    expect_error(ErrorKind::data, {"row 3", "'x'", "oops"}, [&] { reader.next_sound(block, 10); });
}

TEST(TableReader, ReadsLabelsBesideTheTable) {
  const TempFile table("job,x\nclerk,1\nnurse,2\n");
  const auto read = [&](const std::string& bytes) {
    const TempFile labels(bytes);
    TableReader reader(table.path(), mixed, labels_from(labels), {"3", "a", "b", "c", "d"});
    TableBlock block;
    Labels all;
    while (reader.next(block, 1)) all.insert(all.end(), block.labels.begin(), block.labels.end());
    return all;
  };
  EXPECT_EQ(read("a\n3.0\n"), (Labels{1, 0}));
  EXPECT_EQ(read("\na"), (Labels{missing_label, 1}));
  expect_error(ErrorKind::data, {"2 rows", "1 labels"}, [&] { read("a\n"); });
  expect_error(ErrorKind::data, {"2 rows", "4 labels"}, [&] { read("a\nb\nc\nd\n"); });
}

TEST(TableReader, ReadsAPipe) {
  const std::string path = TempFile("").path() + ".fifo"; // the name of a file that is gone again
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  std::jthread writer([&] { std::ofstream(path) << "x,job\n1,clerk\n2,nurse\n"; });
  TableReader reader(path, mixed, {}, {});
  TableBlock block;
  ASSERT_TRUE(reader.next(block, 10));
  EXPECT_EQ(values(block.features), (std::vector<double>{1, 0, 1, 0, 1, 2}));
  std::filesystem::remove(path);
}

TEST(TableReader, RefusesForeignTextInLabelsAndStrata) {
  const TempFile file("x,job,y\n1,clerk,a\n2,clerk,\xE4\n");
  TableBlock block;
  TableReader labels(file.path(), mixed, labels_in("y"), {"a"});
  expect_error(ErrorKind::data, {"row 2 (line 3)", "'y'", "UTF-8"}, [&] { labels.next(block, 10); });
  TableReader strata(file.path(), mixed, {}, {}, {.stratum = "y"});
  expect_error(ErrorKind::data, {"row 2 (line 3)", "'y'", "UTF-8"}, [&] { strata.next(block, 10); });
}

TEST(TableSchema, NamesFeatures) {
  EXPECT_EQ(mixed.feature_names(), (Names{"job=clerk", "job=nurse", "x"}));
  EXPECT_EQ(mixed.n_features(), 3);
}

TEST(TableSchema, ComesBackFromAnArchive) {
  const TableSchema schema = {{{"a \"b\"\n", true, {"", "\xC3\xA4", "\xE2\x82\xAC,"}}, {"x", false, {}}},
                              "the label"};
  Archive archive;
  schema.save(archive, "table/");
  const TableSchema loaded = TableSchema::load(archive, "table/");
  EXPECT_EQ(loaded.label_column, "the label");
  ASSERT_EQ(loaded.columns.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) {
    EXPECT_EQ(loaded.columns[i].name, schema.columns[i].name);
    EXPECT_EQ(loaded.columns[i].is_categorical, schema.columns[i].is_categorical);
    EXPECT_EQ(loaded.columns[i].categories, schema.columns[i].categories);
    EXPECT_EQ(loaded.columns[i].is_coded, schema.columns[i].is_coded);
  }
}

TEST(TableSchema, RefusesADamagedArchive) {
  for (const std::string text :
       {"", "{", "[]", "{}", R"({"label_column":"y"})", R"({"label_column":"y","columns":[]})",
        R"({"label_column":1,"columns":[{"name":"x"}]})", R"({"label_column":"y","columns":[{"nom":"x"}]})",
        R"({"label_column":"y","columns":[7]})",
        R"({"label_column":"y","columns":[{"name":"x"},{"name":"x"}]})",
        R"({"label_column":"y","columns":[{"name":"x","categories":[]}]})",
        R"({"label_column":"y","columns":[{"name":"x","categories":["b","a"]}]})",
        R"({"label_column":"y","columns":[{"name":"x","categories":["a","a"]}]})",
        R"({"label_column":"y","columns":[{"name":"x","categories":[1]}]})"}) {
    Archive archive;
    archive.put_text("schema", text);
    expect_error(ErrorKind::data, {"damaged"}, [&] { TableSchema::load(archive, ""); });
  }
  expect_error(ErrorKind::data, {"schema", "missing"}, [] { TableSchema::load(Archive(), ""); });
}

TEST(TableSchema, TextsHaveALargestSize) {
  const std::string longest(std::size_t{4} << 20U, 'x');
  const auto comes_back = [](const std::string& label, const std::string& column,
                             const std::string& category) {
    Archive archive;
    TableSchema{{{column, true, {category}}}, label}.save(archive, "");
    TableSchema::load(archive, "");
  };
  EXPECT_NO_THROW(comes_back(longest, "x", "c"));
  EXPECT_NO_THROW(comes_back("y", longest, "c"));
  EXPECT_NO_THROW(comes_back("y", "x", longest));
  expect_error(ErrorKind::data, {"damaged"}, [&] { comes_back(longest + "x", "x", "c"); });
  expect_error(ErrorKind::data, {"damaged"}, [&] { comes_back("y", longest + "x", "c"); });
  expect_error(ErrorKind::data, {"damaged"}, [&] { comes_back("y", "x", longest + "x"); });
}

} // namespace
} // namespace lacuna
