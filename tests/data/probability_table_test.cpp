#include "data/probability_table.hpp"

#include <gtest/gtest.h>

#include "data/text_map.hpp"
#include "tests/data/files.hpp"

namespace {

using namespace lacuna;
using namespace lacuna::test;

using Names = std::vector<std::string>;

ProbabilityBlock read(const std::string& text, const Names& classes = {}, const std::string& label = "") {
  const TempFile file(text);
  ProbabilityReader reader(file.path(), labels_in(label), "", classes);
  ProbabilityBlock block;
  EXPECT_TRUE(reader.next(block, 1000));
  ProbabilityBlock behind;
  EXPECT_FALSE(reader.next(behind, 1000));
  EXPECT_EQ(reader.position(), 1.0);
  return block;
}

Names classes_of(const std::string& text, const Names& classes = {}) {
  const TempFile file(text);
  return ProbabilityReader(file.path(), {}, "", classes).class_names();
}

TEST(ProbabilityTable, ReadsAPlainTable) {
  const ProbabilityBlock block = read("b,label,a\n0.25,a,0.75\n1,b,0\n0.5,,0.5\n");
  EXPECT_EQ(block.probabilities.n_cols(), 2);
  EXPECT_EQ(block.probabilities(0, 1), 0.75);
  EXPECT_EQ(block.labels, (std::vector<int>{1, 0, missing_label}));
  EXPECT_EQ(block.predictions, (std::vector<int>{1, 0, 0}));
  EXPECT_EQ(block.error_probability, (std::vector<double>{0.25, 0.0, 0.5}));
  EXPECT_TRUE(block.strata.empty());
}

TEST(ProbabilityTable, KnowsWhatPredictWrites) {
  const ProbabilityBlock block =
      read("x,prediction,error_probability,informative,log_ratio,p_no,p_yes,label\n"
           "7,yes,0.125,1,inf,0.25,0.75,no\n");
  EXPECT_EQ(block.predictions[0], 1);
  EXPECT_EQ(block.error_probability[0], 0.125);
  EXPECT_EQ(block.labels[0], 0);
}

TEST(ProbabilityTable, FindsTheClasses) {
  EXPECT_EQ(classes_of("p_b,p_a,label,other\n"), (Names{"b", "a"}));
  EXPECT_EQ(classes_of("b,a,label\n"), (Names{"b", "a"}));
  EXPECT_EQ(classes_of("1.0,0.0,label\n"), (Names{"1", "0"})); // as labels are read
  EXPECT_EQ(classes_of(",b,a,label\n"), (Names{"b", "a"}));    // pandas wrote an index
  EXPECT_EQ(classes_of("b,id,a,label\n", {"a", "b"}), (Names{"a", "b"}));
  EXPECT_EQ(classes_of("b,p_a,p_b,label\n", {"a", "b"}), (Names{"a", "b"}));
}

TEST(ProbabilityTable, BlocksHoldTheSameRows) {
  const TempFile file("label,a,b\na,1,0\nb,0.5,0.5\na,0,1\nb,0.25,0.75\na,0.125,0.875\n");
  ProbabilityReader reader(file.path(), {}, "label", {});
  ProbabilityBlock block;
  std::vector<double> seen;
  while (reader.next(block, 2)) {
    EXPECT_LE(block.probabilities.n_rows(), 2);
    EXPECT_EQ(block.strata.size(), block.labels.size());
    for (Index i = 0; i < block.probabilities.n_rows(); ++i) seen.push_back(block.probabilities(i, 0));
  }
  EXPECT_EQ(seen, (std::vector<double>{1.0, 0.5, 0.0, 0.25, 0.125}));
}

TEST(ProbabilityTable, RowsMayMissOneByALittle) {
  EXPECT_EQ(read("label,a,b\na,0.5000005,0.5\n").predictions[0], 0);
  expect_error(ErrorKind::data, {"row 1 (line 2)", "1.000002"}, [] { read("label,a,b\na,0.500002,0.5\n"); });
}

TEST(ProbabilityTable, SaysWhatIsMissing) {
  expect_error(ErrorKind::usage, {"'label'", "give label,", "or labels,"}, [] { read("a,b\n1,0\n"); });
  expect_error(ErrorKind::data, {"'truth'", "'label'"}, [] { read("label,a,b\na,1,0\n", {}, "truth"); });
  expect_error(ErrorKind::data, {"'p_c'", "'c'"}, [] { read("label,a,b\na,1,0\n", {"a", "c"}); });
  expect_error(ErrorKind::data, {"1 column", "expected 2"}, [] { read("label,a,b\na,1,0\n", {"a"}); });
  expect_error(ErrorKind::data, {"'a'", "two columns"}, [] { read("label,a,b\na,1,0\n", {"a", "a"}); });
}

// The columns of an array have no names: classes are numbers, or what the caller calls them.
TEST(ProbabilityTable, TablesWithoutNamesGoByPosition) {
  const auto classes = [](const std::string& label, const std::string& stratum, const Names& names) {
    const TempFile file("0.25,1,0.75,u\n");
    TableOptions options = labels_in(label);
    options.no_header = true;
    return ProbabilityReader(file.path(), options, stratum, names).class_names();
  };
  EXPECT_EQ(classes("c1", "c3", {}), (Names{"0", "1"}));
  EXPECT_EQ(classes("c1", "c3", {"no", "yes"}), (Names{"no", "yes"}));
  expect_error(ErrorKind::data, {"2 columns of probabilities", "3 classes"}, [&] {
    classes("c1", "c3", {"no", "yes", "maybe"});
  });
  expect_error(ErrorKind::data, {"2 columns of probabilities", "1 classes"},
               [&] { classes("c1", "c3", {"no"}); });
  expect_error(ErrorKind::data, {"stratum column", "'group'"}, [&] { classes("c1", "group", {}); });
}

TEST(ProbabilityTable, LabelsMayBeInAFileOfTheirOwn) {
  const TempFile table("label,stratum,a,b\nx,u,0.25,0.75\ny,v,1,0\n");
  const TempFile labels("b\n\n");
  ProbabilityReader reader(table.path(), labels_from(labels), "stratum", {"a", "b"});
  ProbabilityBlock block;
  ASSERT_TRUE(reader.next(block, 10));
  EXPECT_EQ(block.labels, (std::vector<int>{1, missing_label})); // the column "label" is another one
  EXPECT_EQ(block.strata, (Names{"u", "v"}));
  EXPECT_FALSE(reader.next(block, 10));
  EXPECT_FALSE(reader.next(block, 10)); // for good
  const TempFile foreign("c\na\n");
  ProbabilityReader wrong(table.path(), labels_from(foreign), "", {"a", "b"});
  expect_error(ErrorKind::data, {foreign.path(), "row 1", "'c'"}, [&] { wrong.next(block, 10); });
}

TEST(ProbabilityTable, NamesTheCellThatCannotBeUsed) {
  for (const std::string wrong : {"-0.25", "1.25", "nan", "inf", "high", ""})
    expect_error(ErrorKind::data, {"row 2", "'b'", "'" + wrong + "'", "a probability"},
                 [&] { read("label,a,b\na,1,0\na,1," + wrong + "\n"); });
  expect_error(ErrorKind::data, {"row 1", "'error_probability'", "'2'"},
               [] { read("label,a,b,error_probability\na,1,0,2\n"); });
  expect_error(ErrorKind::data, {"row 1", "label is not one of the classes", "'c'", "'a', 'b'"},
               [] { read("label,a,b\nc,1,0\n"); });
  expect_error(ErrorKind::data, {"row 1", "prediction is not one of the classes", "'c'"},
               [] { read("label,a,b,prediction\na,1,0,c\n"); });
  expect_error(ErrorKind::data, {"row 1", "UTF-8"}, [] { read("label,a,b\n\xE4,1,0\n"); });
  expect_error(ErrorKind::data, {"row 1", "UTF-8"}, [] { read("label,a,b,prediction\na,1,0,\xE4\n"); });
}

TEST(ProbabilityTable, ABlockHasARow) {
  const TempFile file("label,a,b\na,1,0\n");
  ProbabilityReader reader(file.path(), {}, "", {});
  ProbabilityBlock block;
  for (const Index n_rows : {0, -1})
    expect_error(ErrorKind::usage, {"at least one row"}, [&] { reader.next(block, n_rows); });
  EXPECT_TRUE(reader.next(block, 1));
}

TEST(ProbabilityTable, HasTwoClassesAndNoMoreThanThereMayBe) {
  std::string many = "label";
  for (std::size_t j = 0; j <= max_categories; ++j) many += ",p_" + std::to_string(j);
  expect_error(ErrorKind::data, {std::to_string(max_categories + 1) + " columns", "expected 2 to"},
               [&] { classes_of(many + "\n"); });
  expect_error(ErrorKind::data, {"0 columns"}, [] { classes_of("label\n"); });
  EXPECT_EQ(classes_of("label,a,b,informative,log_ratio,prediction,error_probability\n"), (Names{"a", "b"}));
}

} // namespace
