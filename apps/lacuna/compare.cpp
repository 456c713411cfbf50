#include <filesystem>

#include <fmt/format.h>

#include "argument_rows.hpp"
#include "checkpoint.hpp"
#include "command_texts.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "lacuna/report/report.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct CompareArguments : CompareRequest, FitFiles {
  std::string out;
  std::string report;
  bool models = false;
};

std::string results_table(const Comparison& comparison) {
  TextTable table({"method", "n", "error_rate", "mean_error_probability", "overconfidence", "underconfidence",
                   "ece", "brier_error", "nll"});
  const auto add_row = [&](const std::string& name, const Metrics& metrics) {
    std::vector<std::string> row{name, grouped(metrics.n)};
    for (const double value : {metrics.error_rate, metrics.mean_error_probability, metrics.overconfidence,
                               metrics.underconfidence, metrics.ece, metrics.brier_error, metrics.nll})
      row.push_back(fmt::format("{:.4f}", value));
    table.add(row);
  };
  const auto add = [&](const std::string& name, const Evaluation& evaluation) {
    add_row(name, evaluation.overall);
    for (const auto& [stratum, metrics] : evaluation.strata)
      add_row("  " + (stratum.empty() ? std::string("(empty)") : stratum), metrics);
  };
  for (const ComparedMethod& method : comparison.methods) add(method.name, method.outcome.evaluation);
  for (const ComparedPlain& plain : comparison.plain_models) add(plain.name, plain.outcome.evaluation);
  return table.text();
}

void compare(const CompareArguments& arguments) {
  CompareRequest request = arguments;
  const std::filesystem::path folder(arguments.out);
  const auto inside = [&](const std::string& name) { return (folder / name).string(); };
  const Checkpoint checkpoint(request, inside("vae.checkpoint"));
  const std::string report_path = arguments.report.empty() ? inside("report.html") : arguments.report;
  const auto of_folder = [&](const std::string& name) {
    return NamedFile{name + " of " + mention("out"), inside(name)};
  };
  std::vector<NamedFile> inputs = fit_inputs(arguments);
  inputs.push_back({"TEST", request.test});
  inputs.push_back({mention("test_labels"), request.test_labels});
  std::vector<NamedFile> files{of_folder("metrics.json"), arguments.report.empty()
                                                              ? of_folder("report.html")
                                                              : NamedFile{mention("report"), report_path}};
  if (arguments.models)
    for (const Method method : all_methods()) files.push_back(of_folder(to_string(method) + ".lacuna"));
  std::vector<NamedFile> outputs = files;
  outputs.push_back(checkpoint_file(request));
  keep_apart(inputs, outputs);
  keep_off(files[1], {mention("out"), arguments.out});

  make_folder(arguments.out);
  // Everything is opened before the work begins, so that a name that is taken shows at once.
  std::vector<Output> documents;
  for (const NamedFile& file : files) documents.emplace_back(file.path, arguments.force);

  ConsoleObserver observer;
  const Comparison comparison = compare_methods(request, observer);
  const std::vector<ComparedMethod>& methods = comparison.methods;
  observer.finish();
  for (const std::string& note : methods.front().model.record.notes) tell("note: " + note);
  if (!comparison.left_out.empty()) tell("note: " + comparison.left_out);
  if (const Index n = methods.front().outcome.n_unlabeled; n > 0)
    tell("skipped " + counted(n, "test row") + " without a label");
  Output& metrics = documents.at(0);
  Output& report = documents.at(1);
  metrics.write(comparison_json(comparison));
  report.write(report_page(request, comparison));
  for (std::size_t d = 2; d < documents.size(); ++d) {
    const std::vector<char> bytes = encode_model(methods[d - 2].model);
    documents[d].write({bytes.data(), bytes.size()});
  }
  std::vector<Output*> all;
  for (Output& document : documents) all.push_back(&document);
  commit_together(all);
  checkpoint.remove();
  print_beside({&report}, results_table(comparison) + fmt::format("\n{}\nAll metrics: {}\nPage: {}\n",
                                                                  comparison.winner().words,
                                                                  inside("metrics.json"), report_path));
}

} // namespace

Command compare_command() {
  using A = CompareArguments;
  Command command = make_command<A>(
      texts::compare,
      {.positionals = {train_row<A>(),
                       option<A, std::string>("test", &A::test, "TEST",
                                              "Table with the same columns, and labels to compare with")},
       .options =
           joined<A>({rows_of<A, CompareRequest>(),
                      {option("out", &A::out, "DIR", "Folder for the results; made when it does not exist")
                           .in_group("General"),
                       config_row<A>(), report_row(&A::report, "Where the page goes [DIR/report.html]"),
                       option("models", &A::models, "", "Also write the four models").in_group("General"),
                       force_row<A>(&A::force)}}),
       .required = {"path", "test", "out"}},
      compare);
  std::erase_if(command.options, [](const Argument& argument) { return argument.name == "method"; });
  return command;
}

} // namespace lacuna::cli
