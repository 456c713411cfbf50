#include "lacuna/pipeline/compare.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/data/dataset.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "pipeline/row_sample.hpp"
#include "tests/expect_error.hpp"
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
    result.path = folder_.path("train.csv");
    result.label = 'y';
    result.drop = {"group"};
    result.density = VbMixtureOptions{.components = 2};
    result.test = folder_.path("test.csv");
    result.stratum = "group";
    return result;
  }
  EvaluateRequest test_request() const {
    EvaluateRequest result;
    result.path = folder_.path("test.csv");
    result.label = 'y';
    result.stratum = "group";
    return result;
  }
  TemporaryFolder folder_;
};

TEST_F(Compare, EveryMethodEqualsFitAndEvaluate) {
  const Comparison comparison = compare_methods(request(), silent_observer());
  const std::vector<ComparedMethod>& methods = comparison.methods;
  ASSERT_EQ(methods.size(), 4U);
  const Json json = Json::parse(comparison_json(comparison));
  for (std::size_t m = 0; m < 4; ++m) {
    const ComparedMethod& method = methods[m];
    FitRequest fit = request();
    fit.method = find_choice<Method>(method.name).value();
    const Model model = fit_table(fit, silent_observer());
    EXPECT_EQ(encode_model(method.model), encode_model(model)) << method.name;
    Json expected = Json::parse(evaluation_json(evaluate(model, test_request(), silent_observer()), &model));
    expected["method"] = method.name;
    EXPECT_EQ(json.at("methods").at(m), expected) << method.name;
  }
}

TEST_F(Compare, PlainModelsStandBesideThem) {
  const Comparison comparison = compare_methods(request(), silent_observer());
  const Json json = Json::parse(comparison_json(comparison));
  double smallest = 2.0;
  std::string winner;
  for (const char* const part : {"methods", "plain_models"})
    for (const Json& entry : json.at(part)) {
      EXPECT_EQ(entry.at("n"), 200);
      EXPECT_EQ(entry.at("strata").size(), 2U);
      EXPECT_EQ(entry.at("model").is_null(), std::string(part) == "plain_models");
      if (entry.at("brier_error") >= smallest) continue;
      smallest = entry.at("brier_error");
      winner = entry.at("method");
    }
  EXPECT_EQ(json.at("plain_models").size(), 4U);
  EXPECT_EQ(json.at("winner").at("method"), winner);
  EXPECT_EQ(json.at("winner").at("brier_error"), smallest);
  EXPECT_EQ(json.at("winner").at("words"), comparison.winner().words);
  EXPECT_EQ(comparison.plain_models.front().outcome.rows.n_rows(), 200);
}

TEST_F(Compare, ThreadsChangeNothing) {
  CompareRequest one = request();
  CompareRequest two = request();
  one.threads = 1;
  two.threads = 2;
  EXPECT_EQ(comparison_json(compare_methods(one, silent_observer())),
            comparison_json(compare_methods(two, silent_observer())));
}

TEST_F(Compare, SaysWhatIsMissing) {
  CompareRequest wrong = request();
  wrong.test_labels = folder_.path("labels.csv");
  EXPECT_THROW(compare_methods(wrong, silent_observer()), Error);
  write_content(folder_.path("test.csv"), "x,z,y,group\n1,2,,a\n");
  test::expect_error(ErrorKind::data, {"none of its 1 rows has a label"},
                     [&] { compare_methods(request(), silent_observer()); });
}

TEST_F(Compare, EvaluateThatKeepsRowsHasTheSameNumbers) {
  const Model model = fit_table(request(), silent_observer());
  EvaluateRequest asked = test_request();
  const EvaluateOutcome plain = evaluate(model, asked, silent_observer());
  asked.keeps_rows = true;
  asked.train = folder_.path("train.csv");
  const EvaluateOutcome shown = evaluate(model, asked, silent_observer());
  EXPECT_EQ(plain.test_rows, nullptr);
  ASSERT_NE(shown.test_rows, nullptr);
  ASSERT_NE(shown.train_rows, nullptr);
  EXPECT_EQ(shown.test_rows->n_rows(), 200);
  EXPECT_EQ(shown.train_rows->n_rows(), 300);
  EXPECT_EQ(evaluation_json(plain, &model), evaluation_json(shown, &model));
}

TEST_F(Compare, AnUnknownLabelIsAnErrorWhereverItStands) {
  const Model model = fit_table(request(), silent_observer());
  EvaluateRequest asked = test_request();
  asked.keeps_rows = true;
  asked.train = folder_.path("other.csv");
  write_content(folder_.path("other.csv"), "x,z,y,group\n1,2,perhaps,a\n");
  test::expect_error(ErrorKind::data, {"other.csv", "row 1", "'perhaps'"},
                     [&] { evaluate(model, asked, silent_observer()); });
}

TEST(RowSample, DrawnRowsDependOnTheirNumbersAlone) {
  const auto drawn = [](Index n) {
    RowSample rows(RowSample::Kind::test, {.n_columns = 0, .n_features = 1});
    for (Index i = 0; i < n; ++i) {
      const auto value = static_cast<double>(i);
      rows.add(nullptr, &value, 0, value);
    }
    return rows.drawn();
  };
  const RowSample::Drawn all = drawn(max_test_drawn);
  EXPECT_EQ(all.row.size(), static_cast<std::size_t>(max_test_drawn));
  const RowSample::Drawn some = drawn(50'000);
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

TEST(RowSample, FewLabeledRowsAreAllDrawn) {
  RowSample rows(RowSample::Kind::train, {.n_columns = 0, .n_features = 1});
  const double value = 1.0;
  for (Index i = 0; i < 60'000; ++i) rows.add(nullptr, &value, i % 60 == 0 ? 0 : missing_label, 0.0);
  const RowSample::Drawn drawn = rows.drawn();
  EXPECT_EQ(std::count(drawn.label.begin(), drawn.label.end(), 0), 1000);
  EXPECT_EQ(std::count(drawn.label.begin(), drawn.label.end(), missing_label), max_unlabeled_drawn);
}

} // namespace
} // namespace lacuna
