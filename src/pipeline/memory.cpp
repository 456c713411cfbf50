#include "lacuna/pipeline/memory.hpp"

#include <algorithm>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"
#include "lacuna/report/page.hpp"
#include "lacuna/report/words.hpp"
#include "pipeline/evaluate_page.hpp"
#include "pipeline/page_subject.hpp"
#include "pipeline/tables.hpp"

namespace lacuna {

namespace {

void check_sizes(const LabeledRows& rows, MatrixView probabilities) {
  const auto n_rows = static_cast<Index>(rows.labels.size());
  const auto n_classes = static_cast<Index>(rows.class_names.size());
  if (probabilities.n_rows != n_rows || probabilities.n_cols != n_classes)
    throw Error(ErrorKind::data,
                fmt::format("found probabilities of {} rows and {} classes, expected {} rows, one per label, "
                            "and {} classes",
                            probabilities.n_rows, probabilities.n_cols, n_rows, n_classes));
  if (!rows.strata.empty() && rows.strata.size() != rows.labels.size())
    throw Error(ErrorKind::data, fmt::format("found {} strata, expected {}, one per label",
                                             rows.strata.size(), rows.labels.size()));
}

/// Rows as the page wants them, test rows without those that lack a label: these are not evaluated either. The
/// log ratio says where labels inform the model; labeled training rows have none, for they made it.
PageRows page_rows(PageRows::Kind kind, MatrixView rows, std::span<const int> labels, const Model& model,
                   int threads, Observer& observer) {
  const bool is_test = kind == PageRows::Kind::test;
  PageRows result(kind, model.schema.n_features(), model.classifier.n_features());
  for (Index first = 0; first < rows.n_rows; first += rows_per_block) {
    stop_if_cancelled(observer);
    const MatrixView columns = rows.middle_rows(first, std::min(rows_per_block, rows.n_rows - first));
    const Matrix mapped = model.features.empty() ? Matrix() : model.features.apply(columns, first, threads);
    const MatrixView features = model.features.empty() ? columns : mapped.view();
    const Scores scores = model.classifier.score(features, threads);
    for (Index i = 0; i < columns.n_rows; ++i) {
      const int label = labels[static_cast<std::size_t>(first + i)];
      const bool is_labeled = label != missing_label;
      if (is_test && !is_labeled) continue;
      result.add(columns.row(i), features.row(i), label,
                 is_test || !is_labeled ? scores.log_ratio[static_cast<std::size_t>(i)]
                                        : std::numeric_limits<double>::quiet_NaN());
    }
  }
  return result;
}

const Model* region_model(const std::vector<PagedClassifier>& classifiers) {
  const Model* found = nullptr;
  for (const PagedClassifier& classifier : classifiers)
    if (classifier.model != nullptr) found = classifier.model;
  return found;
}

void describe(PageInput& input, const Model& model) {
  input.column_names = model.schema.feature_names();
  input.feature_names = model.features.output_names(input.column_names);
  input.categories = coded_categories(model.schema);
  input.fit = record_summary(model.record);
  input.fit->kappa = model.classifier.parts().kappa;
}

} // namespace

EvaluateOutcome evaluate_rows(const LabeledRows& rows, MatrixView probabilities, const CurveOptions& curve) {
  check_sizes(rows, probabilities);
  EvaluateOutcome outcome;
  outcome.class_names = rows.class_names;
  Evaluator evaluator(probabilities.n_cols);
  for (Index row = 0; row < probabilities.n_rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    if (rows.labels[i] == missing_label) {
      ++outcome.n_unlabeled;
      continue;
    }
    const std::span<const double> of_row(probabilities.row(row), static_cast<std::size_t>(probabilities.n_cols));
    const auto likeliest = std::ranges::max_element(of_row);
    const std::string* stratum =
        rows.strata.empty() ? nullptr : &rows.stratum_names.at(static_cast<std::size_t>(rows.strata[i]));
    double error_probability = 0.0; // 1 - *likeliest would lose the digits of a small one
    for (auto at = of_row.begin(); at != of_row.end(); ++at)
      if (at != likeliest) error_probability += *at;
    evaluator.add(rows.labels[i], static_cast<int>(likeliest - of_row.begin()), std::min(error_probability, 1.0),
                  of_row, stratum);
  }
  if (evaluator.rows().n_rows() == 0)
    throw Error(ErrorKind::data, fmt::format("none of the {} rows has a label, so there is nothing to compare with",
                                             outcome.n_unlabeled));
  outcome.evaluation = evaluator.evaluation();
  outcome.diagnostics = evaluator.diagnostics(curve);
  outcome.rows = std::move(evaluator).rows();
  return outcome;
}

std::string rows_page(const RowsPageRequest& request, Observer& observer) {
  std::vector<EvaluateOutcome> outcomes;
  for (const PagedClassifier& classifier : request.classifiers)
    outcomes.push_back(evaluate_rows(request.rows, classifier.probabilities, {}));

  PageInput input;
  input.name = "report";
  input.class_names = request.rows.class_names;
  input.threads = request.threads;
  ReportPage page;
  std::unique_ptr<PageRows> test;
  std::unique_ptr<PageRows> train;
  if (const Model* model = region_model(request.classifiers)) {
    describe(input, *model);
    test = std::make_unique<PageRows>(page_rows(PageRows::Kind::test, request.features, request.rows.labels,
                                                *model, request.threads, observer));
    if (request.training)
      train = std::make_unique<PageRows>(page_rows(PageRows::Kind::train, request.training->features,
                                                   request.training->labels, *model, request.threads, observer));
    input.test = test.get();
    input.train = train.get();
    for (auto& option : record_options(model->record))
      if (request.classifiers.size() == 1 || option.first != "method") page.options.push_back(std::move(option));
  }
  for (std::size_t m = 0; m < outcomes.size(); ++m) {
    const PagedClassifier& classifier = request.classifiers[m];
    input.methods.push_back({classifier.name, "", outcomes[m].evaluation, outcomes[m].diagnostics,
                             &outcomes[m].rows,
                             classifier.model != nullptr ? plane_score(*classifier.model, request.threads)
                                                         : nullptr});
  }
  page.title = request.title;
  page.subtitle = fmt::format("{} test rows with known labels.", count_words(outcomes.front().rows.n_rows()));
  page.versions = page_versions();
  page.subjects.push_back(make_subject(input));
  return report_html(page);
}

} // namespace lacuna
