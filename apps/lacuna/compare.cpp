#include <filesystem>
#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "fit_options.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/compare.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

namespace fs = std::filesystem;

struct Arguments {
  CompareRequest request;
  std::string directory;
  std::string report;
  bool with_models = false;
};

std::string results_table(const CompareOutcome& outcome) {
  TextTable table({"method", "n", "error_rate", "mean_error_probability", "overconfidence", "underconfidence",
                   "ece", "brier_error", "nll"});
  const auto add = [&](const std::string& name, const Metrics& metrics) {
    std::vector<std::string> row{name, grouped(metrics.n)};
    for (const double value : {metrics.error_rate, metrics.mean_error_probability, metrics.overconfidence,
                               metrics.underconfidence, metrics.ece, metrics.brier_error, metrics.nll})
      row.push_back(fmt::format("{:.4f}", value));
    table.add(row);
  };
  for (const ComparedMethod& method : outcome.methods) {
    const Evaluation& evaluation = method.outcome.evaluation;
    add(method.name, evaluation.overall);
    for (const auto& [name, metrics] : evaluation.strata)
      add("  " + (name.empty() ? std::string("(empty)") : name), metrics);
  }
  return table.text();
}

void make_folder(const std::string& path) {
  std::error_code problem;
  fs::create_directories(path, problem);
  if (!fs::is_directory(path))
    throw Error(ErrorKind::cannot_write,
                "cannot make the folder '" + path +
                    "': " + (problem ? problem.message() : std::string("a file of that name is in the way")));
}

void run(const FitOptions& options, const Arguments& given) {
  FitArguments fit = options.resolve();
  Arguments arguments = given;
  CompareRequest& request = arguments.request;
  request.fit = fit.request;
  make_folder(arguments.directory);
  const fs::path folder(arguments.directory);
  const std::vector<std::string> inputs{request.fit.path, request.fit.table.labels, request.test_path,
                                        request.test_labels_path};
  const std::string report_path =
      arguments.report.empty() ? (folder / "report.html").string() : arguments.report;
  // Everything is opened before the work begins, so that a name that is taken shows at once.
  Output metrics((folder / "metrics.json").string(), fit.force, inputs);
  Output report(report_path, fit.force, inputs);
  std::vector<std::unique_ptr<Output>> models;
  if (arguments.with_models)
    for (const char* name : {"supervised", "mcar-sampling", "mcar-em", "mar"})
      models.push_back(
          std::make_unique<Output>((folder / (std::string(name) + ".lacuna")).string(), fit.force, inputs));
  std::string& checkpoint = request.fit.features.vae.checkpoint;
  const bool keeps_checkpoint = !checkpoint.empty();
  if (!keeps_checkpoint) checkpoint = (folder / "vae.checkpoint").string();

  ConsoleObserver observer;
  const CompareOutcome outcome = compare_methods(request, observer);
  observer.finish();
  for (const std::string& note : outcome.notes) say("note: " + note);
  if (const Index n = outcome.methods.front().outcome.n_unlabeled; n > 0)
    say("skipped " + counted(n, "test row") + " without a label");
  metrics.write(comparison_json(outcome));
  report.write(outcome.report);
  for (std::size_t m = 0; m < models.size(); ++m) {
    const std::vector<char> bytes = encode_model(outcome.methods[m].model);
    models[m]->write({bytes.data(), bytes.size()});
  }
  metrics.commit();
  report.commit();
  for (const auto& model : models) model->commit();
  std::error_code ignored;
  if (!keeps_checkpoint) fs::remove(checkpoint, ignored);
  if (report.is_stdout()) return;
  print(results_table(outcome) +
        fmt::format("\nAll metrics: {}\nPage: {}\n", (folder / "metrics.json").string(), report_path));
}

} // namespace

void add_compare(CLI::App& app, Command& command) {
  CLI::App& compare = add_command(
      app, "compare", "Fit all four methods to one table and show them side by side",
      "lacuna compare TRAIN TEST --label COLUMN --out DIR [OPTIONS]",
      "  lacuna compare train.csv test.csv --label repaid --out comparison\n"
      "  lacuna compare train.csv test.csv --label repaid --stratum region --out comparison --models\n"
      "The methods share densities, features and seed. DIR gets metrics.json and report.html, a page\n"
      "with figures that opens in any browser, without a network.");
  const auto options =
      std::make_shared<FitOptions>(compare, std::set<std::string>{"output", "json", "method"});
  const auto arguments = std::make_shared<Arguments>();
  CompareRequest& request = arguments->request;
  compare.add_option("TEST", request.test_path, "Table with the same columns, and labels to compare with")
      ->required()
      ->type_name("");
  const auto add = [&](const char* name, auto& target, const char* value, const char* group,
                       const char* help) {
    return compare.add_option(name, target, help)->type_name(value)->group(group);
  };
  add("--test-labels", request.test_labels_path, "FILE", "Data",
      "File with one label per row of TEST, when those of TRAIN come from --labels");
  add("--stratum", request.stratum_column, "COLUMN", "Data",
      "Also compare apart by the values of this column of TEST");
  add("--out", arguments->directory, "DIR", "General", "Folder for the results; made when it does not exist")
      ->required();
  add("--report", arguments->report, "FILE.html", "General", "Where the page goes [DIR/report.html]");
  compare.add_flag("--models", arguments->with_models, "Also write the four models")->group("General");
  compare.callback(
      [options, arguments, &command] { command = [options, arguments] { run(*options, *arguments); }; });
}

} // namespace lacuna::cli
