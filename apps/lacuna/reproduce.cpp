#include <cmath>
#include <filesystem>

#include <fmt/format.h>

#include "argument_rows.hpp"
#include "command_texts.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "experiment.hpp"
#include "experiments/reproduce.hpp"
#include "lacuna/core/errors.hpp"
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
  std::vector<NamedFile> outputs{{mention("report"), arguments.report}};
  for (const char* const name : {"experiment.json", "metrics.json", "figures/reliability.csv"})
    outputs.push_back(
        {name + (" of " + mention("out")), (std::filesystem::path(arguments.out) / name).string()});
  std::vector<NamedFile> inputs;
  for (const std::string& path : reproduce_inputs(arguments)) inputs.push_back({mention("data"), path});
  keep_apart(inputs, outputs);
  const NamedFile& page = outputs.front();
  keep_off(page, {mention("out"), arguments.out});
  for (const std::string& folder : reproduce_folders(arguments))
    keep_outside(page, {"a folder of " + mention("out"), folder});
  Output report(arguments.report, arguments.force);
  const ReproduceOutcome outcome = run_experiment<ReproduceRequest>(arguments, reproduce, report);
  if (outcome.n_reused > 0)
    tell(fmt::format("{} of {} were there already", grouped(outcome.n_reused),
                     counted(outcome.n_runs, "run")));
  print_beside({&report}, results_table(outcome) +
                              fmt::format("\nAll metrics: {}\nData behind the figures: {}/figures\n",
                                          outcome.metrics_path, arguments.out));
}

} // namespace

Command reproduce_command() {
  using A = ReproduceArguments;
  return make_command<A>(texts::reproduce,
                         {.positionals = {option<A, std::string>("experiment", &A::experiment, "EXPERIMENT",
                                                                 "toy, mnist or fashion-mnist")},
                          .options = joined<A>({rows_of<A, ReproduceRequest>(),
                                                {report_row(&A::report, report_help), force_row(&A::force)}}),
                          .required = {"experiment", "out"}},
                         run_reproduce);
}

} // namespace lacuna::cli
