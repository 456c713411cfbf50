#include <filesystem>
#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "experiments/simulate.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/settings.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct Arguments {
  SimulateRequest request;
  std::string protocol;
  std::string rare;
  std::string drop;
  std::string categorical;
  std::string output;
  bool no_header = false;
  bool force = false;
};

/// "labels.csv" has its strata in "labels-strata.csv".
std::string strata_path(const std::string& output) {
  const std::filesystem::path path(output);
  return (path.parent_path() / (path.stem().string() + "-strata" + path.extension().string())).string();
}

void run(const Arguments& arguments) {
  SimulateRequest request = arguments.request;
  request.missingness.protocol = parse_protocol(arguments.protocol);
  const auto set_list = [](const char* name, const std::string& text, std::vector<std::string>& names) {
    if (!text.empty()) names = split_list(name, text);
  };
  set_list("rare", arguments.rare, request.rare);
  set_list("drop", arguments.drop, request.table.drop);
  set_list("categorical", arguments.categorical, request.table.categorical);
  const std::vector<std::string> inputs{request.path, request.table.labels};
  const bool has_own_files = request.label_column.empty();
  if (has_own_files && arguments.output == "-")
    throw Error(ErrorKind::usage, "output: got '-', expected a file name: with --labels, labels and strata "
                                  "are two files");
  Output output(arguments.output, arguments.force, inputs);
  const std::unique_ptr<Output> strata =
      has_own_files ? open_optional(strata_path(arguments.output), arguments.force, inputs) : nullptr;
  ConsoleObserver observer;
  const SimulateOutcome outcome = simulate_table(
      request, [&](std::string_view text) { output.write(text); },
      [&](std::string_view text) { strata->write(text); }, observer);
  output.commit();
  if (strata) strata->commit();
  say(fmt::format("{} of {} keep the label; {} in the rare region, {} of them with a label",
                  grouped(outcome.n_labeled), counted(outcome.n_rows, "row"), grouped(outcome.n_rare),
                  grouped(outcome.n_rare_labeled)));
  if (outcome.n_repeated > 0)
    say(counted(outcome.n_repeated, "row") +
        " of these drawn more than once, as the protocol has it; the output holds each row once");
}

} // namespace

void add_simulate(CLI::App& app, Command& command) {
  CLI::App& simulate = add_command(
      app, "simulate", "Hide labels of a fully labeled table, to try methods where the truth is known",
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
      "--labels, OUT holds a label or \"\" per line, and OUT-strata the strata in the same form.");
  const auto arguments = std::make_shared<Arguments>();
  SimulateRequest& request = arguments->request;
  MissingnessOptions& missingness = request.missingness;
  simulate.add_option("DATA", request.path, "Table in which every row has a label")
      ->required()
      ->type_name("");
  const auto add = [&](const char* name, auto& target, const char* value, const char* group,
                       const std::string& help) {
    return simulate.add_option(name, target, help)->type_name(value)->group(group);
  };
  add("--label", request.label_column, "COLUMN", "Data", "Column with the labels");
  add("--labels", request.table.labels, "FILE", "Data", "File with one label per row, instead of --label");
  add("--drop", arguments->drop, "A,B,...", "Data", "Columns that are not features; they stay in the output");
  add("--categorical", arguments->categorical, "A,B,...", "Data", "Columns of numbers that stand for groups");
  simulate.add_flag("--no-header", arguments->no_header, "The first line of DATA is data")->group("Data");
  add("--protocol", arguments->protocol, "NAME", "Protocol", "mcar, strict-mar, authors or mnar")->required();
  add("--rare", arguments->rare, "A,B,...", "Protocol", "Rarely labeled classes");
  add("--labeled", missingness.n_labeled, "N", "Protocol",
      fmt::format("Labels that stay [{}]", missingness.n_labeled));
  add("--rare-weight", missingness.rare_weight, "X", "Protocol",
      fmt::format("strict-mar, mnar: chance of a rare row, relative to others [{}]",
                  missingness.rare_weight));
  add("--neighbours", missingness.n_neighbours, "K", "Protocol",
      fmt::format("Nearest rows that vote on the stratum of a row, itself among them [{}]",
                  missingness.n_neighbours));
  add("-o,--output", arguments->output, "FILE", "Run", "Where the result goes (- for stdout)")->required();
  add("--seed", missingness.seed, "N", "Run", "Seed of the draw [0]");
  add("--threads", missingness.threads, "T", "Run", "Threads, 0 for all cores; never changes a result [0]")
      ->check(CLI::Range(0, 1024));
  simulate.add_flag("--force", arguments->force, "Replace an output file that exists")->group("Run");
  simulate.callback([arguments, &command] {
    arguments->request.table.no_header = arguments->no_header;
    command = [arguments] { run(*arguments); };
  });
}

} // namespace lacuna::cli
