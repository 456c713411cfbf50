#include "report/evaluate_page.hpp"

#include <filesystem>
#include <limits>
#include <map>
#include <memory>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"
#include "pipeline/tables.hpp"
#include "report/page.hpp"
#include "report/page_subject.hpp"
#include "report/words.hpp"

namespace lacuna {

namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// The rows the model was fitted to, with the log ratio of those without a label.
PageRows training_rows(const Model& model, const EvaluateRequest& request, Observer& observer) {
  if (request.train_labels_path.empty() != request.table.labels.empty())
    throw Error(ErrorKind::usage,
                "--train-labels goes with --labels: either both tables have their labels in "
                "files of their own, or both in the same column");
  TableOptions options = request.table;
  options.label = request.label_column;
  options.labels = request.train_labels_path;
  TableReader reader(request.train_path, model.schema, options, model.classifier.parts().class_names);
  PageRows rows(PageRows::Kind::train, model.schema.n_features(), model.classifier.n_features());
  for_each_block(reader, observer, [&](const TableBlock& block) {
    const Matrix features = model.features.empty() ? block.features
                                                   : model.features.apply(block.features.view(),
                                                                          block.first_row, request.threads);
    const Scores scores = model.classifier.score(features.view(), request.threads);
    for (Index i = 0; i < features.n_rows(); ++i) {
      const auto at = static_cast<std::size_t>(i);
      rows.add(block.features.row(i), features.row(i), block.labels[at],
               block.labels[at] != missing_label ? nan : scores.log_ratio[at]);
    }
  });
  return rows;
}

std::vector<ReportWords> calibration_words(const EvaluateOutcome& outcome) {
  if (!outcome.calibration) return {};
  const CalibrationOutcome& calibration = *outcome.calibration;
  std::string text = fmt::format("On {} other rows. Overconfidence went from {:.4f} to {:.4f}",
                                 count_words(calibration.n_rows), calibration.before.overall.overconfidence,
                                 outcome.evaluation.overall.overconfidence);
  for (const auto& [name, metrics] : calibration.before.strata)
    text += fmt::format(", in '{}' from {:.4f} to {:.4f}", name, metrics.overconfidence,
                        outcome.evaluation.strata.at(name).overconfidence);
  return {{"Calibrated after the fact by " + to_string(calibration.method), text + "."}};
}

PageMethod method_of(const std::string& name, const EvaluateOutcome& outcome) {
  return {name, "", outcome.evaluation, outcome.diagnostics, &outcome.rows, nullptr};
}

std::string option_value(const std::vector<std::pair<std::string, std::string>>& options, const char* name) {
  for (const auto& [found, value] : options)
    if (found == name) return value;
  return "the model";
}

std::string finished(ReportPage& page, ReportSubject subject, const EvaluateOutcome& outcome) {
  for (ReportWords& words : calibration_words(outcome)) subject.words.push_back(std::move(words));
  page.subjects.push_back(std::move(subject));
  page.versions = page_versions();
  return report_html(page);
}

} // namespace

std::string file_name(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::function<Scores(MatrixView)> plane_score(const Model& model, int threads) {
  if (!model.schema.levels().empty()) return nullptr; // nothing lies between categories
  if (model.schema.n_features() == 2)
    return [&model, threads](MatrixView rows) { return model.score(rows, 0, threads); };
  return [&model, threads](MatrixView rows) { return model.classifier.score(rows, threads); };
}

std::string evaluation_page(const Model& model, const EvaluateRequest& request,
                            const EvaluateOutcome& outcome, const PageRows& rows, Observer& observer) {
  PageInput input;
  input.name = "report";
  input.class_names = outcome.class_names;
  input.column_names = model.schema.feature_names();
  input.feature_names = model.features.output_names(input.column_names);
  input.categories = coded_categories(model.schema);
  input.test = &rows;
  std::unique_ptr<PageRows> train;
  if (!request.train_path.empty())
    train = std::make_unique<PageRows>(training_rows(model, request, observer));
  input.train = train.get();
  input.fit = record_summary(model.record);
  input.fit->kappa = model.classifier.parts().kappa;
  input.threads = request.threads;

  ReportPage page;
  page.options = record_options(model.record);
  PageMethod method = method_of(option_value(page.options, "method"), outcome);
  if (!outcome.calibration) method.score = plane_score(model, request.threads);
  input.methods.push_back(std::move(method));
  page.title = file_name(request.path);
  page.subtitle = fmt::format("{} test rows, judged by a model fitted with method {}.",
                              count_words(outcome.rows.n_rows()), input.methods.front().name);
  return finished(page, make_subject(input), outcome);
}

std::string evaluation_page(const EvaluateRequest& request, const EvaluateOutcome& outcome) {
  PageInput input;
  input.name = "report";
  input.class_names = outcome.class_names;
  input.methods.push_back(method_of("the predictions", outcome));
  ReportPage page;
  page.title = file_name(request.path);
  page.subtitle = fmt::format("{} predictions with known labels.", count_words(outcome.rows.n_rows()));
  return finished(page, make_subject(input), outcome);
}

} // namespace lacuna
