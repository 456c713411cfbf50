#include <memory>
#include <optional>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "evaluation_text.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/settings.hpp"
#include "lacuna/pipeline/workflows.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct Arguments {
  std::string model;
  std::string data;
  std::string probabilities;
  EvaluateRequest request;
  std::string classes;
  std::string bin_kind = "equal-width";
  std::string calibrate;
  CalibrationRequest calibration;
  std::string json;
  std::string report;
  bool no_header = false;
  bool force = false;
};

/// Puts together what the options say one by one. Throws Error(usage) when they contradict each other.
EvaluateRequest resolve(const Arguments& arguments) {
  EvaluateRequest request = arguments.request;
  const bool has_model = !arguments.model.empty();
  if (has_model == !arguments.probabilities.empty() || has_model == arguments.data.empty())
    throw Error(ErrorKind::usage,
                "evaluate takes either MODEL and DATA, or --probabilities FILE without them; "
                "see lacuna evaluate --help");
  if (has_model && !arguments.classes.empty())
    throw Error(ErrorKind::usage, "--classes goes with --probabilities; a model knows its classes");
  request.path = has_model ? arguments.data : arguments.probabilities;
  if (!arguments.classes.empty()) request.classes = split_list("--classes", arguments.classes);
  request.table.no_header = arguments.no_header;
  request.wants_report = !arguments.report.empty();
  if (!request.train_path.empty() && (!has_model || !request.wants_report))
    throw Error(ErrorKind::usage, "--train goes with MODEL and --report: it shows the model's training rows");
  request.curve.bin_kind = parse_bin_kind(arguments.bin_kind);
  const CalibrationRequest& calibration = arguments.calibration;
  if (arguments.calibrate.empty() && !(calibration.path.empty() && calibration.labels_path.empty()))
    throw Error(ErrorKind::usage, "--calibration-data and --calibration-labels go with --calibrate METHOD");
  if (arguments.calibrate.empty()) return request;
  request.calibration = calibration;
  request.calibration->method = parse_calibration_method(arguments.calibrate);
  return request;
}

void run(const Arguments& arguments) {
  const EvaluateRequest request = resolve(arguments);
  std::optional<Model> model;
  if (!arguments.model.empty()) model = load_model(arguments.model);
  const std::vector<std::string> inputs{arguments.model,          request.path,
                                        request.table.labels,     arguments.calibration.path,
                                        request.train_path,       arguments.calibration.labels_path,
                                        request.train_labels_path};
  const std::unique_ptr<Output> json = open_optional(arguments.json, arguments.force, inputs);
  const std::unique_ptr<Output> report = open_optional(arguments.report, arguments.force, inputs);
  ConsoleObserver observer;
  const EvaluateOutcome outcome =
      model ? evaluate_table(*model, request, observer) : evaluate_probabilities(request, observer);
  observer.finish();
  if (outcome.n_unlabeled > 0) say("skipped " + counted(outcome.n_unlabeled, "row") + " without a label");
  if (json) {
    json->write(model ? evaluation_json(outcome, *model) : evaluation_json(outcome));
    json->commit();
  }
  if (report) {
    report->write(outcome.report);
    report->commit();
  }
  const std::string text = evaluation_text(outcome);
  if ((json && json->is_stdout()) || (report && report->is_stdout()))
    std::fputs(text.c_str(), stderr);
  else
    print(text);
}

} // namespace

void add_evaluate(CLI::App& app, Command& command) {
  CLI::App& evaluate = add_command(
      app, "evaluate", "Compare predictions with known labels: how good, and how honest",
      "lacuna evaluate MODEL DATA --label COLUMN [OPTIONS]\n"
      "       lacuna evaluate --probabilities FILE [OPTIONS]",
      "  lacuna evaluate loans.lacuna test.csv --label repaid\n"
      "  lacuna evaluate loans.lacuna test.csv --label repaid --stratum region --json metrics.json\n"
      "  lacuna evaluate loans.lacuna test.csv --label repaid --stratum region --report report.html\n"
      "  lacuna evaluate loans.lacuna test.csv --label repaid --calibrate platt --calibration-data "
      "held-out.csv\n"
      "  lacuna evaluate --probabilities forest.csv --label repaid\n"
      "overconfidence and underconfidence add up to ece, the mean distance between error probability and\n"
      "error rate over 20 equal bins of the error probability.");
  const auto arguments = std::make_shared<Arguments>();
  EvaluateRequest& request = arguments->request;
  evaluate.add_option("MODEL", arguments->model, "Model file written by lacuna fit")->type_name("");
  evaluate.add_option("DATA", arguments->data, "Table with the columns the model was fitted on, and labels")
      ->type_name("");
  const auto add = [&](const char* name, auto& target, const char* value, const char* group,
                       const char* help) {
    return evaluate.add_option(name, target, help)->type_name(value)->group(group);
  };
  add("--probabilities", arguments->probabilities, "FILE", "Data",
      "Any tool's predictions instead of MODEL and DATA: a table with a label and a column per class, named "
      "by "
      "the class or p_ and the class; prediction and error_probability may be there too");
  add("--label", request.label_column, "COLUMN", "Data",
      "Column with the labels; rows without one are skipped");
  add("--labels", request.table.labels, "FILE", "Data", "File with one label per row, instead of --label");
  add("--stratum", request.stratum_column, "COLUMN", "Data",
      "Also evaluate apart by the values of this column");
  add("--classes", arguments->classes, "A,B,C", "Data",
      "With --probabilities: the classes, when not all columns are one");
  add("--missing-label", request.table.missing_label, "TOKEN", "Data",
      "One more token for a missing label, beside the empty cell, NA, NaN and ?");
  evaluate.add_flag("--no-header", arguments->no_header, "The first line of DATA is data")->group("Data");
  add("--bins", request.curve.n_bins, "N", "Reliability curve",
      "Bins of the reliability curve; ece always has its 20 [20]")
      ->check(CLI::Range(Index{1}, max_curve_bins));
  add("--bin-kind", arguments->bin_kind, "KIND", "Reliability curve",
      "equal-width, or equal-mass: equally many rows in each [equal-width]");
  add("--calibrate", arguments->calibrate, "METHOD", "Calibration",
      "Recalibrate first, by platt, isotonic, bbq or temperature, and show what that changes");
  add("--calibration-data", arguments->calibration.path, "FILE", "Calibration",
      "Labeled rows to calibrate on, in a table like DATA; not the test rows");
  add("--calibration-labels", arguments->calibration.labels_path, "FILE", "Calibration",
      "Their labels, when those of DATA come from --labels");
  add("--threads", request.threads, "T", "Run", "Threads, 0 for all cores; never changes a result [0]")
      ->check(CLI::Range(0, 1024));
  add("--json", arguments->json, "FILE", "General", "Write everything as JSON (- for stdout)");
  add("--report", arguments->report, "FILE.html", "General",
      "Write a page with figures that opens in any browser, without a network");
  add("--train", request.train_path, "FILE", "General",
      "For the page: the table that the model was fitted to, to show labeled over unlabeled rows");
  add("--train-labels", request.train_labels_path, "FILE", "General",
      "Its labels, when those of DATA come from --labels");
  evaluate.add_flag("--force", arguments->force, "Replace an output file that exists")->group("General");
  evaluate.callback([arguments, &command] { command = [arguments] { run(*arguments); }; });
}

} // namespace lacuna::cli
