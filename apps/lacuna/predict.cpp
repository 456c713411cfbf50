#include "lacuna/pipeline/predict.hpp"
#include "argument_rows.hpp"
#include "command_texts.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "core/common_options.hpp"
#include "core/pass_place.hpp"
#include "lacuna/core/errors.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct PredictArguments {
  std::string model;
  std::string data;
  std::string output;
  bool no_header = false;
  bool csv_safe = false;
  int threads = 0;
  Device device = Device::cpu;
  bool force = false;
};

void predict(const PredictArguments& arguments) {
  const PredictionFormat format = prediction_format(arguments.output, "output");
  keep_apart({{"MODEL", arguments.model}, {"DATA", arguments.data}}, {{mention("output"), arguments.output}});
  const Model model = load_model(arguments.model);
  Output output(arguments.output, arguments.force);
  TableOptions table;
  table.no_header = arguments.no_header;
  ConsoleObserver observer;
  // The table may be long or short: nobody knows yet.
  const PassesAt passes_at(place_on(arguments.device, rows_per_journey, observer), observer);
  const Index n_rows = predict_table(
      model, arguments.data, table, arguments.threads, [&](std::string_view text) { output.write(text); },
      observer, arguments.csv_safe ? CsvCells::no_formulas : CsvCells::exact, format);
  if (format == PredictionFormat::npy) output.file()->rewrite_beginning(npy_prediction_header(model, n_rows));
  commit_together({&output});
  observer.finish();
  if (!output.is_stdout()) say(counted(n_rows, "row") + " written to " + arguments.output);
}

} // namespace

Command predict_command() {
  using A = PredictArguments;
  return make_command<A>(
      texts::predict,
      {.positionals = model_and_data(&A::model, &A::data, "Table with the columns the model was fitted on"),
       .options =
           {output_row(&A::output, "OUT",
                       "File to write: CSV, or what it ends in, .csv.gz or .npy (- for CSV on stdout)"),
            option("no_header", &A::no_header, "", "The first line of DATA is data").in_group("Data"),
            option("csv_safe", &A::csv_safe, "",
                   "An apostrophe before predictions that a spreadsheet would take for a formula: those "
                   "that begin with = + - or @ and are no number")
                .in_group("General"),
            threads_option(&A::threads), device_option(&A::device), force_row(&A::force)},
       .required = {"model", "data", "output"}},
      predict);
}

} // namespace lacuna::cli
