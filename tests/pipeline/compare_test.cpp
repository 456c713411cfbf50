#include "lacuna/pipeline/compare.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/data/dataset.hpp"
#include "report/page_rows.hpp"
#include "tests/temporary_folder.hpp"

namespace lacuna {
namespace {

using Json = nlohmann::json;

std::string table(Index n, std::uint64_t seed, bool all_labeled) {
  std::string text = "x,z,y,group\n";
  for (Index i = 0; i < n; ++i) {
    RandomStream random(seed, RandomPurpose::simulation, static_cast<std::uint64_t>(i));
    const bool right = i % 2 == 1;
    text += fmt::format("{},{},{},{}\n", (right ? 2.0 : -2.0) + random.normal(), random.normal(),
                        all_labeled || i % 3 == 0 ? (right ? "yes" : "no") : "", i < 20 ? "few" : "many");
  }
  return text;
}

class Compare : public testing::Test {
protected:
  void SetUp() override {
    write_content(folder_.path("train.csv"), table(300, 1, false));
    write_content(folder_.path("test.csv"), table(200, 2, true));
  }
  CompareRequest request() const {
    CompareRequest result;
    result.fit.path = folder_.path("train.csv");
    result.fit.label_column = "y";
    result.fit.table.drop = {"group"};
    result.fit.learning.vb_mixture.n_components = 2;
    result.test_path = folder_.path("test.csv");
    result.stratum_column = "group";
    return result;
  }
  TemporaryFolder folder_;
};

TEST_F(Compare, EveryMethodEqualsFitAndEvaluate) {
  const CompareOutcome outcome = compare_methods(request(), silent_observer());
  ASSERT_EQ(outcome.methods.size(), 4U);
  const Json json = Json::parse(comparison_json(outcome));
  for (std::size_t m = 0; m < 4; ++m) {
    const ComparedMethod& method = outcome.methods[m];
    FitRequest fit = request().fit;
    fit.learning.method = parse_method(method.name);
    const Model model = fit_table(fit, silent_observer()).model;
    EXPECT_EQ(encode_model(method.model), encode_model(model)) << method.name;
    EvaluateRequest evaluate;
    evaluate.path = folder_.path("test.csv");
    evaluate.label_column = "y";
    evaluate.stratum_column = "group";
    const EvaluateOutcome alone = evaluate_table(model, evaluate, silent_observer());
    Json expected = Json::parse(evaluation_json(alone, model));
    expected["method"] = method.name;
    EXPECT_EQ(json.at("methods").at(m), expected) << method.name;
  }
}

TEST_F(Compare, ThreadsChangeNothing) {
  CompareRequest one = request();
  CompareRequest two = request();
  one.fit.learning.threads = 1;
  two.fit.learning.threads = 2;
  EXPECT_EQ(compare_methods(one, silent_observer()).report, compare_methods(two, silent_observer()).report);
}

TEST_F(Compare, SaysWhatIsMissing) {
  CompareRequest wrong = request();
  wrong.test_labels_path = folder_.path("labels.csv");
  EXPECT_THROW(compare_methods(wrong, silent_observer()), Error);
  write_content(folder_.path("test.csv"), "x,z,y,group\n1,2,,a\n");
  try {
    compare_methods(request(), silent_observer());
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::data);
    EXPECT_NE(std::string(error.what()).find("none of its 1 rows has a label"), std::string::npos);
  }
}

TEST_F(Compare, EvaluateWithAPageHasTheSameNumbers) {
  const Model model = fit_table(request().fit, silent_observer()).model;
  EvaluateRequest evaluate;
  evaluate.path = folder_.path("test.csv");
  evaluate.label_column = "y";
  const EvaluateOutcome plain = evaluate_table(model, evaluate, silent_observer());
  evaluate.wants_report = true;
  evaluate.train_path = folder_.path("train.csv");
  const EvaluateOutcome shown = evaluate_table(model, evaluate, silent_observer());
  EXPECT_TRUE(plain.report.empty());
  EXPECT_FALSE(shown.report.empty());
  EXPECT_EQ(evaluation_json(plain, model), evaluation_json(shown, model));
}

TEST(PageRows, DrawnRowsDependOnTheirNumbersAlone) {
  const auto drawn = [](Index n) {
    PageRows rows(PageRows::Kind::test, 0, 1);
    for (Index i = 0; i < n; ++i) {
      const auto value = static_cast<double>(i);
      rows.add(nullptr, &value, 0, value);
    }
    return rows.drawn();
  };
  const PageRows::Drawn all = drawn(max_test_drawn);
  EXPECT_EQ(all.row.size(), static_cast<std::size_t>(max_test_drawn));
  const PageRows::Drawn some = drawn(50'000);
  ASSERT_EQ(some.row.size(), static_cast<std::size_t>(max_test_drawn));
  EXPECT_TRUE(std::is_sorted(some.row.begin(), some.row.end()));
  for (std::size_t i = 0; i < some.row.size(); ++i)
    EXPECT_EQ(some.features(static_cast<Index>(i), 0), static_cast<double>(some.row[i]));
  // A fifth of each fifth: 2,000 with a standard deviation of 36; a false alarm once in a million.
  for (Index part = 0; part < 5; ++part) {
    const auto n =
        std::count_if(some.row.begin(), some.row.end(), [&](Index row) { return row / 10'000 == part; });
    EXPECT_NEAR(static_cast<double>(n), 2000.0, 200.0);
  }
}

TEST(PageRows, FewLabeledRowsAreAllDrawn) {
  PageRows rows(PageRows::Kind::train, 0, 1);
  const double value = 1.0;
  for (Index i = 0; i < 60'000; ++i) rows.add(nullptr, &value, i % 60 == 0 ? 0 : missing_label, 0.0);
  const PageRows::Drawn drawn = rows.drawn();
  EXPECT_EQ(std::count(drawn.label.begin(), drawn.label.end(), 0), 1000);
  EXPECT_EQ(std::count(drawn.label.begin(), drawn.label.end(), missing_label), max_unlabeled_drawn);
}

} // namespace
} // namespace lacuna
