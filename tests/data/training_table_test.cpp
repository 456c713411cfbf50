#include <cmath>
#include <cstdio>
#include <functional>
#include <set>

#include <fmt/format.h>
#include <rapidcheck.h>

#include "tests/data/files.hpp"

namespace lacuna {
namespace {

using test::expect_error;
using test::gzip;
using test::label_texts;
using test::labels_from;
using test::labels_in;
using test::read_text;
using test::TempFile;
using test::values;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using Names = std::vector<std::string>;

/// Notes as C++ shows them.
Names plain(Names notes) {
  for (std::string& note : notes) note = with_options(note, plain_style);
  return notes;
}

TEST(TrainingTable, ReadsNumbersAndLabels) {
  const TrainingTable table = read_text("a,y,b\n1, x ,2\n+3.5,,-4e1\n5,NA, 6 \n7,z,8\n");
  EXPECT_EQ(values(table.data.features), (std::vector<double>{1, 2, 3.5, -40, 5, 6, 7, 8}));
  EXPECT_EQ(table.data.class_names, (Names{"x", "z"}));
  EXPECT_EQ(table.data.labels, (std::vector<int>{0, missing_label, missing_label, 1}));
  EXPECT_EQ(table.data.feature_names, (Names{"a", "b"}));
  EXPECT_EQ(table.schema.label_column, "y");
  EXPECT_THAT(table.notes, IsEmpty());
  EXPECT_NO_THROW(check_dataset(table.data));
}

TEST(TrainingTable, KnowsEveryMissingLabel) {
  TableOptions options;
  options.missing_label = " -1 ";
  const TrainingTable table = read_text(
      "x,y\n1,\n2,NA\n3,NaN\n4,nan\n5,?\n6,<NA>\n7,-1\n8,-1.0\n9,None\n10,na\n11, \n", "y", options);
  EXPECT_EQ(label_texts(table.data), (Names{"", "", "", "", "", "", "", "", "None", "na", ""}));
}

TEST(TrainingTable, WritesWholeFloatsAsIntegersAndSortsByValue) {
  const TrainingTable table = read_text("x,y\n1,10.0\n2,9.0\n3,\n4,-3.00\n5,9\n", "y", {}, {"7.0", "9"});
  EXPECT_EQ(table.data.class_names, (Names{"-3", "7", "9", "10"}));
  EXPECT_EQ(label_texts(table.data), (Names{"10", "9", "", "-3", "9"}));
  // One word among them, and letters decide.
  EXPECT_EQ(read_text("x,y\n1,10\n2,9\n3,a\n").data.class_names, (Names{"10", "9", "a"}));
}

TEST(TrainingTable, EncodesTextAsCategories) {
  const TrainingTable table = read_text("job,x,y\nnurse,1,a\n clerk ,2,b\n,3,\nnurse,4,a\n");
  EXPECT_EQ(table.data.feature_names, (Names{"job=", "job=clerk", "job=nurse", "x"}));
  EXPECT_EQ(values(table.data.features),
            (std::vector<double>{0, 0, 1, 1, 0, 1, 0, 2, 1, 0, 0, 3, 0, 0, 1, 4}));
  EXPECT_THAT(table.notes, ElementsAre(testing::AllOf(HasSubstr("'job'"), HasSubstr("3 categories"))));
}

TEST(TrainingTable, MostCellsDecideWhatAColumnIs) {
  // Two numbers, three texts: categories. Whole floats count as integers there too.
  EXPECT_EQ(read_text("v,y\n1,a\n2.0,b\np,a\nq,b\nr,a\n").data.feature_names,
            (Names{"v=1", "v=2", "v=p", "v=q", "v=r"}));
  // A tie is a column of numbers with mistakes in it.
  expect_error(ErrorKind::data, {"row 3 (line 4)", "'v'", "'p'"},
               [] { read_text("v,y\n1,a\n2,b\np,a\nq,b\n"); });
  // Gaps do not vote: two numbers and three gaps are a column of numbers with gaps.
  EXPECT_EQ(read_text("v,y\n1,a\n,b\n,a\n2,b\n,b\n").data.feature_names, (Names{"v"}));
  TableOptions options;
  options.categorical = {"v"};
  EXPECT_EQ(read_text("v,y\n1,a\n2,b\n1,a\n", "y", options).data.feature_names, (Names{"v=1", "v=2"}));
}

TEST(TrainingTable, NamesTheCellThatCannotBeUsed) {
  const auto refuse = [](const std::string& cell, std::initializer_list<std::string> words) {
    expect_error(ErrorKind::data, words, [&] { read_text("age,y\n1,a\n\n" + cell + ",b\n3,a\n4,b\n"); });
  };
  refuse("-inf", {"row 2 (line 4)", "'age'", "'-inf'", "finite value"});
  refuse("1e101", {"row 2 (line 4)", "'age'", "'1e101'", "too large", "rescale"});
  refuse("1e999", {"'1e999'", "too large", "rescale"});
  refuse("old", {"row 2 (line 4)", "'age'", "'old'", "expected a number", "categorical age", "drop age"});
}

TEST(TrainingTable, TellsHowFarTheTroubleGoes) {
  expect_error(ErrorKind::data, {"'my column'", "drop 'my column'", "2 cells", "also in 'b'"},
               [] { read_text("my column,b,y\n1,2,a\ninf,3,b\ninf,inf,a\n4,5,a\n"); });
}

TEST(TrainingTable, KeepsGapsAmongNumbers) {
  const TrainingTable table = read_text("x,k,z,y\n1,5,1,a\n,5,NA,b\n3,,?,a\nNaN,5,4,b\n");
  EXPECT_EQ(table.data.feature_names, (Names{"x", "z"})); // k is the same wherever it is known
  const std::vector<double> found = values(table.data.features);
  const std::vector<double> expected = {1, 1, -1, -1, 3, -1, -1, 4}; // -1 stands for a gap
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(expected[i] < 0 ? std::isnan(found[i]) : found[i] == expected[i]) << i;
  EXPECT_NO_THROW(check_dataset(table.data));
  EXPECT_THAT(table.notes, testing::Contains(testing::AllOf(HasSubstr("4 feature cells are missing"),
                                                            HasSubstr("'x', 'z'"))));
}

TEST(TrainingTable, NumbersCategoriesOnRequest) {
  TableOptions options;
  options.code_categories = true;
  options.categorical = {"zip"};
  const TrainingTable table =
      read_text("job,x,zip,y\nnurse,1,10,a\n?,2,9.0,b\nclerk,3,,a\nnurse,4,10.0,b\n", "y", options);
  EXPECT_EQ(table.data.feature_names, (Names{"job", "x", "zip"}));
  EXPECT_EQ(table.data.levels, (std::vector<Index>{2, 0, 2})); // a missing cell is no category
  EXPECT_EQ(table.schema.columns[0].categories, (Names{"clerk", "nurse"}));
  EXPECT_EQ(table.schema.columns[2].categories, (Names{"10", "9"}));
  const std::vector<double> found = values(table.data.features);
  const std::vector<double> expected = {1, 1, 0, -1, 2, 1, 0, 3, -1, 1, 4, 0};
  for (std::size_t i = 0; i < found.size(); ++i)
    EXPECT_TRUE(expected[i] < 0 ? std::isnan(found[i]) : found[i] == expected[i]) << i;
  // A column without any value, and one with a single category, say nothing.
  options.categorical = {"e", "s"};
  EXPECT_EQ(read_text("e,s,x,y\n,q,1,a\nNA,,2,b\n", "y", options).data.feature_names, (Names{"x"}));
}

TEST(TrainingTable, LeavesOutWhatCarriesNothing) {
  const TrainingTable table = read_text("k,x,word,none,y\n5,1,same,,a\n5.0,2,same,NA,b\n5,3,same,,a\n");
  EXPECT_EQ(table.data.feature_names, (Names{"x"}));
  EXPECT_THAT(table.notes,
              ElementsAre(testing::AllOf(HasSubstr("'k'"), HasSubstr("'word'"), HasSubstr("left out")),
                          testing::AllOf(HasSubstr("'none'"), HasSubstr("left out"))));
  expect_error(ErrorKind::data, {"no feature column", "1 hold"}, [] { read_text("x,y\n1,a\n1,b\n"); });
  expect_error(ErrorKind::data, {"no feature column"}, [] { read_text("y\na\nb\n"); });
}

TEST(TrainingTable, LeavesOutThePandasIndex) {
  const TrainingTable table = read_text(",x,y\n0,5,a\n1,6,\n2,7,b\n");
  EXPECT_EQ(table.data.feature_names, (Names{"x"}));
  EXPECT_THAT(table.notes, ElementsAre(HasSubstr("index")));
  EXPECT_EQ(read_text(",x,y\n7,5,a\n2,6,\n90,7,b\n").data.feature_names,
            (Names{"x"})); // after a shuffled split
  // Not an index, so it stays, with a word of warning.
  const TrainingTable other = read_text(",x,y\n0,5,a\n2.5,6,\n1,7,b\n");
  EXPECT_EQ(other.data.feature_names, (Names{"column 1", "x"}));
  EXPECT_THAT(plain(other.notes), ElementsAre(HasSubstr("drop 'column 1'")));
  TableOptions options;
  options.drop = {"column 1"};
  EXPECT_THAT(read_text(",x,y\n0,5,a\n1,6,\n", "y", options).notes, IsEmpty());
  // A named column that counts is a column.
  EXPECT_EQ(read_text("t,x,y\n0,5,a\n1,6,\n").data.feature_names, (Names{"t", "x"}));
}

TEST(TrainingTable, DropsColumns) {
  TableOptions options;
  options.drop = {"id", "note"};
  const TrainingTable table = read_text("id,x,note,y\n7a,1,,a\n7b,2,\"x, y\",b\n", "y", options);
  EXPECT_EQ(table.data.feature_names, (Names{"x"}));
}

TEST(TrainingTable, RefusesWrongColumnNames) {
  const auto with = [](Names drop, Names categorical) {
    TableOptions options;
    options.drop = std::move(drop);
    options.categorical = std::move(categorical);
    read_text("height,weight,y\n1,2,a\n2,3,b\n", "y", options);
  };
  expect_error(ErrorKind::usage, {"drop", "'hieght'", "'weight'", "did you mean 'height'"},
               [&] { with({"hieght"}, {}); });
  expect_error(ErrorKind::usage, {"categorical", "'q'"}, [&] { with({}, {"q"}); });
  expect_error(ErrorKind::usage, {"drop", "'y'", "label column"}, [&] { with({"y"}, {}); });
  expect_error(ErrorKind::usage, {"categorical", "'y'", "label column"}, [&] { with({}, {"y"}); });
  expect_error(ErrorKind::usage, {"'height'", "both"}, [&] { with({"height"}, {"height"}); });
  expect_error(ErrorKind::data, {"'Y'", "label column", "'height', 'weight', 'y'", "did you mean 'y'"},
               [] { read_text("height,weight,y\n1,2,a\n", "Y"); });
  expect_error(ErrorKind::data, {"'y'", "separated by another character", "separator"},
               [] { read_text("a;y\n1\n2\n"); });
  std::string wide = "y0";
  for (int i = 1; i < 50; ++i) wide += ",y" + std::to_string(i);
  expect_error(ErrorKind::data, {"'y19' and 30 more"}, [&] { read_text(wide + "\n", "label"); });
}

TEST(TrainingTable, ReadsTablesWithoutAHeader) {
  TableOptions options;
  options.no_header = true;
  const TrainingTable table = read_text("1,2,a\n3,4,\n5,7,b\n", "c2", options);
  EXPECT_EQ(table.data.feature_names, (Names{"c0", "c1"}));
  EXPECT_EQ(table.data.n_rows(), 3);
}

TEST(TrainingTable, RefusesIdentifiers) {
  std::string names = "name,x,y\n";
  std::string labels = "x,y\n";
  for (int i = 0; i < 1001; ++i) {
    names += fmt::format("n{},{},a\n", i, i);
    labels += fmt::format("{},l{}\n", i, i);
  }
  expect_error(ErrorKind::data, {"'name'", "more than 1000", "identifier", "drop name"},
               [&] { read_text(names); });
  expect_error(ErrorKind::data, {"row 1001 (line 1002)", "'y'", "1001"}, [&] { read_text(labels); });
  // One fewer is accepted, with a hint.
  const TrainingTable table = read_text(names.substr(0, names.rfind("n1000")));
  EXPECT_EQ(table.data.n_features(), 1001);
  EXPECT_THAT(plain(table.notes), ElementsAre(HasSubstr("drop name")));
}

TEST(TrainingTable, ChecksClasses) {
  for (const std::string missing : {"", " ", "NA", "?", "<NA>", "nan"})
    expect_error(ErrorKind::usage, {"classes", "missing label"}, [&] {
      read_text("x,y\n1,a\n2,b\n", "y", {}, {"c", missing});
    });
  TableOptions options;
  options.missing_label = "0";
  expect_error(ErrorKind::usage, {"'0.0'"}, [&] { read_text("x,y\n1,1\n2,0\n", "y", options, {"0.0"}); });
  EXPECT_EQ(read_text("x,y\n1,\n2,\n", "y", {}, {" b ", "a", "b"}).data.class_names, (Names{"a", "b"}));
}

TEST(TrainingTable, RefusesTextThatIsNotUtf8) {
  expect_error(ErrorKind::data, {"row 2 (line 3)", "'y'", "UTF-8"}, [] { read_text("x,y\n1,a\n2,\xE4\n"); });
  expect_error(ErrorKind::data, {"row 1 (line 2)", "'x'", "UTF-8"}, [] { read_text("x,y\n\xE4,a\nb,b\n"); });
  EXPECT_EQ(read_text("x,y\n1,\xC3\xA4\n2,\n").data.class_names, (Names{"\xC3\xA4"}));
}

TEST(TrainingTable, ReadsLabelsBesideTheTable) {
  const TempFile table("a,b\n1,2\n3,4\n5,7\n");
  const auto read = [&](const std::string& labels) {
    const TempFile file(labels);
    return read_training_table(table.path(), {}, labels_from(file), silent_observer());
  };
  EXPECT_EQ(label_texts(read("u\n\nv\n").data), (Names{"u", "", "v"}));
  EXPECT_EQ(label_texts(read("1.0\r\n2\r\n\r\n").data), (Names{"1", "2", ""}));
}

TEST(TrainingTable, CountsLabelsBesideTheTable) {
  const TempFile table("a,b\n1,2\n3,4\n5,7\n");
  const auto read = [&](const std::string& labels, const std::string& label = "") {
    const TempFile file(labels);
    TableOptions options = labels_in(label);
    options.labels = file.path();
    read_training_table(table.path(), {}, options, silent_observer());
  };
  expect_error(ErrorKind::data, {"3 rows", "2 labels"}, [&] { read("u\nv\n"); });
  expect_error(ErrorKind::data, {"3 rows", "4 labels", "no header"}, [&] { read("y\nu\nv\nw\n"); });
  expect_error(ErrorKind::data, {"3 rows", "6 labels"}, [&] { read("u\nv\nw\nu\nv\nw\n"); });
  expect_error(ErrorKind::data, {"2 columns", "one label per row"}, [&] { read("u,1\nv,2\nw,3\n"); });
  expect_error(ErrorKind::usage, {"label", "labels"}, [&] { read("u\nv\nw\n", "a"); });
  expect_error(ErrorKind::usage, {"label", "labels"},
               [&] { read_training_table(table.path(), {}, {}, silent_observer()); });
}

TEST(TrainingTable, NeedsRowsAndAFile) {
  expect_error(ErrorKind::data, {"header", "no row"}, [] { read_text("x,y\n"); });
  expect_error(ErrorKind::data, {"is empty"}, [] { read_text(""); });
  expect_error(ErrorKind::no_input, {"no such file"},
               [] { read_training_table("/no/such/file", {}, labels_in("y"), silent_observer()); });
  expect_error(ErrorKind::no_input, {"folder"},
               [] { read_training_table("/tmp", {}, labels_in("y"), silent_observer()); });
  expect_error(ErrorKind::no_input, {"/dev/null", "read twice"},
               [] { read_training_table("/dev/null", {}, labels_in("y"), silent_observer()); });
}

/// Does something when the second pass has begun.
class Meddler : public Observer {
public:
  explicit Meddler(std::function<void()> meddle) : meddle_(std::move(meddle)) {}
  void progress(std::string_view, double done, double total) override {
    EXPECT_LE(last_, done);
    EXPECT_LE(done, total);
    last_ = done;
    if (meddle_) std::exchange(meddle_, nullptr)();
  }

private:
  std::function<void()> meddle_;
  double last_ = 0.0;
};

std::string many_rows(int n) {
  std::string text = "x,y\n";
  for (int i = 0; i < n; ++i) text += std::to_string(i) + ",a\n";
  return text;
}

TEST(TrainingTable, NoticesAFileThatChanges) {
  for (const int n_later : {4000, 60000}) {
    const TempFile file(many_rows(50000));
    // The first report comes within the first pass, whose open file stays the old one.
    Meddler meddler([&] {
      std::filesystem::remove(file.path());
      file.rewrite(many_rows(n_later));
    });
    expect_error(ErrorKind::data, {"changed while it was read"},
                 [&] { read_training_table(file.path(), {}, labels_in("y"), meddler); });
  }
}

TEST(TrainingTable, ReportsAndStops) {
  const TempFile file(many_rows(50000));
  Meddler watcher(nullptr);
  EXPECT_EQ(read_training_table(file.path(), {}, labels_in("y"), watcher).data.n_rows(), 50000);
  class Stop : public Observer {
    bool cancelled() const override { return true; }
  } stop;
  expect_error(ErrorKind::interrupted, {"interrupted"},
               [&] { read_training_table(file.path(), {}, labels_in("y"), stop); });
}

// A few kilobytes of gzip unpack to megabytes without a row, before the header or behind it.
TEST(TrainingTable, ReportsAndStopsAmongBlankLines) {
  class Impatient : public Observer {
  public:
    void progress(std::string_view /*stage*/, double /*done*/, double /*total*/) override { ++n_reports; }
    bool cancelled() const override { return n_reports > 2; }
    int n_reports = 0;
  };
  const std::string blank(8UL << 20U, '\n');
  for (const std::string& text : {blank, "x,y\n1,a\n" + blank, "x,y\n" + blank + "1,a\n"}) {
    const TempFile file(gzip(text), ".csv.gz");
    Impatient observer;
    expect_error(ErrorKind::interrupted, {"interrupted"},
                 [&] { read_training_table(file.path(), {}, labels_in("y"), observer); });
    EXPECT_EQ(observer.n_reports, 3);

    int n_looks = 0;
    const auto watch = [&](double /*position*/) {
      if (++n_looks == 3) throw std::runtime_error("enough");
    };
    const TableSchema only_x{.columns = {{"x", false, {}}}, .label_column = "y"};
    TableBlock block;
    EXPECT_THROW(
        {
          TableReader reader(file.path(), only_x, {}, {}, {}, watch);
          while (reader.next(block, 10)) {
          }
        },
        std::runtime_error);
  }
}

// Wide rows are many cells each: to look after thousands of rows is to look after seconds.
TEST(TrainingTable, LooksOftenInWideTables) {
  class Count : public Observer {
  public:
    bool cancelled() const override {
      ++n_looks;
      return false;
    }
    mutable int n_looks = 0;
  } observer;
  std::string text;
  for (int j = 0; j < 5000; ++j) text += "x" + std::to_string(j) + ",";
  text += "y\n";
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < 5000; ++j) text += static_cast<char>('0' + (i + j) % 10) + std::string(",");
    text += i % 2 == 0 ? "a\n" : "b\n";
  }
  const TempFile file(text);
  read_training_table(file.path(), {}, labels_in("y"), observer);
  EXPECT_GE(observer.n_looks, 20);
}

/// What should come out of a random table, computed the plain way.
TEST(TrainingTable, RandomTablesComeBack) {
  const auto number = rc::gen::map(rc::gen::arbitrary<int>(), [](int k) { return k / 64.0; });
  const auto word =
      rc::gen::element<std::string>("red", "green, light", "say \"hi\"", "two\nlines", "", "caf\xC3\xA9");
  const auto label = rc::gen::element<std::string>("", "NA", "1.0", "1", "2", "?", "10");
  const auto in_quotes = [](const std::string& text) {
    std::string result = "\"";
    for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
    return result + "\"";
  };
  const bool holds = rc::check([&] {
    const auto n_rows = *rc::gen::inRange<std::size_t>(2, 40);
    auto numbers = *rc::gen::container<std::vector<double>>(n_rows, number);
    auto words = *rc::gen::container<Names>(n_rows, word);
    const auto labels = *rc::gen::container<Names>(n_rows, label);
    numbers[0] = numbers[1] + 1; // not constant
    words[0] = "red";
    words[1] = "blue";
    std::fill(words.begin() + 1, words.begin() + static_cast<Index>((n_rows + 1) / 2), "blue");
    std::string text = "\xEF\xBB\xBFnumber,\"the \"\"word\"\"\",y\r\n";
    for (std::size_t i = 0; i < n_rows; ++i) {
      char buffer[64];
      std::snprintf(buffer, sizeof buffer, "%.17g", numbers[i]);
      text += std::string(buffer) + "," + in_quotes(words[i]) + "," + labels[i] + "\r\n";
    }
    const TrainingTable table = read_text(*rc::gen::arbitrary<bool>() ? text : test::gzip(text));
    RC_ASSERT(table.schema.columns.size() == 2U);
    const Names& categories = table.schema.columns[1].categories;
    RC_ASSERT(std::set<std::string>(words.begin(), words.end()) ==
              std::set<std::string>(categories.begin(), categories.end()));
    for (std::size_t i = 0; i < n_rows; ++i) {
      const double* row = table.data.features.row(static_cast<Index>(i));
      RC_ASSERT(row[0] == numbers[i]);
      for (std::size_t k = 0; k < categories.size(); ++k)
        RC_ASSERT(row[1 + k] == (words[i] == categories[k] ? 1.0 : 0.0));
      const std::string expected = labels[i] == "NA" || labels[i] == "?" ? ""
                                   : labels[i] == "1.0"                  ? "1"
                                                                         : labels[i];
      RC_ASSERT(label_texts(table.data)[i] == expected);
    }
  });
  EXPECT_TRUE(holds);
}

} // namespace
} // namespace lacuna
