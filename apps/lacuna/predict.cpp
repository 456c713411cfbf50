#include <memory>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "lacuna/pipeline/workflows.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct Arguments {
  std::string model;
  std::string data;
  std::string output;
  bool no_header = false;
  bool force = false;
  int threads = 0;
};

void run(const Arguments& arguments) {
  const Model model = load_model(arguments.model);
  Output output(arguments.output, arguments.force, {arguments.model, arguments.data});
  TableOptions table;
  table.no_header = arguments.no_header;
  ConsoleObserver observer;
  const Index n_rows = predict_table(
      model, arguments.data, table, arguments.threads, [&](std::string_view text) { output.write(text); },
      observer);
  output.commit();
  observer.finish();
  if (!output.is_stdout()) say(counted(n_rows, "row") + " written to " + arguments.output);
}

} // namespace

void add_predict(CLI::App& app, Command& command) {
  CLI::App& predict = add_command(
      app, "predict", "Predict classes with an error probability for every row",
      "lacuna predict MODEL DATA -o OUT.csv [OPTIONS]",
      "  lacuna predict loans.lacuna new.csv -o predictions.csv\n"
      "  lacuna predict loans.lacuna new.csv.gz -o - | head\n"
      "Columns: prediction, error_probability, informative (1: labels say something about rows like this),\n"
      "log_ratio, and the probability p_<class> of every class. Columns of DATA are found by name.");
  const auto arguments = std::make_shared<Arguments>();
  predict.add_option("MODEL", arguments->model, "Model file written by lacuna fit")
      ->required()
      ->type_name("");
  predict.add_option("DATA", arguments->data, "Table with the columns the model was fitted on")
      ->required()
      ->type_name("");
  predict.add_option("-o,--output", arguments->output, "CSV file to write (- for stdout)")
      ->required()
      ->type_name("OUT")
      ->group("General");
  predict.add_flag("--no-header", arguments->no_header, "The first line of DATA is data")->group("Data");
  predict.add_option("--threads", arguments->threads, "Threads, 0 for all cores; never changes a result [0]")
      ->type_name("T")
      ->check(CLI::Range(0, 1024))
      ->group("Run");
  predict.add_flag("--force", arguments->force, "Replace an output file that exists")->group("General");
  predict.callback([arguments, &command] { command = [arguments] { run(*arguments); }; });
}

} // namespace lacuna::cli
