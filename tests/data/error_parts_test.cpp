#include <limits>

#include "data/probability_table.hpp"
#include "tests/data/files.hpp"

namespace lacuna {
namespace {

using test::labels_in;
using test::read_text;
using test::TempFile;
using testing::EndsWith;
using testing::HasSubstr;

std::string dashed(std::string_view option) {
  return "--" + std::string(option);
}

/// The error of `work`; one without parts when there is none.
template <typename Work>
Error error_of(Work work) {
  try {
    work();
  } catch (const Error& error) {
    return error;
  }
  ADD_FAILURE() << "nothing was thrown";
  return {ErrorKind::internal, "nothing"};
}

const TableSchema one_number = {{{"x", false, {}}}, "y"};

/// Reads a whole table with the classes a and b.
Error reading_error(const std::string& path, const TableOptions& options) {
  return error_of([&] {
    TableReader reader(path, one_number, options, {"a", "b"});
    TableBlock block;
    while (reader.next(block, 2)) {
    }
  });
}

void expect_place(const Error& error, const Place& place) {
  EXPECT_EQ(error.kind(), ErrorKind::data);
  EXPECT_EQ(error.parts().place.file, place.file);
  EXPECT_EQ(error.parts().place.row, place.row);
  EXPECT_EQ(error.parts().place.line, place.line);
  EXPECT_EQ(error.parts().place.column, place.column);
}

TEST(ErrorParts, OfACellThatIsNoNumber) {
  const TempFile file("age,y\n1,a\n\nold,b\n3,a\n4,b\n");
  const Error error =
      error_of([&] { read_training_table(file.path(), {}, labels_in("y"), silent_observer()); });
  expect_place(error, {file.path(), 2, 4, "age"});
  EXPECT_EQ(error.parts().found, "'old'");
  EXPECT_EQ(error.parts().expected, "a number as in most cells of this column");
  EXPECT_THAT(error.text(dashed),
              EndsWith("; mend the cell, take it for a missing value with --missing_value old, "
                       "take the column as categories with --categorical "
                       "age, or leave it out with --drop age"));
  EXPECT_THAT(error.what(), EndsWith("with categorical age, or leave it out with drop age"));
}

TEST(ErrorParts, OfALabelThatIsNoClass) {
  const TempFile file("x,y\n1,a\n2,\n\n3,c\n");
  const Error error = reading_error(file.path(), labels_in("y"));
  expect_place(error, {file.path(), 3, 5, "y"});
  EXPECT_EQ(error.parts().found, "'c'");
  EXPECT_EQ(error.parts().expected, "one of 'a', 'b'");
  EXPECT_THAT(error.text(dashed), HasSubstr("name it with --classes when fitting"));
}

TEST(ErrorParts, OfALabelInAFileOfItsOwn) {
  const TempFile file("x\n1\n2\n3\n");
  const TempFile labels("a\n\nc\n");
  TableOptions options;
  options.labels = labels.path();
  const Error error = reading_error(file.path(), options);
  EXPECT_EQ(error.parts().place.file, labels.path());
  EXPECT_EQ(error.parts().place.row, 3);
  EXPECT_EQ(error.parts().place.line, 3);
  EXPECT_EQ(error.parts().place.column, "");
  EXPECT_EQ(error.parts().found, "'c'");
  const TempFile few("a\n");
  options.labels = few.path();
  const Error length = reading_error(file.path(), options);
  EXPECT_EQ(length.parts().place.file, few.path());
  EXPECT_THAT(length.parts().statement, HasSubstr("1 labels, but '" + file.path().substr(0, 10)));
}

TEST(ErrorParts, OfTheShapeOfATable) {
  const TempFile ragged("x,y\n1,a\n2,b,c\n");
  const Error error = reading_error(ragged.path(), labels_in("y"));
  EXPECT_EQ(error.parts().place.row, 2);
  EXPECT_EQ(error.parts().place.line, 3);
  EXPECT_EQ(error.parts().found, "3 cells");
  EXPECT_EQ(error.parts().expected, "2 as in the header");
  const TempFile twice("x,x\n");
  const Error header = reading_error(twice.path(), {});
  EXPECT_EQ(header.parts().place.row, 0);
  EXPECT_EQ(header.parts().place.line, 1);
  EXPECT_EQ(header.parts().remedy, "give each its own name");
  const TempFile open("x,y\n\"1,a\n");
  EXPECT_EQ(reading_error(open.path(), {}).parts().place.line, 2);
}

TEST(ErrorParts, OfAFileKeepTheWholeName) {
  const std::string path = "/no/such/folder/" + std::string(100, 'x') + ".csv";
  const Error error = reading_error(path, {});
  EXPECT_EQ(error.kind(), ErrorKind::no_input);
  EXPECT_EQ(error.parts().place.file, path);
  EXPECT_THAT(reading_error("", {}).what(), HasSubstr("name of the file is empty"));
  const Error strange = reading_error("/no/\x1f\n\xE4", {}); // the name as it is, and as it is shown
  EXPECT_EQ(strange.parts().place.file, "/no/\x1f\n\xE4");
  EXPECT_THAT(strange.what(), HasSubstr(R"('/no/\x1f\x0a\xe4')"));
}

TEST(ErrorParts, OfOptions) {
  const TempFile file("x,height,y\n1,2,a\n2,1,b\n");
  const auto read = [&](const TableOptions& options, const std::vector<std::string>& classes = {}) {
    return error_of([&] { read_training_table(file.path(), classes, options, silent_observer()); });
  };
  TableOptions both = labels_in("y");
  both.labels = "y.csv";
  EXPECT_EQ(read(both).kind(), ErrorKind::usage);
  EXPECT_EQ(read(both).parts().option, "labels");
  EXPECT_EQ(read(both).text(dashed), "--labels: it excludes --label; give one of them");
  EXPECT_EQ(reading_error(file.path(), both).parts().option, "labels");
  EXPECT_EQ(error_of([&] { ProbabilityReader(file.path(), both, "", {}); }).parts().option, "labels");
  EXPECT_THAT(read({}).text(dashed),
              HasSubstr("give either --label, for a column of the table, or --labels,"));
  TableOptions drop = labels_in("y");
  drop.drop = {"hieght"};
  EXPECT_EQ(read(drop).parts().option, "drop");
  EXPECT_EQ(read(drop).parts().remedy, "did you mean 'height'?");
  drop.drop = {"height"};
  drop.categorical = {"height"};
  EXPECT_THAT(read(drop).text(dashed), HasSubstr("'height' is named in both --drop and --categorical"));
  EXPECT_EQ(read(labels_in("y"), {"NA"}).parts().option, "classes");
  EXPECT_THAT(read(labels_in("y"), {"NA"}).text(dashed), EndsWith("or that of --missing_label"));
}

TEST(ErrorParts, OfProbabilities) {
  const auto read = [](const std::string& text) {
    const TempFile file(text);
    return error_of([&] {
      ProbabilityReader reader(file.path(), {}, "", {});
      ProbabilityBlock block;
      reader.next(block, 100);
    });
  };
  const Error cell = read("label,a,b\na,1,0\nb,half,0.5\n");
  EXPECT_EQ(cell.parts().place.row, 2);
  EXPECT_EQ(cell.parts().place.line, 3);
  EXPECT_EQ(cell.parts().place.column, "a");
  EXPECT_EQ(cell.parts().found, "'half'");
  const Error sum = read("label,a,b\na,0.5,0.25\n");
  EXPECT_EQ(sum.parts().place.row, 1);
  EXPECT_EQ(sum.parts().found, "0.75");
  EXPECT_EQ(sum.parts().expected, "1 within 1e-06");
  const Error label = read("label,a,b\nc,0.5,0.5\n");
  EXPECT_EQ(label.parts().place.column, "label");
  EXPECT_EQ(label.parts().found, "'c'");
  EXPECT_EQ(label.parts().expected, "one of 'a', 'b'");
}

TEST(ErrorParts, OfRowsInMemory) {
  Dataset data;
  data.features = Matrix(2, 2, {1, 2, 3, std::numeric_limits<double>::infinity()});
  const Error unnamed = error_of([&] { check_dataset(data); });
  EXPECT_EQ(unnamed.parts().place.row, 2);
  EXPECT_EQ(unnamed.parts().place.column, "2");
  EXPECT_EQ(unnamed.parts().found, "inf");
  data.feature_names = {"age", "height"};
  EXPECT_EQ(error_of([&] { check_dataset(data); }).parts().place.column, "height");
  data.features(1, 1) = std::numeric_limits<double>::quiet_NaN();
  const Error gap = error_of([&] { require_complete(data.features.view(), data.feature_names, 40, "pca"); });
  EXPECT_EQ(gap.parts().place.row, 42);
  EXPECT_THAT(gap.parts().remedy, HasSubstr("vb-gmm"));
}

TEST(Notes, MentionOptionsInTheReadersStyle) {
  const std::string note = read_text(",x,y\n0,5,a\n2.5,6,\n1,7,b\n").notes.at(0);
  EXPECT_THAT(with_options(note, dashed), EndsWith("leave it out with --drop 'column 1'"));
}

TEST(TableOptions, AreATable) {
  std::vector<std::string> names;
  for (const Option<TableOptions>& row : TableOptions::table()) {
    names.push_back(row.name);
    EXPECT_EQ(row.is_recorded, row.name != "labels" && row.name != "separator" && row.name != "decimal");
  }
  EXPECT_THAT(names, testing::ElementsAre("label", "labels", "missing_label", "drop", "categorical",
                                          "no_header", "separator", "decimal", "missing_value", "weights"));
  TableOptions options;
  for (const Option<TableOptions>& row : TableOptions::table())
    row.set(options, row.is_list() ? std::vector<std::string>{"p", "q"}
                     : row.value_name == "CHAR"
                         ? std::vector<std::string>{","}
                         : std::vector<std::string>{row.kind == OptionKind::flag ? "true" : row.name});
  EXPECT_EQ(options.label, "label");
  EXPECT_EQ(options.labels, "labels");
  EXPECT_EQ(options.missing_label, "missing_label");
  EXPECT_EQ(options.drop, (std::vector<std::string>{"p", "q"}));
  EXPECT_EQ(options.categorical, options.drop);
  EXPECT_TRUE(options.no_header);
}

} // namespace
} // namespace lacuna
