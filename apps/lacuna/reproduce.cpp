#include <cmath>

#include <fmt/format.h>

#include "argument_rows.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "experiments/reproduce.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct ReproduceArguments : ReproduceRequest {
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

void run_reproduce(const ReproduceArguments& arguments) {
  ReproduceRequest request = arguments;
  Output report(arguments.report, arguments.force, {});
  request.wants_report = report.is_wanted();
  ConsoleObserver observer;
  const ReproduceOutcome outcome = reproduce(request, observer);
  observer.finish();
  if (outcome.n_reused > 0)
    say(fmt::format("{} of {} were there already", grouped(outcome.n_reused),
                    counted(outcome.n_runs, "run")));
  report.finish(outcome.report);
  print_beside({&report}, results_table(outcome) +
                              fmt::format("\nAll metrics: {}\nData behind the figures: {}/figures\n",
                                          outcome.metrics_path, request.out));
}

} // namespace

Command reproduce_command() {
  using A = ReproduceArguments;
  const CommandText text{
      "reproduce", "Run the paper's experiments: every method, the paper's settings and our own",
      "lacuna reproduce toy|mnist|fashion-mnist --out DIR [OPTIONS]",
      "  lacuna reproduce toy --out results/toy\n"
      "  scripts/get-data mnist && lacuna reproduce mnist --protocol strict-mar --repeats 20 --out results\n"
      "Means over all runs, with the standard deviation after +-. DIR keeps features and finished runs: the\n"
      "same command goes on where it was interrupted, and more repeats or VAE seeds are added to it."};
  ArgumentTables<A> tables;
  tables.positionals = {
      option<A, std::string>("experiment", &A::experiment, "EXPERIMENT", "toy, mnist or fashion-mnist")};
  tables.options = rows_of<A, ReproduceRequest>();
  tables.options.push_back(report_row(&A::report, report_help));
  tables.options.push_back(force_row(&A::force));
  tables.required = {"experiment", "out"};
  return make_command(text, tables, run_reproduce);
}

} // namespace lacuna::cli
