#include <cmath>
#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "experiments/reproduce.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct Arguments {
  ReproduceRequest request;
  std::string protocol = "strict-mar";
  std::string device = "auto";
  std::string report;
  bool force = false;
};

std::string spread_text(const Spread& spread, Index n_runs) {
  return n_runs > 1 && std::isfinite(spread.mean)
             ? fmt::format("{:.3f} +-{:.3f}", spread.mean, spread.deviation)
             : fmt::format("{:.3f}", spread.mean);
}

std::string results_table(const ReproduceOutcome& outcome) {
  TextTable table({"           preset   method       ", "runs", "error_rate", "ece", "brier_error", "nll",
                   "rare error_rate", "rare overconfidence", "rest error_rate"});
  for (const ReproduceSummary& row : outcome.summaries) {
    std::vector<std::string> cells{fmt::format("{:<11}{:<9}{:<13}", row.toy, row.preset, row.method),
                                   grouped(row.n_runs)};
    for (const Spread& spread : {row.error_rate, row.ece, row.brier_error, row.nll, row.rare_error_rate,
                                 row.rare_overconfidence, row.rest_error_rate})
      cells.push_back(spread_text(spread, row.n_runs));
    table.add(cells);
  }
  return table.text();
}

void run(const Arguments& arguments) {
  ReproduceRequest request = arguments.request;
  request.protocol = parse_protocol(arguments.protocol);
  request.device = parse_vae_device(arguments.device);
  request.wants_report = !arguments.report.empty();
  const std::unique_ptr<Output> report = open_optional(arguments.report, arguments.force, {});
  ConsoleObserver observer;
  const ReproduceOutcome outcome = reproduce(request, observer);
  if (outcome.n_reused > 0)
    say(fmt::format("{} of {} were there already", grouped(outcome.n_reused),
                    counted(outcome.n_runs, "run")));
  if (report) {
    report->write(outcome.report);
    report->commit();
    if (report->is_stdout()) return;
  }
  print(results_table(outcome));
  print(fmt::format("\nAll metrics: {}\nData behind the figures: {}/figures\n", outcome.metrics_path,
                    request.directory));
}

} // namespace

void add_reproduce(CLI::App& app, Command& command) {
  CLI::App& reproduce = add_command(
      app, "reproduce", "Run the paper's experiments: every method, the paper's settings and our own",
      "lacuna reproduce toy|mnist|fashion-mnist --out DIR [OPTIONS]",
      "  lacuna reproduce toy --out results/toy\n"
      "  scripts/get-data mnist && lacuna reproduce mnist --protocol strict-mar --repeats 20 --out results\n"
      "Means over all runs, with the standard deviation after +-. DIR keeps features and finished runs: the\n"
      "same command goes on where it was interrupted, and more repeats or VAE seeds are added to it.");
  const auto arguments = std::make_shared<Arguments>();
  ReproduceRequest& request = arguments->request;
  reproduce.add_option("EXPERIMENT", request.experiment, "toy, mnist or fashion-mnist")
      ->required()
      ->type_name("");
  const auto add = [&](const char* name, auto& target, const char* value, const char* group,
                       const std::string& help) {
    return reproduce.add_option(name, target, help)->type_name(value)->group(group);
  };
  add("--protocol", arguments->protocol, "NAME", "Experiment",
      "How labels go missing: strict-mar, or authors as in the paper's scripts [strict-mar]");
  add("--repeats", request.n_repeats, "R", "Experiment", "Draws of labels for each VAE [1]");
  add("--vae-seeds", request.n_vae_seeds, "S", "Experiment", "Number of VAEs, seeds 0 to S-1 [1]");
  add("--data", request.data_directory, "DIR", "Experiment",
      "Folder with the images, as scripts/get-data fills it [" + request.data_directory + "]");
  add("--out", request.directory, "DIR", "Run", "Folder for results, figures' data and cache")->required();
  add("--device", arguments->device, "NAME", "Run", "Where VAEs are trained: auto, cpu or cuda [auto]");
  add("--seed", request.seed, "N", "Run", "Seed of draws and fits [0]");
  add("--threads", request.threads, "T", "Run", "Threads, 0 for all cores; never changes a result [0]")
      ->check(CLI::Range(0, 1024));
  add("--report", arguments->report, "FILE.html", "General",
      "Write a page with the paper's figures that opens in any browser, without a network");
  reproduce.add_flag("--force", arguments->force, "Replace a page that exists")->group("General");
  reproduce.callback([arguments, &command] { command = [arguments] { run(*arguments); }; });
}

} // namespace lacuna::cli
