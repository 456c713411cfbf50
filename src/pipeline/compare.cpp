#include "lacuna/pipeline/compare.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/version.hpp"
#include "pipeline/fit_steps.hpp"
#include "pipeline/record.hpp"
#include "pipeline/scored_source.hpp"
#include "pipeline/tables.hpp"
#include "report/evaluate_page.hpp"
#include "report/page.hpp"
#include "report/page_subject.hpp"
#include "report/words.hpp"

namespace lacuna {

namespace {

constexpr std::array methods{Method::supervised, Method::mcar_sampling, Method::mcar_em, Method::mar};

/// Four fits of one table warn of the same things; once is enough.
class WarnOnce : public Observer {
public:
  explicit WarnOnce(Observer& observer) : observer_(observer) {}
  void progress(std::string_view stage, double done, double total) override {
    observer_.progress(stage, done, total);
  }
  void warning(std::string_view text) override {
    if (said_.insert(std::string(text)).second) observer_.warning(text);
  }
  bool cancelled() const override { return observer_.cancelled(); }

private:
  Observer& observer_;
  std::set<std::string> said_;
};

class Comparison {
public:
  Comparison(const CompareRequest& request, Observer& observer) : request_(request), observer_(observer) {}

  CompareOutcome run() {
    fit_all();
    judge_all();
    outcome_.report = page();
    return std::move(outcome_);
  }

private:
  int threads() const { return request_.fit.learning.threads; }
  /// The method whose region the page shows; all have the same.
  const Model& region_model() const { return outcome_.methods.back().model; }

  void fit_all() {
    TrainingTable table = read_training(request_.fit, observer_);
    outcome_.notes = table.notes;
    open_test(table.schema, table.data.class_names);
    const Matrix& columns = table.data.features;
    const FeatureChain features = map_features(request_.fit, table, observer_,
                                               [&](const Matrix& mapped) { keep(table, columns, mapped); });
    std::vector<FitResult> fits = fit_classifiers(table.data, request_.fit.learning, methods, observer_);
    for (std::size_t m = 0; m < fits.size(); ++m) {
      FitRequest request = request_.fit;
      request.learning.method = methods[m];
      Model model{table.schema, features, std::move(fits[m].classifier),
                  make_record(request, table, fits[m].summary)};
      outcome_.methods.push_back({to_string(methods[m]), std::move(model), {}});
    }
    summary_ = std::move(fits.back().summary);
    score_unlabeled(table.data);
  }

  void keep(const TrainingTable& table, const Matrix& columns, const Matrix& features) {
    train_ = std::make_unique<PageRows>(PageRows::Kind::train, columns.n_cols(), features.n_cols());
    for (Index i = 0; i < features.n_rows(); ++i)
      train_->add(columns.row(i), features.row(i),
                  table.data.is_labeled(i) ? label_at(table, i) : missing_label,
                  std::numeric_limits<double>::quiet_NaN());
  }

  static int label_at(const TrainingTable& table, Index row) {
    return table.data.labels[static_cast<std::size_t>(row)];
  }

  /// Block by block, because the probabilities of all classes for all rows could be too many.
  void score_unlabeled(const Dataset& data) {
    for (Index first = 0; first < data.n_rows(); first += rows_per_block) {
      stop_if_cancelled(observer_);
      const Index n = std::min(rows_per_block, data.n_rows() - first);
      const Scores scores =
          region_model().classifier.score(data.features.view().middle_rows(first, n), threads());
      for (Index i = 0; i < n; ++i)
        if (!data.is_labeled(first + i))
          train_->log_ratio()[static_cast<std::size_t>(first + i)] =
              scores.log_ratio[static_cast<std::size_t>(i)];
    }
  }

  /// Before the fits, which may take long: the table may not be there, or lack a column.
  void open_test(const TableSchema& schema, const std::vector<std::string>& class_names) {
    place_ = {request_.test_path, request_.fit.label_column, request_.stratum_column, request_.fit.table};
    place_.table.label = place_.label_column;
    place_.table.labels = request_.test_labels_path;
    reader_ =
        std::make_unique<TableReader>(place_.path, schema, place_.table, class_names, place_.stratum_column);
  }

  /// All methods in one walk through the test table.
  void judge_all() {
    const Model& model = region_model();
    std::vector<Evaluator> evaluators(outcome_.methods.size(), Evaluator(model.classifier.n_classes()));
    test_ = std::make_unique<PageRows>(PageRows::Kind::test, model.schema.n_features(),
                                       model.classifier.n_features());
    Index n_unlabeled = 0;
    for_each_block(*reader_, observer_, [&](const TableBlock& block) {
      n_unlabeled += std::count(block.labels.begin(), block.labels.end(), missing_label);
      judge(block, block.labels, evaluators);
    });
    if (test_->n_rows() == 0)
      throw Error(
          ErrorKind::data,
          fmt::format("'{}': none of its {} rows has a label, so there is nothing to compare with; see "
                      "--label",
                      request_.test_path, n_unlabeled));
    for (std::size_t m = 0; m < evaluators.size(); ++m) {
      EvaluateOutcome& outcome = outcome_.methods[m].outcome;
      outcome.class_names = model.classifier.parts().class_names;
      outcome.evaluation = evaluators[m].evaluation();
      outcome.diagnostics = evaluators[m].diagnostics({});
      outcome.rows = std::move(evaluators[m]).rows();
      outcome.n_unlabeled = n_unlabeled;
    }
  }

  void judge(const TableBlock& block, const std::vector<int>& labels, std::vector<Evaluator>& evaluators) {
    const Model& model = region_model();
    model.check_missing_values(block.features.view(), block.first_row);
    const Matrix mapped = model.features.empty()
                              ? Matrix()
                              : model.features.apply(block.features.view(), block.first_row, threads());
    const Matrix& features = model.features.empty() ? block.features : mapped;
    for (std::size_t m = 0; m < evaluators.size(); ++m) {
      Scores scores = outcome_.methods[m].model.classifier.score(features.view(), threads());
      for (Index row = 0; row < features.n_rows(); ++row) {
        const auto i = static_cast<std::size_t>(row);
        if (labels[i] == missing_label) continue;
        ScoredRow scored;
        scored.label = labels[i];
        scored.prediction = scores.prediction[i];
        scored.error_probability = scores.error_probability[i];
        scored.probabilities =
            std::span(scores.posterior.row(row), static_cast<std::size_t>(scores.posterior.n_cols()));
        scored.stratum = block.strata.empty() ? nullptr : &block.strata[i];
        add_row(evaluators[m], scored, place_);
        if (m + 1 == evaluators.size())
          test_->add(block.features.row(row), features.row(row), labels[i], scores.log_ratio[i]);
      }
    }
  }

  std::string page() const {
    const Model& model = region_model();
    PageInput input;
    input.name = "report";
    input.class_names = model.classifier.parts().class_names;
    input.column_names = model.schema.feature_names();
    input.feature_names = model.features.output_names(input.column_names);
    input.categories = coded_categories(model.schema);
    input.test = test_.get();
    input.train = train_.get();
    input.fit = summary_;
    input.threads = threads();
    for (const ComparedMethod& method : outcome_.methods)
      input.methods.push_back({method.name, "", method.outcome.evaluation, method.outcome.diagnostics,
                               &method.outcome.rows, plane_score(method.model, threads())});
    ReportPage result;
    result.title = "Four methods on " + file_name(request_.test_path);
    result.subtitle =
        fmt::format("Fitted to {} with the same densities and the same seed, judged on {} rows.",
                    file_name(request_.fit.path), count_words(test_->n_rows()));
    for (auto& option : record_options(model.record))
      if (option.first != "method") result.options.push_back(std::move(option));
    result.versions = page_versions();
    result.subjects.push_back(make_subject(input));
    return report_html(result);
  }

  const CompareRequest& request_;
  WarnOnce observer_;
  CompareOutcome outcome_;
  FitSummary summary_; ///< of the last method
  SourcePlace place_;  ///< of the test table
  std::unique_ptr<TableReader> reader_;
  std::unique_ptr<PageRows> train_;
  std::unique_ptr<PageRows> test_;
};

} // namespace

CompareOutcome compare_methods(const CompareRequest& request, Observer& observer) {
  if (request.fit.table.labels.empty() != request.test_labels_path.empty())
    throw Error(ErrorKind::usage,
                "--test-labels goes with --labels: either both tables have their labels in files "
                "of their own, or both in the same column");
  return Comparison(request, observer).run();
}

std::string comparison_json(const CompareOutcome& outcome) {
  using Json = nlohmann::ordered_json;
  Json list = Json::array();
  for (const ComparedMethod& method : outcome.methods) {
    Json entry{{"method", method.name}};
    entry.update(Json::parse(evaluation_json(method.outcome, method.model)));
    list.push_back(std::move(entry));
  }
  const Json document{{"version", version()}, {"methods", list}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace lacuna
