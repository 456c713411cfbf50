#include "data/table_files.hpp"
#include "tests/data/files.hpp"
#include "tests/temporary_folder.hpp"

namespace lacuna::table_files_test {
namespace {

using test::expect_error;
using test::gzip;
using test::labels_in;
using test::values;
using testing::ElementsAre;

/// A folder with files of these names and contents.
class Parts : public TemporaryFolder {
public:
  explicit Parts(const std::vector<std::pair<std::string, std::string>>& files) {
    for (const auto& [name, bytes] : files) write_content(path(name), bytes);
  }
};

TrainingTable read(const std::string& path, const TableOptions& options = labels_in("y")) {
  return read_training_table(path, {}, options, silent_observer());
}

TEST(TableFiles, APatternStandsForItsFilesByName) {
  const Parts parts({{"b.csv", ""}, {"a.csv", ""}, {"c.txt", ""}, {"d.csv.lacuna.part-7-0", ""}});
  EXPECT_THAT(table_files(parts.path("*.csv")), ElementsAre(parts.path("a.csv"), parts.path("b.csv")));
  EXPECT_THAT(table_files(parts.path("[ab].csv")), ElementsAre(parts.path("a.csv"), parts.path("b.csv")));
  EXPECT_THROW(table_files(parts.path("d*")), Error) << "what is about to be written";
  EXPECT_THAT(table_files(parts.path("none.csv")), ElementsAre(parts.path("none.csv")));
}

TEST(TableFiles, AFileOfThatVeryNameIsMeant) {
  const Parts parts({{"a*.csv", ""}, {"a1.csv", ""}});
  EXPECT_THAT(table_files(parts.path("a*.csv")), ElementsAre(parts.path("a*.csv")));
}

TEST(TableFiles, APatternWithoutAFileIsAnError) {
  const Parts parts({});
  expect_error(ErrorKind::no_input, {"none that this pattern matches"}, [&] { read(parts.path("*.csv")); });
}

TEST(TableFiles, TheirRowsAreOneTable) {
  const Parts parts({{"p-1.csv", "x,job,y\n1,clerk,a\n2,nurse,\n"},
                     {"p-2.csv.gz", gzip("x,job,y\n3,pilot,b\n")},
                     {"p-3.csv", "x,job,y\n"},
                     {"p-4.csv", "x,job,y\n5,clerk,\n"},
                     {"whole.csv", "x,job,y\n1,clerk,a\n2,nurse,\n3,pilot,b\n5,clerk,\n"}});
  TableOptions options = labels_in("y");
  options.code_categories = true;
  const TrainingTable joined = read(parts.path("p-*"), options);
  const TrainingTable whole = read(parts.path("whole.csv"), options);
  EXPECT_EQ(values(joined.data.features), values(whole.data.features));
  EXPECT_EQ(joined.data.labels, whole.data.labels);
  EXPECT_EQ(joined.data.levels, whole.data.levels);
  EXPECT_EQ(joined.notes, whole.notes);
}

TEST(TableFiles, LabelsMayLieInSeveralFilesToo) {
  const Parts parts(
      {{"x-1.csv", "x\n1\n2\n"}, {"x-2.csv", "x\n3\n"}, {"y-1.txt", "a\n"}, {"y-2.txt", "\nb\n"}});
  TableOptions options;
  options.labels = parts.path("y-*");
  const TrainingTable table = read(parts.path("x-*"), options);
  EXPECT_EQ(test::label_texts(table.data), (std::vector<std::string>{"a", "", "b"}));
  options.labels = parts.path("y-1.txt");
  expect_error(ErrorKind::data, {"it has 1 labels, but '" + parts.path("x-*") + "' has 3 rows"},
               [&] { read(parts.path("x-*"), options); });
}

TEST(TableFiles, ErrorsNameTheFileAndItsOwnRow) {
  const Parts parts({{"p-1.csv", "x,y\n1,a\n2,b\n"}, {"p-2.csv", "x,y\n3,a\nmany,b\n"}});
  try {
    read(parts.path("p-*"));
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.parts().place.file, parts.path("p-2.csv"));
    EXPECT_EQ(error.parts().place.row, 2);
    EXPECT_EQ(error.parts().place.line, 3);
    EXPECT_EQ(error.parts().place.column, "x");
  }
}

TEST(TableFiles, TheirColumnsMustAgree) {
  const auto fail = [](const std::string& second, const std::string& why) {
    const Parts parts({{"p-1.csv", "x,z,y\n1,2,a\n"}, {"p-2.csv", second}});
    expect_error(ErrorKind::data, {why, "p-2.csv"}, [&] { read(parts.path("p-*")); });
  };
  fail("x,y\n1,b\n", "it has 2, not 3");
  fail("z,x,y\n1,2,b\n", "column 1 is 'z', not 'x'");
  fail("", "the file is empty");
}

TEST(TableFiles, PredictReadsThemAsOne) {
  const Parts parts({{"p-1.csv", "x\n1\n2\n"}, {"p-2.csv", "x\n3\n"}});
  TableReader reader(parts.path("p-*"), {{{"x", false, {}}}, ""}, {}, {});
  TableBlock block;
  ASSERT_TRUE(reader.next(block, 10));
  EXPECT_EQ(values(block.features), (std::vector<double>{1, 2, 3}));
  EXPECT_EQ(reader.position(), 1.0);
}

TEST(TableFiles, TablesThatShareAFileAreKnown) {
  const Parts parts({{"a.csv", ""}, {"b.csv", ""}, {"c.csv", ""}});
  EXPECT_TRUE(share_a_file(parts.path("[ab].csv"), parts.path("[bc].csv")));
  EXPECT_FALSE(share_a_file(parts.path("[ab].csv"), parts.path("c.csv")));
}

} // namespace
} // namespace lacuna::table_files_test
