#include "lacuna/pipeline/evaluate.hpp"

#include "core/common_options.hpp"
#include "data/table_files.hpp"
#include "data/table_rows.hpp"
#include "lacuna/core/errors.hpp"
#include "pipeline/judge.hpp"

namespace lacuna {

namespace {

[[noreturn]] void refuse(const std::string& option, std::string statement, std::string remedy = "") {
  ErrorParts parts;
  parts.option = option;
  parts.statement = std::move(statement);
  parts.remedy = std::move(remedy);
  throw Error(ErrorKind::usage, std::move(parts));
}

/// Labels of a second table come from a file of their own when those of the first do.
void require_both_or_none(const std::string& labels, const std::string& option, const std::string& second) {
  if (labels.empty() != second.empty())
    refuse(option, "it goes with " + mention("labels") +
                       ": either both tables have their labels in files of their own, or both in the same "
                       "column");
}

void check_calibration(const EvaluateRequest& request) {
  if (!request.calibrate) {
    if (!request.calibration_data.empty() || !request.calibration_labels.empty())
      refuse("calibration_data",
             "it and " + mention("calibration_labels") + " go with " + mention("calibrate"));
    return;
  }
  const std::string& path = request.calibration_data;
  if (path.empty())
    refuse("calibrate", "it needs " + mention("calibration_data") +
                            ": a table like the test table, with labels, that the model was not fitted to");
  if (share_a_file(path, request.path))
    refuse("calibration_data",
           "'" + path +
               "' is the test table itself; calibrated on the rows that judge it, anything looks honest",
           "give other labeled rows");
  require_both_or_none(request.labels, "calibration_labels", request.calibration_labels);
}

/// The options of another table with the same columns.
TableOptions with_labels(const EvaluateRequest& request, const std::string& labels) {
  TableOptions options = request;
  options.labels = labels;
  return options;
}

JudgeTask task_of(const EvaluateRequest& request) {
  JudgeTask task;
  task.curve = request;
  task.place = request.path;
  task.stratum = request.stratum;
  task.calibrate = request.calibrate;
  task.calibration_place = request.calibration_data;
  return task;
}

} // namespace

const OptionTable<EvaluateRequest>& EvaluateRequest::table() {
  using O = EvaluateRequest;
  static const OptionTable<O> rows = [] {
    // Which columns are features, and which of them categories, the model knows.
    OptionTable<O> all = table_rows<O>({"drop", "categorical", "missing_value", "weights"},
                                       {{"label", "Column with the labels; rows without one are skipped"},
                                        {"no_header", "The first line of DATA is data"}});
    all.push_back(option("stratum", &O::stratum, "COLUMN", "Also evaluate apart by the values of this column")
                      .in_group("Data"));
    all.push_back(option("classes", &O::classes, "A,B,C",
                         "With " + mention("probabilities") + ": the classes, when not all columns are one")
                      .in_group("Data"));
    for (Option<O>& row : rows_of<O, CurveOptions>())
      all.push_back(std::move(row).in_group("Reliability curve"));
    const OptionTable<O> own{
        option("calibrate", &O::calibrate, "METHOD",
               "Recalibrate first, by platt, isotonic, bbq or temperature, and show what that changes",
               {.unset = "none"})
            .in_group("Calibration"),
        option("calibration_data", &O::calibration_data, "FILE",
               "Labeled rows to calibrate on, in a table like DATA; not the test rows")
            .in_group("Calibration"),
        option("calibration_labels", &O::calibration_labels, "FILE",
               "Their labels, when those of DATA come from " + mention("labels"))
            .in_group("Calibration"),
        threads_option(&O::threads),
        option("train", &O::train, "FILE",
               "For the page: the table that the model was fitted to, to show labeled over unlabeled rows")
            .in_group("General"),
        option("train_labels", &O::train_labels, "FILE",
               "Its labels, when those of DATA come from " + mention("labels"))
            .in_group("General")};
    all.insert(all.end(), own.begin(), own.end());
    return all;
  }();
  return rows;
}

namespace {

std::function<void(double)> reading_watch(Observer& observer) {
  return [&observer](double position) {
    stop_if_cancelled(observer);
    observer.progress("reading", position, 1.0);
  };
}

} // namespace

EvaluateOutcome evaluate(const Model& model, const EvaluateRequest& request, Observer& observer) {
  check_options(request);
  require_label_source(request);
  check_calibration(request);
  const auto blocks = [&](const std::string& path, const TableOptions& options, const std::string& stratum) {
    return std::make_unique<TableBlocks>(path, model.schema, options, model.class_names(),
                                         ColumnsBeside{.stratum = stratum}, observer);
  };
  PromiseTally promises(model.classifier);
  ModelSource test({&model}, blocks(request.path, request, request.stratum), request.threads, {}, &promises);
  JudgeTask task = task_of(request);
  if (request.calibrate)
    task.calibration = std::make_unique<ModelSource>(
        std::vector{&model},
        blocks(request.calibration_data, with_labels(request, request.calibration_labels), ""),
        request.threads);
  std::unique_ptr<TableBlocks> train;
  if (request.keeps_rows && !request.train.empty()) {
    require_both_or_none(request.labels, "train_labels", request.train_labels);
    train = blocks(request.train, with_labels(request, request.train_labels), "");
  }
  if (request.keeps_rows) task.sampled = &model;
  EvaluateOutcome outcome = std::move(judge(test, task, observer).front());
  if (!request.calibrate) outcome.promises = promises.found();
  if (train) outcome.train_rows = sample_training(model, *train, request.threads, observer);
  return outcome;
}

EvaluateOutcome evaluate_probabilities(const EvaluateRequest& request, Observer& observer) {
  check_options(request);
  check_calibration(request);
  ProbabilitySource test(
      ProbabilityReader(request.path, request, request.stratum, request.classes, reading_watch(observer)));
  JudgeTask task = task_of(request);
  // The same classes in the same order, whatever the order of the columns.
  if (request.calibrate)
    task.calibration = std::make_unique<ProbabilitySource>(
        ProbabilityReader(request.calibration_data, with_labels(request, request.calibration_labels), "",
                          test.class_names(), reading_watch(observer)));
  return std::move(judge(test, task, observer).front());
}

EvaluateOutcome evaluate(const LabeledRows& rows, const Predictions& predictions, const CurveOptions& curve) {
  check_options(curve);
  PredictionSource source(rows, predictions);
  JudgeTask task;
  task.curve = curve;
  return std::move(judge(source, task, silent_observer()).front());
}

} // namespace lacuna
