#include <filesystem>

#include <fmt/format.h>

#include "argument_rows.hpp"
#include "command_texts.hpp"
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
  const std::string strata_file = has_own_files ? strata_path(arguments.output) : "";
  keep_apart({{"DATA", arguments.path}, {mention("labels"), arguments.labels}},
             {{mention("output"), arguments.output}, {"the strata of " + mention("output"), strata_file}});
  Output output(arguments.output, arguments.force);
  Output strata(strata_file, arguments.force);
  ConsoleObserver observer;
  const SimulateOutcome outcome = simulate_table(
      arguments, [&](std::string_view text) { output.write(text); },
      [&](std::string_view text) { strata.write(text); }, observer);
  commit_together({&output, &strata});
  observer.finish();
  tell(fmt::format("{} of {} keep the label; {} in the rare region, {} of them with a label",
                   grouped(outcome.n_labeled), counted(outcome.n_rows, "row"), grouped(outcome.n_rare),
                   grouped(outcome.n_rare_labeled)));
  if (outcome.n_repeated > 0)
    tell(counted(outcome.n_repeated, "row") +
         " of these drawn more than once, as the protocol has it; the output holds each row once");
}

} // namespace

Command simulate_command() {
  using A = SimulateArguments;
  return make_command<A>(
      texts::simulate,
      {.positionals = {option<A, std::string>("path", &A::path, "DATA",
                                              "Table in which every row has a label")},
       .options = joined<A>(
           {rows_of<A, SimulateRequest>(),
            {output_row(&A::output, "FILE", "Where the result goes (- for stdout)"), force_row(&A::force)}}),
       .required = {"path", "output"}},
      simulate);
}

} // namespace lacuna::cli
