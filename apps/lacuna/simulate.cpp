#include <filesystem>

#include <fmt/format.h>

#include "argument_rows.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "experiments/simulate.hpp"
#include "lacuna/core/errors.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct SimulateArguments : SimulateRequest {
  std::string output;
  bool force = false;
};

/// "labels.csv" has its strata in "labels-strata.csv".
std::string strata_path(const std::string& output) {
  const std::filesystem::path path(output);
  return (path.parent_path() / (path.stem().string() + "-strata" + path.extension().string())).string();
}

void simulate(const SimulateArguments& arguments) {
  const bool has_own_files = arguments.label.empty();
  if (has_own_files && arguments.output == "-") {
    ErrorParts parts;
    parts.option = "output";
    parts.found = "'-'";
    parts.expected = "a file name: with " + mention("labels") + ", labels and strata are two files";
    throw Error(ErrorKind::usage, std::move(parts));
  }
  const std::vector<std::string> inputs{arguments.path, arguments.labels};
  Output output(arguments.output, arguments.force, inputs);
  Output strata(has_own_files ? strata_path(arguments.output) : "", arguments.force, inputs);
  ConsoleObserver observer;
  const SimulateOutcome outcome = simulate_table(
      arguments, [&](std::string_view text) { output.write(text); },
      [&](std::string_view text) { strata.write(text); }, observer);
  output.commit();
  strata.commit();
  observer.finish();
  say(fmt::format("{} of {} keep the label; {} in the rare region, {} of them with a label",
                  grouped(outcome.n_labeled), counted(outcome.n_rows, "row"), grouped(outcome.n_rare),
                  grouped(outcome.n_rare_labeled)));
  if (outcome.n_repeated > 0)
    say(counted(outcome.n_repeated, "row") +
        " of these drawn more than once, as the protocol has it; the output holds each row once");
}

} // namespace

Command simulate_command() {
  using A = SimulateArguments;
  const CommandText text{
      "simulate", "Hide labels of a fully labeled table, to try methods where the truth is known",
      "lacuna simulate DATA --label COLUMN --protocol NAME --rare CLASSES -o OUT [OPTIONS]",
      "  lacuna simulate full.csv --label digit --protocol strict-mar --rare 0,1,7 -o train.csv\n"
      "  lacuna fit train.csv -o model.lacuna --label digit --drop stratum\n"
      "  lacuna simulate images.npy --labels y.npy --protocol mcar --labeled 200 -o labels.csv\n"
      "Protocols: mcar, by lot; strict-mar, by x alone: rarely where most of the nearest neighbours are of "
      "a\n"
      "rare class; authors, as in the paper's scripts: never for a rare class, others with replacement; "
      "mnar,\n"
      "by y: rarely for rare classes, from which no method can learn. Distances are in the units of the\n"
      "columns. OUT is the table with empty cells for hidden labels and a column stratum (rare, rest). With\n"
      "--labels, OUT holds a label or \"\" per line, and OUT-strata the strata in the same form."};
  ArgumentTables<A> tables;
  tables.positionals = {
      option<A, std::string>("path", &A::path, "DATA", "Table in which every row has a label")};
  tables.options = rows_of<A, SimulateRequest>();
  tables.options.push_back(output_row(&A::output, "FILE", "Where the result goes (- for stdout)"));
  tables.options.push_back(force_row(&A::force));
  tables.required = {"path", "protocol", "output"};
  return make_command(text, tables, simulate);
}

} // namespace lacuna::cli
