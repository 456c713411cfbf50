#include <algorithm>
#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "lacuna/pipeline/workflows.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct Arguments {
  std::string model;
  EvaluateRequest request;
  std::string json;
  bool no_header = false;
  bool force = false;
};

struct NamedMetrics {
  std::string name;
  const Metrics* metrics;
};

std::string metrics_table(const std::vector<NamedMetrics>& columns) {
  const std::vector<std::pair<std::string, double Metrics::*>> names{
      {"error_rate", &Metrics::error_rate},
      {"mean_error_probability", &Metrics::mean_error_probability},
      {"ece", &Metrics::ece},
      {"overconfidence", &Metrics::overconfidence},
      {"underconfidence", &Metrics::underconfidence},
      {"brier_error", &Metrics::brier_error},
      {"brier", &Metrics::brier},
      {"nll", &Metrics::nll}};
  std::vector<std::string> header{""};
  std::vector<std::string> counts{"n"};
  for (const NamedMetrics& column : columns) {
    header.push_back(column.name);
    counts.push_back(grouped(column.metrics->n));
  }
  TextTable table(header);
  table.add(counts);
  for (const auto& [name, field] : names) {
    std::vector<std::string> row{name};
    for (const NamedMetrics& column : columns) row.push_back(fmt::format("{:.4f}", column.metrics->*field));
    table.add(row);
  }
  return table.text();
}

std::string bins_table(const Metrics& metrics) {
  constexpr double bar_length = 30.0;
  Index largest = 1;
  for (const ReliabilityBin& bin : metrics.bins) largest = std::max(largest, bin.n);
  TextTable table({"error probability", "n", "mean", "error rate"});
  for (const ReliabilityBin& bin : metrics.bins) {
    if (bin.n == 0) continue;
    const auto length = static_cast<std::size_t>(
        std::max(1.0, bar_length * static_cast<double>(bin.n) / static_cast<double>(largest)));
    table.add({fmt::format("{:.2f} to {:.2f}  {:<30}", bin.low, bin.high, std::string(length, '#')),
               grouped(bin.n), fmt::format("{:.3f}", bin.mean_error_probability),
               fmt::format("{:.3f}", bin.error_rate)});
  }
  return table.text();
}

std::string evaluation_text(const Evaluation& evaluation) {
  constexpr std::size_t columns_per_table = 6;
  std::vector<NamedMetrics> columns{{"all", &evaluation.overall}};
  for (const auto& [name, metrics] : evaluation.strata)
    columns.push_back({name.empty() ? "(empty)" : name, &metrics});
  std::string text;
  for (std::size_t first = 0; first < columns.size(); first += columns_per_table) {
    const std::size_t last = std::min(first + columns_per_table, columns.size());
    text += metrics_table({columns.begin() + static_cast<std::ptrdiff_t>(first),
                           columns.begin() + static_cast<std::ptrdiff_t>(last)}) +
            "\n";
  }
  return text + bins_table(evaluation.overall);
}

void run(const Arguments& arguments) {
  const Model model = load_model(arguments.model);
  const std::unique_ptr<Output> json =
      open_optional(arguments.json, arguments.force,
                    {arguments.model, arguments.request.path, arguments.request.table.labels_path});
  ConsoleObserver observer;
  const EvaluateOutcome outcome = evaluate_table(model, arguments.request, observer);
  observer.finish();
  if (outcome.n_unlabeled > 0) say("skipped " + counted(outcome.n_unlabeled, "row") + " without a label");
  if (json) {
    json->write(evaluation_json(outcome, model));
    json->commit();
  }
  const std::string text = evaluation_text(outcome.evaluation);
  if (json && json->is_stdout())
    std::fputs(text.c_str(), stderr);
  else
    print(text);
}

} // namespace

void add_evaluate(CLI::App& app, Command& command) {
  CLI::App& evaluate = add_command(
      app, "evaluate", "Compare predictions with known labels: how good, and how honest",
      "lacuna evaluate MODEL DATA --label COLUMN [OPTIONS]",
      "  lacuna evaluate loans.lacuna test.csv --label repaid\n"
      "  lacuna evaluate loans.lacuna test.csv --label repaid --stratum region --json metrics.json\n"
      "overconfidence and underconfidence add up to ece, the mean distance between error probability and\n"
      "error rate over 20 equal bins of the error probability.");
  const auto arguments = std::make_shared<Arguments>();
  EvaluateRequest& request = arguments->request;
  evaluate.add_option("MODEL", arguments->model, "Model file written by lacuna fit")
      ->required()
      ->type_name("");
  evaluate.add_option("DATA", request.path, "Table with the columns the model was fitted on, and labels")
      ->required()
      ->type_name("");
  const auto add = [&](const char* name, auto& target, const char* value, const char* group,
                       const char* help) {
    return evaluate.add_option(name, target, help)->type_name(value)->group(group);
  };
  add("--label", request.label_column, "COLUMN", "Data",
      "Column with the labels; rows without one are skipped");
  add("--labels", request.table.labels_path, "FILE", "Data",
      "File with one label per row, instead of --label");
  add("--stratum", request.stratum_column, "COLUMN", "Data",
      "Also evaluate apart by the values of this column");
  add("--missing-label", request.table.missing_label, "TOKEN", "Data",
      "One more token for a missing label, beside the empty cell, NA, NaN and ?");
  evaluate.add_flag("--no-header", arguments->no_header, "The first line of DATA is data")->group("Data");
  add("--threads", request.threads, "T", "Run", "Threads, 0 for all cores; never changes a result [0]")
      ->check(CLI::Range(0, 1024));
  add("--json", arguments->json, "FILE", "General", "Write all metrics as JSON (- for stdout)");
  evaluate.add_flag("--force", arguments->force, "Replace an output file that exists")->group("General");
  evaluate.callback([arguments, &command] {
    arguments->request.table.has_header = !arguments->no_header;
    command = [arguments] { run(*arguments); };
  });
}

} // namespace lacuna::cli
