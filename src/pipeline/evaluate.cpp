#include <filesystem>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"
#include "lacuna/pipeline/workflows.hpp"
#include "pipeline/scored_source.hpp"
#include "pipeline/tables.hpp"
#include "report/evaluate_page.hpp"

namespace lacuna {

namespace {

SourcePlace test_place(const EvaluateRequest& request) {
  return {request.path, request.label_column, request.stratum_column, request.table};
}

SourcePlace calibration_place(const EvaluateRequest& request) {
  SourcePlace place{request.calibration->path, request.label_column, "", request.table};
  place.table.labels = request.calibration->labels_path;
  return place;
}

void check_calibration(const EvaluateRequest& request) {
  if (!request.calibration) return;
  const CalibrationRequest& calibration = *request.calibration;
  if (calibration.path.empty())
    throw Error(ErrorKind::usage, "--calibrate needs --calibration-data: a table like the test table, with "
                                  "labels, that the model was not fitted to");
  std::error_code ignored;
  if (calibration.path == request.path ||
      std::filesystem::equivalent(calibration.path, request.path, ignored))
    throw Error(ErrorKind::usage, "--calibration-data: '" + calibration.path +
                                      "' is the test table itself; calibrated on the rows that judge it, "
                                      "anything looks honest; give other labeled rows");
  if (request.table.labels.empty() != calibration.labels_path.empty())
    throw Error(ErrorKind::usage,
                "--calibration-labels goes with --labels: either both tables have their labels in files of "
                "their own, or both in the same column");
}

std::unique_ptr<Calibrator> fit_calibrator(ScoredSource& source, const EvaluateRequest& request,
                                           CalibrationOutcome& outcome, Observer& observer) {
  CalibrationSet rows(request.calibration->method, static_cast<Index>(source.class_names().size()));
  source.for_each(
      [&](const ScoredRow& row) {
        rows.add(row.label, row.prediction, row.error_probability, row.probabilities);
      },
      observer);
  if (rows.n_rows() == 0)
    throw Error(ErrorKind::data,
                "'" + request.calibration->path + "': none of its rows has a label to calibrate on");
  std::unique_ptr<Calibrator> calibrator = rows.fit();
  outcome.method = request.calibration->method;
  outcome.n_rows = rows.n_rows();
  outcome.parameters = calibrator->parameters();
  return calibrator;
}

/// `page_rows` gathers the rows of a model for its page; null when there is nothing to gather.
EvaluateOutcome evaluate(ScoredSource& test, ScoredSource* calibration, const EvaluateRequest& request,
                         PageRows* page_rows, Observer& observer) {
  EvaluateOutcome outcome;
  outcome.class_names = test.class_names();
  const auto n_classes = static_cast<Index>(outcome.class_names.size());
  std::unique_ptr<Calibrator> calibrator;
  if (calibration != nullptr)
    calibrator = fit_calibrator(*calibration, request, outcome.calibration.emplace(), observer);

  const SourcePlace place = test_place(request);
  Evaluator before(n_classes);
  Evaluator evaluator(n_classes);
  outcome.n_unlabeled = test.for_each(
      [&](ScoredRow& row) {
        if (calibrator) {
          add_row(before, row, place);
          calibrator->apply(row.prediction, row.error_probability, row.probabilities);
        }
        add_row(evaluator, row, place);
        if (page_rows != nullptr) page_rows->add(row.columns, row.features, row.label, row.log_ratio);
      },
      observer);
  if (evaluator.rows().n_rows() == 0)
    throw Error(ErrorKind::data, "'" + request.path + "': none of its " +
                                     std::to_string(outcome.n_unlabeled) +
                                     " rows has a label, so there is nothing to compare with; see --label");
  outcome.evaluation = evaluator.evaluation();
  outcome.diagnostics = evaluator.diagnostics(request.curve);
  if (outcome.calibration) outcome.calibration->before = before.evaluation();
  outcome.rows = std::move(evaluator).rows();
  return outcome;
}

} // namespace

EvaluateOutcome evaluate_table(const Model& model, const EvaluateRequest& request, Observer& observer) {
  TableOptions table = request.table;
  table.label = request.label_column;
  require_label_source(table);
  check_calibration(request);
  const auto test = open_model_source(model, test_place(request), request.threads);
  const auto calibration =
      request.calibration ? open_model_source(model, calibration_place(request), request.threads) : nullptr;
  if (!request.wants_report) return evaluate(*test, calibration.get(), request, nullptr, observer);
  PageRows rows(PageRows::Kind::test, model.schema.n_features(), model.classifier.n_features());
  EvaluateOutcome outcome = evaluate(*test, calibration.get(), request, &rows, observer);
  outcome.report = evaluation_page(model, request, outcome, rows, observer);
  return outcome;
}

EvaluateOutcome evaluate_probabilities(const EvaluateRequest& request, Observer& observer) {
  check_calibration(request);
  const auto test = open_probability_source(test_place(request), request.classes);
  // The same classes in the same order, whatever the order of the columns.
  const auto calibration = request.calibration
                               ? open_probability_source(calibration_place(request), test->class_names())
                               : nullptr;
  EvaluateOutcome outcome = evaluate(*test, calibration.get(), request, nullptr, observer);
  if (request.wants_report) outcome.report = evaluation_page(request, outcome);
  return outcome;
}

} // namespace lacuna
