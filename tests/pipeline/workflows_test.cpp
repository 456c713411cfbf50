#include "lacuna/pipeline/fit.hpp"

#include <cmath>
#include <limits>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "lacuna/pipeline/evaluate.hpp"
#include "lacuna/pipeline/predict.hpp"
#include "tests/expect_error.hpp"
#include "tests/temporary_folder.hpp"

namespace lacuna {
namespace {

using Json = nlohmann::json;
using test::expect_error;
using Rows = std::vector<std::vector<std::string>>;

constexpr Index n_rows = 240;

// Two blobs, class "no, never" left and "yes" right; two thirds of the labels are gone.
std::string training_csv(const std::string& columns = "x,z,y", bool all_labeled = false) {
  std::string text = columns + "\n";
  for (Index i = 0; i < n_rows; ++i) {
    RandomStream random(5, RandomPurpose::simulation, static_cast<std::uint64_t>(i));
    const bool right = i % 2 == 1;
    const std::string x = fmt::format("{}", (right ? 3.0 : -3.0) + random.normal());
    const std::string z = fmt::format("{}", random.normal());
    const std::string y = all_labeled || i % 3 == 0 ? (right ? "yes" : "\"no, never\"") : "";
    const std::string group = i < 100 ? "first" : "second";
    std::stringstream names(columns);
    std::string line;
    for (std::string name; std::getline(names, name, ',');)
      line += (line.empty() && name == columns.substr(0, name.size()) ? "" : ",") + (name == "x"   ? x
                                                                                     : name == "z" ? z
                                                                                     : name == "y" ? y
                                                                                                   : group);
    text += line + "\n";
  }
  return text;
}

class Workflows : public testing::Test {
protected:
  FitRequest request() const {
    FitRequest result;
    result.path = folder_.path("train.csv");
    result.label = 'y';
    result.density = VbMixtureOptions{.components = 3};
    return result;
  }
  Model fit() const { return fit_table(request(), silent_observer()); }
  std::string predict(const Model& model, const std::string& name, int threads = 1) const {
    std::string text;
    predict_table(
        model, folder_.path(name), {}, {.threads = threads}, [&](std::string_view part) { text += part; },
        silent_observer());
    return text;
  }
  EvaluateRequest evaluate_request(const std::string& name) const {
    EvaluateRequest result;
    result.path = folder_.path(name);
    result.label = 'y';
    return result;
  }

  /// Of a table in which every row has a label and, in the column of that name, a group.
  EvaluateRequest grouped_request(const std::string& stratum) const {
    write_content(folder_.path("test.csv"), training_csv("x,z,y," + stratum, true));
    EvaluateRequest result = evaluate_request("test.csv");
    result.stratum = stratum;
    return result;
  }
  Scores scores_of(const Model& model, const std::string& name) const {
    TableReader reader(folder_.path(name), model.schema, {}, {});
    TableBlock block;
    EXPECT_TRUE(reader.next(block, n_rows));
    return model.score(block.features.view(), {.threads = 1});
  }

  void SetUp() override { write_content(folder_.path("train.csv"), training_csv()); }

  TemporaryFolder folder_;
};

TEST_F(Workflows, PredictWritesTheContractsHeaderAndTheClassifiersNumbers) {
  const Model model = fit();
  const std::string text = predict(model, "train.csv");
  std::stringstream lines(text);
  std::string line;
  std::getline(lines, line);
  EXPECT_EQ(line, "prediction,error_probability,informative,log_ratio,\"p_no, never\",p_yes");

  const Scores scores = scores_of(model, "train.csv");
  for (Index i = 0; i < n_rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    ASSERT_TRUE(std::getline(lines, line)) << i;
    EXPECT_EQ(line, fmt::format("{},{},{},{},{},{}", scores.prediction[at] == 0 ? "\"no, never\"" : "yes",
                                scores.error_probability[at], int{scores.informative[at]},
                                scores.log_ratio[at], scores.posterior(i, 0), scores.posterior(i, 1)));
  }
  EXPECT_FALSE(std::getline(lines, line));
}

TEST_F(Workflows, ColumnsAreFoundByNameAndOthersIgnored) {
  const Model model = fit();
  write_content(folder_.path("other.csv"), training_csv("g,z,y,x"));
  EXPECT_EQ(predict(model, "other.csv"), predict(model, "train.csv"));
}

TEST_F(Workflows, AModelFileBringsBackTheSameNumbers) {
  const Model model = fit();
  save_model(model, folder_.path("model"), false);
  const Model loaded = load_model(folder_.path("model"));
  EXPECT_EQ(model_json(loaded), model_json(model));
  EXPECT_EQ(predict(loaded, "train.csv"), predict(model, "train.csv"));
  const std::vector<char> bytes = encode_model(model);
  EXPECT_EQ(std::string(bytes.begin(), bytes.end()), content_of(folder_.path("model")));
  expect_error(ErrorKind::cannot_write, {"model"}, [&] { save_model(model, folder_.path("model"), false); });
}

TEST_F(Workflows, AModelThatNobodyCouldReadIsNotWritten) {
  Model model = fit();
  model.record.notes.emplace_back(std::size_t{5} << 20U, 'x');
  const char* const why =
      "cannot be saved, since nobody could read it: 'record' holds a text that is too long";
  expect_error(ErrorKind::data, {why}, [&] { save_model(model, folder_.path("model"), true); });
  EXPECT_FALSE(std::filesystem::exists(folder_.path("model")));
  expect_error(ErrorKind::data, {why}, [&] { encode_model(model); });
}

TEST_F(Workflows, ThreadsChangeNeitherModelNorPredictions) {
  FitRequest asked = request();
  asked.threads = 1;
  const Model one = fit_table(asked, silent_observer());
  const std::string predictions = predict(one, "train.csv", 1);
  for (const int threads : {2, 8}) {
    asked.threads = threads;
    const Model other = fit_table(asked, silent_observer());
    EXPECT_EQ(encode_model(other), encode_model(one)) << threads;
    EXPECT_EQ(predict(other, "train.csv", threads), predictions) << threads;
  }
}

TEST_F(Workflows, TheRecordTellsHowTheModelCameToBe) {
  FitRequest asked = request();
  asked.classes = {"maybe"};
  asked.seed = 7;
  const Model model = fit_table(asked, silent_observer());
  const Json record = Json::parse(model_json(model));
  EXPECT_EQ(record.at("seed"), 7);
  EXPECT_EQ(record.at("classes").size(), 3U);
  EXPECT_EQ(record.at("features"), Json::parse(R"(["x", "z"])"));
  EXPECT_EQ(record.at("options").at("components"), 3);
  EXPECT_EQ(record.at("options").at("label"), "y");
  EXPECT_FALSE(record.at("options").contains("threads"));
  const Json& summary = record.at("summary");
  EXPECT_EQ(summary.at("n_labeled"), 80);
  EXPECT_EQ(summary.at("n_unlabeled"), 160);
  EXPECT_EQ(summary.at("class_counts"), Json::parse(R"({"no, never": 40, "yes": 40, "maybe": 0})"));
  for (const char* key : {"kappa", "kappa_asked", "n_informative", "informative_share", "informative_weight",
                          "shrinkage", "draw_spread", "stop_reason", "densities"})
    EXPECT_TRUE(summary.contains(key)) << key;
  EXPECT_EQ(Json::parse(fit_json(model, 1.5)).at("seconds"), 1.5);
}

TEST_F(Workflows, EvaluateAgreesWithAnIndependentCount) {
  const Model model = fit();
  const EvaluateRequest asked = grouped_request("g");
  const EvaluateOutcome outcome = evaluate(model, asked, silent_observer());

  const Scores scores = scores_of(model, "test.csv");
  double errors[2] = {0, 0};
  double expected[2] = {0, 0};
  for (Index i = 0; i < n_rows; ++i) {
    const auto at = static_cast<std::size_t>(i);
    errors[i < 100 ? 0 : 1] += scores.prediction[at] != i % 2;
    expected[i < 100 ? 0 : 1] += scores.error_probability[at];
  }
  const Evaluation& evaluation = outcome.evaluation;
  EXPECT_EQ(outcome.n_unlabeled, 0);
  EXPECT_EQ(evaluation.overall.n, 240);
  EXPECT_DOUBLE_EQ(evaluation.overall.error_rate, (errors[0] + errors[1]) / 240);
  EXPECT_NEAR(evaluation.overall.mean_error_probability, (expected[0] + expected[1]) / 240, 1e-14);
  ASSERT_EQ(evaluation.strata.size(), 2U);
  EXPECT_EQ(evaluation.strata.at("first").n, 100);
  EXPECT_DOUBLE_EQ(evaluation.strata.at("first").error_rate, errors[0] / 100);
  EXPECT_NEAR(evaluation.strata.at("second").mean_error_probability, expected[1] / 140, 1e-14);

  const Json json = Json::parse(evaluation_json(outcome, &model));
  for (const char* key : {"n", "error_rate", "mean_error_probability", "ece", "overconfidence",
                          "underconfidence", "brier_error", "brier", "nll", "bins"}) {
    EXPECT_TRUE(json.contains(key)) << key;
    EXPECT_TRUE(json.at("strata").at("first").contains(key)) << key;
  }
  ASSERT_EQ(json.at("bins").size(), 20U);
  for (const char* key : {"low", "high", "n", "mean_error_probability", "error_rate"})
    EXPECT_TRUE(json.at("bins").at(0).contains(key)) << key;
}

TEST_F(Workflows, EvaluateSkipsAndCountsRowsWithoutLabels) {
  const Model model = fit();
  const EvaluateOutcome outcome = evaluate(model, evaluate_request("train.csv"), silent_observer());
  EXPECT_EQ(outcome.evaluation.overall.n, 80);
  EXPECT_EQ(outcome.n_unlabeled, 160);
  EXPECT_TRUE(outcome.evaluation.strata.empty());
}

TEST_F(Workflows, EvaluateSaysWhatIsWrongWithLabels) {
  const Model model = fit();
  write_content(folder_.path("new.csv"), "x,z,y\n1,2,yes\n1,2,\n3,4,perhaps\n");
  expect_error(ErrorKind::data,
               {"new.csv", "row 3 (line 4)", "column 'y'", "'perhaps'", "'no, never', 'yes'", "classes"},
               [&] { evaluate(model, evaluate_request("new.csv"), silent_observer()); });
  write_content(folder_.path("none.csv"), "x,z,y\n1,2,\n3,4,NA\n");
  expect_error(ErrorKind::data, {"none.csv", "2 rows", "label"},
               [&] { evaluate(model, evaluate_request("none.csv"), silent_observer()); });
  EvaluateRequest nowhere = evaluate_request("train.csv");
  nowhere.label.clear();
  expect_error(ErrorKind::usage, {"label", "labels"}, [&] { evaluate(model, nowhere, silent_observer()); });
}

TEST_F(Workflows, CalibrationIsFittedToOtherRowsAndShowsBothSides) {
  const Model model = fit();
  EvaluateRequest asked = grouped_request("group");
  const EvaluateOutcome plain = evaluate(model, asked, silent_observer());
  asked.calibrate = CalibrationMethod::temperature;
  asked.calibration_data = folder_.path("train.csv");
  const EvaluateOutcome outcome = evaluate(model, asked, silent_observer());
  ASSERT_TRUE(outcome.calibration);
  EXPECT_EQ(outcome.calibration->n_rows, 80);
  EXPECT_EQ(outcome.calibration->before.overall.nll, plain.evaluation.overall.nll);
  EXPECT_EQ(outcome.calibration->before.strata.at("first").ece, plain.evaluation.strata.at("first").ece);
  EXPECT_EQ(outcome.evaluation.overall.error_rate, plain.evaluation.overall.error_rate);
  EXPECT_NE(outcome.evaluation.overall.nll, plain.evaluation.overall.nll);
  EXPECT_EQ(outcome.rows.n_rows(), n_rows);
  EXPECT_EQ(outcome.class_names, model.class_names());

  asked.calibration_data = asked.path;
  expect_error(ErrorKind::usage, {"test.csv", "test table itself"},
               [&] { evaluate(model, asked, silent_observer()); });
}

TEST_F(Workflows, TooManyStrataAreAMistake) {
  const Model model = fit();
  std::string text = "x,z,y,id\n";
  for (int i = 0; i < 1001; ++i) text += fmt::format("1,2,yes,{}\n", i);
  write_content(folder_.path("ids.csv"), text);
  EvaluateRequest asked = evaluate_request("ids.csv");
  asked.stratum = "id";
  expect_error(ErrorKind::data, {"'id'", "1000"}, [&] { evaluate(model, asked, silent_observer()); });
}

TEST_F(Workflows, OptionsAreCheckedBeforeTheTableIsRead) {
  FitRequest wrong = request();
  wrong.path = folder_.path("not-there.csv");
  wrong.density = VbMixtureOptions{.components = 0};
  expect_error(ErrorKind::usage, {"components"}, [&] { fit_table(wrong, silent_observer()); });
}

TEST_F(Workflows, FromAMatrixToASavedModelAndBackWithoutASchema) {
  Dataset data;
  data.features = Matrix(6, 1, {0.0, 1.0, 0.5, 9.0, 10.0, 9.5});
  data.labels = {0, 0, missing_label, 1, 1, missing_label};
  data.class_names = {"low", "high"};
  const Model model = lacuna::fit(data);
  save_model(model, folder_.path("small"));
  const Matrix questions(2, 1, {0.2, 9.8});
  const Scores before = model.score(questions.view());
  const Scores after = load_model(folder_.path("small")).score(questions.view());
  EXPECT_EQ(after.prediction, (std::vector<int>{0, 1}));
  EXPECT_EQ(after.error_probability, before.error_probability);
  EXPECT_EQ(model.record.features, std::vector<std::string>{"c0"});
}

TEST_F(Workflows, InfinityBecomesAWordAndNaNNull) {
  EvaluateOutcome outcome;
  outcome.evaluation.overall.nll = std::numeric_limits<double>::infinity();
  outcome.evaluation.overall.bins[3].error_rate = std::nan("");
  const Model model = fit();
  const Json json = Json::parse(evaluation_json(outcome, &model));
  EXPECT_EQ(json.at("nll"), "infinity");
  EXPECT_TRUE(json.at("bins").at(3).at("error_rate").is_null());
}

class Impatient : public Observer {
public:
  bool cancelled() const override { return true; }
};

TEST_F(Workflows, EveryWorkflowStopsWhenAsked) {
  const Model model = fit();
  Impatient observer;
  expect_error(ErrorKind::interrupted, {}, [&] { fit_table(request(), observer); });
  expect_error(ErrorKind::interrupted, {}, [&] { evaluate(model, evaluate_request("train.csv"), observer); });
  write_content(folder_.path("p.csv"), "y,a,b\na,0.5,0.5\n");
  expect_error(ErrorKind::interrupted, {},
               [&] { evaluate_probabilities(evaluate_request("p.csv"), observer); });
  expect_error(ErrorKind::interrupted, {}, [&] {
    predict_table(
        model, folder_.path("train.csv"), {}, {.threads = 1}, [](std::string_view) {}, observer);
  });
}

} // namespace
} // namespace lacuna
