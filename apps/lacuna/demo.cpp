#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>

#include "commands.hpp"
#include "console.hpp"
#include "experiments/demo.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

std::string results_table(const DemoOutcome& outcome) {
  TextTable table(
      {"toy        method         region       ", "error_rate", "mean_error_probability", "overconfidence"});
  const auto add = [&](const DemoResult& result, const std::string& region, const Metrics& metrics) {
    table.add({fmt::format("{:<11}{:<15}{}", result.toy, to_string(result.method), region),
               fmt::format("{:.3f}", metrics.error_rate),
               fmt::format("{:.3f}", metrics.mean_error_probability),
               fmt::format("{:.3f}", metrics.overconfidence)});
  };
  for (const DemoResult& result : outcome.results) {
    add(result, "labeled", result.labeled);
    add(result, "never labeled", result.never_labeled);
  }
  return table.text();
}

struct Arguments {
  DemoRequest request;
  std::string report;
};

void run(const Arguments& arguments) {
  DemoRequest request = arguments.request;
  request.wants_report = !arguments.report.empty();
  const std::unique_ptr<Output> report = open_optional(arguments.report, request.overwrite, {});
  ConsoleObserver observer;
  const DemoOutcome outcome = run_demo(request, observer);
  observer.finish();
  if (report) {
    report->write(outcome.report);
    report->commit();
    if (report->is_stdout()) return;
  }
  print(results_table(outcome) + "\n" + demo_verdict(outcome));
  std::string next = "\nData and pictures:\n";
  for (const std::string& file : outcome.files) next += "  " + file + "\n";
  if (report) next += "  " + arguments.report + "\n";
  next += fmt::format("\nThe same by hand:\n"
                      "  lacuna fit {0}/quadrants-train.csv -o {0}/quadrants.lacuna --label label\n"
                      "  lacuna evaluate {0}/quadrants.lacuna {0}/quadrants-test.csv --label label "
                      "--stratum region\n"
                      "\nWith your own table, in which the cells of one column are partly empty:\n"
                      "  lacuna fit YOURS.csv -o model.lacuna --label COLUMN\n"
                      "  lacuna predict model.lacuna YOURS.csv -o predictions.csv\n",
                      request.directory);
  print(next);
}

} // namespace

void add_demo(CLI::App& app, Command& command) {
  CLI::App& demo = add_command(app, "demo", "Show the method on built-in data: all methods side by side",
                               "lacuna demo [--out DIR]",
                               "  lacuna demo\n"
                               "  lacuna demo --out /tmp/lacuna-demo --seed 3\n"
                               "  lacuna demo --report demo.html");
  const auto arguments = std::make_shared<Arguments>();
  DemoRequest* const request = &arguments->request;
  const auto add = [&](const char* name, auto& target, const char* value, const std::string& help) {
    return demo.add_option(name, target, help)->type_name(value)->group("Run");
  };
  add("--out", request->directory, "DIR", "Folder for data and pictures [" + request->directory + "]")
      ->group("General");
  add("--seed", request->seed, "N", "Seed of data and fits [0]");
  add("--threads", request->threads, "T", "Threads, 0 for all cores; never changes a result [0]")
      ->check(CLI::Range(0, 1024));
  demo.add_flag("--force", request->overwrite, "Replace files that differ")->group("General");
  add("--report", arguments->report, "FILE.html",
      "Write a page with figures that opens in any browser, without a network")
      ->group("General");
  demo.callback([arguments, &command] { command = [arguments] { run(*arguments); }; });
}

} // namespace lacuna::cli
