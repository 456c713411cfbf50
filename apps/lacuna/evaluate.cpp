#include <optional>

#include "argument_rows.hpp"
#include "command_texts.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "evaluation_text.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/documents.hpp"
#include "lacuna/report/report.hpp"
#include "output.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

struct EvaluateArguments : EvaluateRequest {
  std::string model;
  std::string data;
  std::string probabilities;
  std::string json;
  std::string report;
  bool force = false;

  bool has_model() const { return !model.empty(); }
};

[[noreturn]] void refuse(const std::string& option, const std::string& statement) {
  ErrorParts parts;
  parts.option = option;
  parts.statement = statement;
  throw Error(ErrorKind::usage, std::move(parts));
}

/// What is asked of the library. Throws Error(usage) when arguments contradict each other.
EvaluateRequest request_of(const EvaluateArguments& arguments) {
  const bool has_model = arguments.has_model();
  if (has_model == !arguments.probabilities.empty() || has_model == arguments.data.empty())
    throw Error(ErrorKind::usage, "evaluate takes either MODEL and DATA, or " + mention("probabilities") +
                                      " FILE without them; see lacuna evaluate --help");
  if (has_model && !arguments.classes.empty())
    refuse("classes", "it goes with " + mention("probabilities") + "; a model knows its classes");
  if (!arguments.train.empty() && (!has_model || arguments.report.empty()))
    refuse("train", "it goes with MODEL and " + mention("report") + ": it shows the model's training rows");
  EvaluateRequest request = arguments;
  request.path = has_model ? arguments.data : arguments.probabilities;
  request.keeps_rows = !arguments.report.empty();
  return request;
}

void evaluate(const EvaluateArguments& arguments) {
  const EvaluateRequest request = request_of(arguments);
  keep_apart({{"MODEL", arguments.model},
              {"DATA", arguments.data},
              {mention("probabilities"), arguments.probabilities},
              {mention("labels"), request.labels},
              {mention("calibration_data"), request.calibration_data},
              {mention("calibration_labels"), request.calibration_labels},
              {mention("train"), request.train},
              {mention("train_labels"), request.train_labels}},
             {{mention("json"), arguments.json}, {mention("report"), arguments.report}});
  std::optional<Model> loaded;
  if (arguments.has_model()) loaded = load_model(arguments.model);
  const Model* const model = loaded ? &*loaded : nullptr;
  Output json(arguments.json, arguments.force);
  Output report(arguments.report, arguments.force);

  ConsoleObserver observer;
  const EvaluateOutcome outcome = model != nullptr ? lacuna::evaluate(*model, request, observer)
                                                   : evaluate_probabilities(request, observer);
  observer.finish();
  if (outcome.n_unlabeled > 0) tell("skipped " + counted(outcome.n_unlabeled, "row") + " without a label");
  if (json.is_wanted()) json.write(evaluation_json(outcome, model));
  if (report.is_wanted()) report.write(report_page(request, outcome, model));
  commit_together({&json, &report});
  if (json.is_wanted() || report.is_wanted())
    print_beside({&json, &report}, evaluation_text(outcome));
  else
    print(shown(evaluation_text(outcome))); // all that was asked for
}

} // namespace

Command evaluate_command() {
  using A = EvaluateArguments;
  return make_command<A>(
      texts::evaluate,
      {.positionals =
           model_and_data(&A::model, &A::data, "Table with the columns the model was fitted on, and labels"),
       .options = joined<A>(
           {{option("probabilities", &A::probabilities, "FILE",
                    "Any tool's predictions instead of MODEL and DATA: a table with a label and a column per "
                    "class, named by the class or p_ and the class; prediction and error_probability may be "
                    "there too")
                 .in_group("Data"),
             json_row(&A::json, "Write everything as JSON (- for stdout)"),
             report_row(&A::report, report_help)},
            rows_of<A, EvaluateRequest>(),
            {force_row(&A::force)}})},
      evaluate);
}

} // namespace lacuna::cli
