#include <filesystem>

#include <fmt/format.h>

#include "argument_rows.hpp"
#include "command_texts.hpp"
#include "commands.hpp"
#include "experiment.hpp"
#include "experiments/demo.hpp"
#include "lacuna/core/errors.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct DemoArguments : DemoRequest {
  std::string report;
};

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

std::string what_next(const DemoOutcome& outcome, const DemoArguments& arguments) {
  std::string text = "\nData and pictures:\n";
  for (const std::string& file : outcome.files) text += "  " + file + "\n";
  if (!arguments.report.empty()) text += "  " + arguments.report + "\n";
  return text + fmt::format("\nThe same by hand:\n"
                            "  lacuna fit {0}/quadrants-train.csv -o {0}/quadrants.lacuna --label label\n"
                            "  lacuna evaluate {0}/quadrants.lacuna {0}/quadrants-test.csv --label label "
                            "--stratum region\n"
                            "\nWith your own table, in which the cells of one column are partly empty:\n"
                            "  lacuna fit YOURS.csv -o model.lacuna --label COLUMN\n"
                            "  lacuna predict model.lacuna YOURS.csv -o predictions.csv\n",
                            arguments.out);
}

void demo(const DemoArguments& arguments) {
  std::vector<NamedFile> outputs{{mention("report"), arguments.report}};
  for (const std::string& file : demo_files(arguments))
    outputs.push_back({std::filesystem::path(file).filename().string() + " of " + mention("out"), file});
  keep_apart({}, outputs);
  keep_off(outputs.front(), {mention("out"), arguments.out});
  Output report(arguments.report, arguments.force);
  const DemoOutcome outcome = run_experiment<DemoRequest>(arguments, run_demo, report);
  print_beside({&report},
               results_table(outcome) + "\n" + demo_verdict(outcome) + what_next(outcome, arguments));
}

} // namespace

Command demo_command() {
  return make_command<DemoArguments>(
      texts::demo,
      {.options = joined<DemoArguments>(
           {rows_of<DemoArguments, DemoRequest>(), {report_row(&DemoArguments::report, report_help)}})},
      demo);
}

} // namespace lacuna::cli
