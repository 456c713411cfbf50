#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "argument_rows.hpp"
#include "command_texts.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "core/common_options.hpp"
#include "core/pass_place.hpp"
#include "data/table_rows.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/predict.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct PredictArguments : TableOptions {
  std::string model;
  std::string data;
  std::string output;
  bool csv_safe = false;
  std::optional<double> sets;
  std::optional<double> risk;
  double confidence = PromiseOptions{}.confidence;
  std::optional<double> sensitivity;
  PredictionColumns columns;
  int threads = 0;
  Device device = Device::cpu;
  bool force = false;
};

void predict(const PredictArguments& arguments) {
  const PredictOptions options{
      .threads = arguments.threads,
      .cells = arguments.csv_safe ? CsvCells::no_formulas : CsvCells::exact,
      .format = prediction_format(arguments.output, "output"),
      .promises = {arguments.sets, arguments.risk, arguments.confidence, arguments.sensitivity},
      .columns = arguments.columns};
  keep_apart({{"MODEL", arguments.model}, {"DATA", arguments.data}}, {{mention("output"), arguments.output}});
  const Model model = load_model(arguments.model);
  Output output(arguments.output, arguments.force);
  ConsoleObserver observer;
  // The table may be long or short: nobody knows yet.
  const PassesAt passes_at(place_on(arguments.device, rows_per_journey, observer), observer);
  const PredictedRows rows = predict_table(
      model, arguments.data, arguments, options, [&](std::string_view text) { output.write(text); },
      observer);
  if (options.format == PredictionFormat::npy)
    output.file()->rewrite_beginning(npy_prediction_header(model, options, rows.n_rows));
  commit_together({&output});
  observer.finish();
  const auto share = [&](Index n) {
    return 100.0 * static_cast<double>(n) / static_cast<double>(std::max<Index>(1, rows.n_rows));
  };
  if (!output.is_stdout()) tell(counted(rows.n_rows, "row") + " written to " + arguments.output);
  if (arguments.columns.abstain)
    tell(
        fmt::format("{} of them without a prediction ({:.1f} %)", rows.n_abstained, share(rows.n_abstained)));
  if (arguments.risk)
    tell(fmt::format("{} of them accepted ({:.1f} %)", rows.n_accepted, share(rows.n_accepted)));
}

} // namespace

Command predict_command() {
  using A = PredictArguments;
  return make_command<A>(
      texts::predict,
      {.positionals = model_and_data(&A::model, &A::data, "Table with the columns the model was fitted on"),
       .options = joined<A>(
           {table_rows<A>(
                {"label", "labels", "missing_label", "missing_value", "weights", "drop", "categorical"},
                {{"no_header", "The first line of DATA is data"}}),
            rows_of(&A::columns),
            {output_row(&A::output, "OUT",
                        "File to write: CSV, or what it ends in, .csv.gz or .npy (- for CSV on stdout)"),
             option("csv_safe", &A::csv_safe, "",
                    "An apostrophe before predictions that a spreadsheet would take for a formula: those "
                    "that begin with = + - or @ and are no number")
                 .in_group("General"),
             option(
                 "sets", &A::sets, "C",
                 "Columns set_size and set: classes, with | between them, that hold the true one with this "
                 "probability, among rows like all training rows; all classes where labels say nothing",
                 {.above = 0.0, .below = 1.0})
                 .in_group("Promises"),
             option("risk", &A::risk, "R",
                    "Column accepted: 1 where you may act on the prediction, since of such rows at most this "
                    "share is wrong",
                    {.above = 0.0, .below = 1.0})
                 .in_group("Promises"),
             option("confidence", &A::confidence, "P", "How sure --risk has to be of that",
                    {.above = 0.0, .below = 1.0})
                 .in_group("Promises"),
             option(
                 "sensitivity", &A::sensitivity, "G",
                 "If odds of classes differ by at most this factor between labeled rows and unlabeled ones "
                 "like them: column worst_error_probability, and flip_odds, the factor at which another "
                 "class could be the likeliest; sets cover even so",
                 {.low = 1.0, .high = 1e6})
                 .in_group("Promises"),
             threads_option(&A::threads), device_option(&A::device), force_row(&A::force)}}),
       .required = {"model", "data", "output"}},
      predict);
}

} // namespace lacuna::cli
