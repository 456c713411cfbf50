#include "lacuna/pipeline/memory.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"
#include "pipeline/tables.hpp"
#include "report/evaluate_page.hpp"
#include "report/page.hpp"
#include "report/page_subject.hpp"
#include "report/words.hpp"

namespace lacuna {

namespace {

// As for tables of probabilities: sums that are farther from one are a mistake, not rounding.
constexpr double sum_tolerance = 1e-6;

void check_size(std::size_t found, std::size_t expected, const char* what) {
  if (found != expected)
    throw Error(ErrorKind::data,
                fmt::format("found {} {}, expected {}, one per label", found, what, expected));
}

void check_sizes(const LabeledRows& rows, const Predictions& predictions) {
  const std::size_t n_rows = rows.labels.size();
  check_size(static_cast<std::size_t>(predictions.probabilities.n_rows), n_rows, "rows of probabilities");
  if (static_cast<std::size_t>(predictions.probabilities.n_cols) != rows.class_names.size())
    throw Error(ErrorKind::data, fmt::format("found probabilities of {} classes, expected {}",
                                             predictions.probabilities.n_cols, rows.class_names.size()));
  if (!predictions.prediction.empty()) check_size(predictions.prediction.size(), n_rows, "predictions");
  if (!predictions.error_probability.empty())
    check_size(predictions.error_probability.size(), n_rows, "error probabilities");
  if (!rows.strata.empty()) check_size(rows.strata.size(), n_rows, "strata");
}

void check_probabilities(Index row, std::span<const double> probabilities, const LabeledRows& rows) {
  double sum = 0.0;
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    const double p = probabilities[k];
    if (!(p >= 0.0 && p <= 1.0))
      throw Error(ErrorKind::data,
                  fmt::format("probabilities[{}]: that of class '{}' is {}, expected a number "
                              "from 0 to 1",
                              row, rows.class_names[k], p));
    sum += p;
  }
  if (!(std::abs(sum - 1.0) <= sum_tolerance))
    throw Error(
        ErrorKind::data,
        fmt::format("probabilities[{}]: those of the {} classes add up to {:.10g}, expected 1 within {:g}",
                    row, probabilities.size(), sum, sum_tolerance));
}

void check_features(MatrixView features, std::span<const int> labels, const Model& model, const char* whose) {
  if (features.n_rows != static_cast<Index>(labels.size()) || features.n_cols != model.schema.n_features())
    throw Error(ErrorKind::data,
                fmt::format("found {} rows of {} features {}, expected {} of {}, one per label",
                            features.n_rows, features.n_cols, whose, labels.size(),
                            model.schema.n_features()));
}

/// Rows as the page wants them, test rows without those that lack a label: these are not evaluated either.
/// The log ratio says where labels inform the model; labeled training rows have none, for they made it.
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

/// Whether a point of the page's plane means the same to both models: it is a row of two columns, or of
/// features, which are the same when they are for the rows that judge.
bool share_plane(const Model& one, const Model& other, MatrixView rows) {
  if (&one == &other) return true;
  if (one.schema.feature_names() != other.schema.feature_names()) return false;
  if (one.schema.n_features() == 2) return true;
  if (one.features.empty() || other.features.empty()) return one.features.empty() && other.features.empty();
  const MatrixView some = rows.middle_rows(0, std::min<Index>(rows.n_rows, 16));
  const Matrix a = one.features.apply(some, 0, 1);
  const Matrix b = other.features.apply(some, 0, 1);
  return a.n_cols() == b.n_cols() && std::ranges::equal(a.values(), b.values());
}

void describe(PageInput& input, const Model& model) {
  input.column_names = model.schema.feature_names();
  input.feature_names = model.features.output_names(input.column_names);
  input.categories = coded_categories(model.schema);
  input.fit = record_summary(model.record);
  input.fit->kappa = model.classifier.parts().kappa;
}

} // namespace

EvaluateOutcome evaluate_rows(const LabeledRows& rows, const Predictions& predictions,
                              const CurveOptions& curve) {
  check_sizes(rows, predictions);
  EvaluateOutcome outcome;
  outcome.class_names = rows.class_names;
  const MatrixView probabilities = predictions.probabilities;
  Evaluator evaluator(probabilities.n_cols);
  for (Index row = 0; row < probabilities.n_rows; ++row) {
    const auto i = static_cast<std::size_t>(row);
    const std::span<const double> of_row(probabilities.row(row),
                                         static_cast<std::size_t>(probabilities.n_cols));
    check_probabilities(row, of_row, rows);
    if (rows.labels[i] == missing_label) {
      ++outcome.n_unlabeled;
      continue;
    }
    const std::string* stratum =
        rows.strata.empty() ? nullptr : &rows.stratum_names.at(static_cast<std::size_t>(rows.strata[i]));
    const int prediction = predictions.prediction.empty()
                               ? static_cast<int>(std::ranges::max_element(of_row) - of_row.begin())
                               : predictions.prediction[i];
    if (prediction < 0 || prediction >= static_cast<int>(of_row.size()))
      throw Error(ErrorKind::data,
                  fmt::format("prediction[{}] is {}, expected the number of a class, 0 to {}", row,
                              prediction, of_row.size() - 1));
    // One minus, not the sum of the others: rows that tie must not part by rounding.
    evaluator.add(rows.labels[i], prediction,
                  predictions.error_probability.empty() ? 1.0 - of_row[static_cast<std::size_t>(prediction)]
                                                        : predictions.error_probability[i],
                  of_row, stratum);
  }
  if (evaluator.rows().n_rows() == 0)
    throw Error(ErrorKind::data,
                fmt::format("none of the {} rows has a label, so there is nothing to compare with",
                            outcome.n_unlabeled));
  outcome.evaluation = evaluator.evaluation();
  outcome.diagnostics = evaluator.diagnostics(curve);
  outcome.rows = std::move(evaluator).rows();
  return outcome;
}

std::string rows_page(const RowsPageRequest& request, Observer& observer) {
  if (request.classifiers.empty()) throw Error(ErrorKind::data, "a page needs a classifier to tell about");
  std::vector<EvaluateOutcome> outcomes;
  for (const PagedClassifier& classifier : request.classifiers)
    outcomes.push_back(evaluate_rows(request.rows, classifier.predictions, {}));

  PageInput input;
  input.name = "report";
  input.class_names = request.rows.class_names;
  input.threads = request.threads;
  ReportPage page;
  std::unique_ptr<PageRows> test;
  std::unique_ptr<PageRows> train;
  const Model* const model = region_model(request.classifiers);
  if (model != nullptr) {
    check_features(request.features, request.rows.labels, *model, "to judge with");
    if (request.training)
      check_features(request.training->features, request.training->labels, *model, "to learn from");
    describe(input, *model);
    test = std::make_unique<PageRows>(page_rows(PageRows::Kind::test, request.features, request.rows.labels,
                                                *model, request.threads, observer));
    if (request.training)
      train =
          std::make_unique<PageRows>(page_rows(PageRows::Kind::train, request.training->features,
                                               request.training->labels, *model, request.threads, observer));
    input.test = test.get();
    input.train = train.get();
    for (auto& option : record_options(model->record))
      if (request.classifiers.size() == 1 || option.first != "method")
        page.options.push_back(std::move(option));
  }
  for (std::size_t m = 0; m < outcomes.size(); ++m) {
    const PagedClassifier& classifier = request.classifiers[m];
    PageMethod method{classifier.name, "", outcomes[m].evaluation, outcomes[m].diagnostics,
                      &outcomes[m].rows};
    if (classifier.model != nullptr && share_plane(*classifier.model, *model, request.features))
      method.score = plane_score(*classifier.model, request.threads);
    input.methods.push_back(std::move(method));
  }
  page.title = request.title;
  page.subtitle = fmt::format("{} test rows with known labels.", count_words(outcomes.front().rows.n_rows()));
  page.versions = page_versions();
  page.subjects.push_back(make_subject(input));
  return report_html(page);
}

} // namespace lacuna
