#include "experiments/reproduce.hpp"

#include <filesystem>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/stat.h>

#include "experiments/reproduce_results.hpp"
#include "experiments/reproduce_setup.hpp"
#include "tests/expect_error.hpp"
#include "tests/temporary_folder.hpp"

namespace lacuna {
namespace {

using test::expect_error;
using Json = nlohmann::json;

ReproduceRequest toy_request(const TemporaryFolder& folder) {
  ReproduceRequest request;
  request.experiment = "toy";
  request.out = folder.path("results");
  request.repeats = 2;
  return request;
}

Json metrics_of(const ReproduceOutcome& outcome) {
  return Json::parse(content_of(outcome.metrics_path));
}

TEST(Reproduce, RunsEveryMethodUnderBothPresets) {
  const TemporaryFolder folder;
  const ReproduceOutcome outcome = reproduce(toy_request(folder), silent_observer());
  EXPECT_EQ(outcome.n_runs, 2 * 2 * 8);
  EXPECT_EQ(outcome.n_reused, 0);
  ASSERT_EQ(outcome.summaries.size(), 16U);
  const Json metrics = metrics_of(outcome);
  std::set<std::tuple<std::string, std::string, std::string, int>> seen;
  for (const Json& run : metrics.at("runs")) {
    seen.emplace(run.at("toy").get<std::string>(), run.at("preset").get<std::string>(),
                 run.at("method").get<std::string>(), run.at("repeat").get<int>());
    EXPECT_EQ(run.at("vae_seed"), 0);
    const Json& all = run.at("metrics");
    const Json& rare = all.at("strata").at("rare");
    const Json& rest = all.at("strata").at("rest");
    EXPECT_EQ(all.at("n"), 10'000);
    EXPECT_EQ(rare.at("n").get<int>() + rest.at("n").get<int>(), 10'000);
    EXPECT_NEAR(all.at("overconfidence").get<double>() + all.at("underconfidence").get<double>(),
                all.at("ece").get<double>(), 1e-12);
    EXPECT_EQ(all.at("model").at("options").at("method"), run.at("method"));
    EXPECT_EQ(all.at("model").at("options").at("posterior"),
              run.at("preset") == "paper" ? "product" : "joint");
  }
  EXPECT_EQ(seen.size(), 32U);
}

TEST(Reproduce, ShowsWhatThePaperShows) {
  const TemporaryFolder folder;
  const ReproduceOutcome outcome = reproduce(toy_request(folder), silent_observer());
  for (const ReproduceSummary& summary : outcome.summaries) {
    EXPECT_LT(summary.rest_error_rate.mean, 0.02);
    if (summary.method == "mar") {
      EXPECT_LT(summary.rare_overconfidence.mean, 0.1) << summary.toy << summary.preset;
    } else if (summary.preset == "paper" ||
               summary.method != "supervised") { // which a background makes doubt
      EXPECT_GT(summary.rare_overconfidence.mean, 0.15) << summary.toy << summary.preset << summary.method;
    }
  }
}

TEST(Reproduce, GoesOnWhereItWasInterrupted) {
  const TemporaryFolder folder;
  ReproduceRequest request = toy_request(folder);
  const std::string whole = content_of(reproduce(request, silent_observer()).metrics_path);
  const std::filesystem::path runs = std::filesystem::path(request.out) / "runs";
  std::filesystem::remove(runs / "coin-vae0-repeat1-default-mar.json");
  write_content((runs / "quadrants-vae0-repeat0-paper-mcar-em.json").string(), "{\"half\": ");
  request.threads = 1; // the same bits for any number of threads
  const ReproduceOutcome again = reproduce(request, silent_observer());
  EXPECT_EQ(again.n_reused, 30);
  EXPECT_EQ(content_of(again.metrics_path), whole);

  request.repeats = 3;
  EXPECT_EQ(reproduce(request, silent_observer()).n_reused, 32);
}

TEST(Reproduce, APipeAmongTheRunsIsAnError) {
  const TemporaryFolder folder;
  ReproduceRequest request = toy_request(folder);
  request.repeats = 1;
  reproduce(request, silent_observer());
  const std::filesystem::path run =
      std::filesystem::path(request.out) / "runs" / "coin-vae0-repeat0-default-mar.json";
  std::filesystem::remove(run);
  ASSERT_EQ(mkfifo(run.c_str(), 0600), 0);
  // Reading it would wait for ever. A file cannot take its place, which is said.
  expect_error(ErrorKind::cannot_write, {"coin-vae0-repeat0-default-mar.json"},
               [&] { reproduce(request, silent_observer()); });
}

TEST(Reproduce, NamesOfARunAreCellsOfTheTable) {
  FinishedRun run;
  run.toy = "a,b";
  run.preset = "say \"hi\"";
  run.method = "mar";
  run.evaluation.overall.bins[0].n = 1;
  EXPECT_THAT(reliability_text({run}), testing::HasSubstr("\n\"a,b\",\"say \"\"hi\"\"\",mar,"));
}

TEST(Reproduce, KeepsExperimentsApart) {
  const TemporaryFolder folder;
  ReproduceRequest request = toy_request(folder);
  request.repeats = 1;
  reproduce(request, silent_observer());
  request.seed = 1;
  expect_error(ErrorKind::cannot_write, {"another experiment"},
               [&] { reproduce(request, silent_observer()); });
}

TEST(Reproduce, WritesTheDataBehindTheFigures) {
  const TemporaryFolder folder;
  ReproduceRequest request = toy_request(folder);
  reproduce(request, silent_observer());
  const std::string figures = request.out + "/figures/";
  const auto n_lines = [&](const std::string& name) {
    const std::string text = content_of(figures + name);
    return std::count(text.begin(), text.end(), '\n');
  };
  EXPECT_EQ(n_lines("quadrants-points.csv"), 1'001);
  EXPECT_EQ(n_lines("coin-test-paper-mar.csv"), 10'001);
  EXPECT_EQ(n_lines("coin-map-default-mcar-sampling.csv"), 10'001);
  const std::string map = content_of(figures + "coin-map-default-mar.csv");
  EXPECT_EQ(map.substr(0, map.find('\n')),
            "x1,x2,prediction,error_probability,log_ratio,informative,p_left,p_right");
  EXPECT_GT(n_lines("reliability.csv"), 16);
}

Json made_up_bins(int n, double q, double errors) {
  Json bins = Json::array();
  for (int b = 0; b < 20; ++b) {
    Json bin{{"low", b * 0.05}, {"high", (b + 1) * 0.05}, {"n", 0}};
    bin["mean_error_probability"] = nullptr;
    bin["error_rate"] = nullptr;
    if (b == 4 && n > 0) {
      bin["n"] = n;
      bin["mean_error_probability"] = q;
      bin["error_rate"] = errors / n;
    }
    bins.push_back(bin);
  }
  return bins;
}

FinishedRun made_up_run(double ece, int n_rare, double rare_errors, int n_rest, double rest_errors) {
  Json strata{
      {"rare", {{"n", n_rare}, {"overconfidence", 0.5}, {"bins", made_up_bins(n_rare, 0.2, rare_errors)}}},
      {"rest", {{"n", n_rest}, {"error_rate", 0.25}, {"bins", made_up_bins(n_rest, 0.2, rest_errors)}}}};
  Json metrics{{"n", n_rare + n_rest}, {"ece", ece}, {"nll", "infinity"}, {"strata", strata}};
  metrics["bins"] = made_up_bins(n_rare + n_rest, 0.2, rare_errors + rest_errors);
  return read_run(Json{{"method", "mar"}, {"preset", "paper"}, {"metrics", metrics}}.dump()).value();
}

TEST(ReproduceResults, MeanAndSpread) {
  const std::vector<ReproduceSummary> summaries =
      summarize({made_up_run(0.1, 5, 1, 5, 1), made_up_run(0.4, 5, 1, 5, 1), made_up_run(0.1, 5, 1, 5, 1)});
  ASSERT_EQ(summaries.size(), 1U);
  EXPECT_EQ(summaries[0].n_runs, 3);
  EXPECT_DOUBLE_EQ(summaries[0].ece.mean, 0.2);
  EXPECT_DOUBLE_EQ(summaries[0].ece.deviation, std::sqrt(0.03));
  EXPECT_DOUBLE_EQ(summaries[0].rare_overconfidence.mean, 0.5);
  EXPECT_DOUBLE_EQ(summaries[0].rest_error_rate.mean, 0.25);
  EXPECT_EQ(summaries[0].nll.mean, std::numeric_limits<double>::infinity()); // a word in JSON
  EXPECT_TRUE(std::isnan(summaries[0].rare_error_rate.mean));                // not there at all
}

TEST(ReproduceResults, ContributionsAddUpToTheErrorRate) {
  // 3 + 2 errors among 10 rows, then 1 + 0 among 10: contributions 4/20 and 2/20.
  const std::string text = reliability_text({made_up_run(0.1, 4, 3, 6, 2), made_up_run(0.1, 9, 1, 1, 0)});
  EXPECT_EQ(text.substr(text.find('\n') + 1), ",paper,mar,0.2,0.25,20,0.2,0.3,0.2,0.1\n");
}

TEST(ReproduceResults, WhatIsNoRunIsNotTaken) {
  EXPECT_FALSE(read_run("{\"half\": "));
  EXPECT_FALSE(read_run("{\"method\": " + std::string(200'000, '[') + std::string(200'000, ']') + "}"));
  EXPECT_FALSE(read_run("{\"method\": \"mar\"}"));
}

TEST(Reproduce, APageShowsTheSameRunsAgain) {
  const TemporaryFolder folder;
  ReproduceRequest request = toy_request(folder);
  const std::string whole = content_of(reproduce(request, silent_observer()).metrics_path);
  request.wants_report = true;
  const ReproduceOutcome again = reproduce(request, silent_observer());
  EXPECT_EQ(again.n_reused, 16); // the first of two repeats is made anew
  EXPECT_EQ(content_of(again.metrics_path), whole);
  for (const char* words : {"quadrants", "coin", "the paper's settings", "mean of 2 runs"})
    EXPECT_NE(again.report.find(words), std::string::npos) << words;
}

TEST(ReproduceSetup, FollowsThePaper) {
  ReproduceRequest request;
  request.experiment = "fashion-mnist";
  request.protocol = LabelProtocol::authors;
  const ImageSetup fashion = image_setup(request);
  EXPECT_EQ(fashion.vae.n_latent, 5);
  EXPECT_EQ(fashion.vae.vae_hidden, (std::vector<Index>{128, 512}));
  EXPECT_EQ(fashion.vae.vae_decoder_hidden, (std::vector<Index>{128, 512}));
  EXPECT_EQ(fashion.vae.vae_epochs, 50);
  EXPECT_EQ(fashion.vae.vae_batch, 128);
  EXPECT_EQ(fashion.vae.vae_activation, VaeActivation::relu);
  EXPECT_EQ(fashion.rare_classes, (std::vector<int>{0, 1}));
  EXPECT_DOUBLE_EQ(std::get<double>(learning_options(request, {"paper", Method::mar}).kappa), 1.0);
  EXPECT_TRUE(std::holds_alternative<AutoKappa>(learning_options(request, {"default", Method::mar}).kappa));
  request.experiment = "mnist";
  EXPECT_EQ(image_setup(request).vae.n_latent, 2);
  EXPECT_EQ(image_setup(request).rare_classes, (std::vector<int>{0, 1, 7}));
  EXPECT_DOUBLE_EQ(std::get<double>(learning_options(request, {"paper", Method::mar}).kappa), 0.0);
}

TEST(ReproduceSetup, IsThatOfTheResults) { // docs/results.md
  ReproduceRequest request;
  request.experiment = "fashion-mnist";
  request.protocol = LabelProtocol::strict_mar;
  const ImageSetup fashion = image_setup(request);
  EXPECT_EQ(fashion.vae.vae_hidden, (std::vector<Index>{512, 256}));
  EXPECT_EQ(fashion.vae.vae_epochs, 20);
  EXPECT_EQ(fashion.vae.vae_batch, 256);
  EXPECT_EQ(fashion.vae.vae_activation, VaeActivation::relu);
  EXPECT_DOUBLE_EQ(std::get<double>(learning_options(request, {"paper", Method::mar}).kappa), 0.0);
}

TEST(ReproduceSetup, SaysAllThatIsWrong) {
  ReproduceRequest request;
  request.experiment = "cifar";
  request.repeats = 0;
  request.protocol = LabelProtocol::mnar;
  expect_error(ErrorKind::usage, {"cifar", "repeats", "mnar", "out"},
               [&] { reproduce(request, silent_observer()); });
}

} // namespace
} // namespace lacuna
