#include "lacuna/pipeline/diagnose.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/index.hpp"
#include "core/interruption.hpp"
#include "learning/labeling_test.hpp"
#include "learning/overlap.hpp"
#include "pipeline/diagnosis_words.hpp"
#include "pipeline/label_gaps.hpp"
#include "pipeline/seen_rows.hpp"

namespace lacuna {

namespace {

constexpr std::size_t most_columns = 6;
/// Shuffling a column that tells nothing moves the AUC as well.
constexpr double least_importance = 0.005;
constexpr double least_share_of_strongest = 0.1;

std::vector<Index> telling_columns(const std::vector<double>& importance) {
  if (importance.empty()) return {};
  const double strongest = *std::max_element(importance.begin(), importance.end());
  std::vector<Index> columns;
  for (std::size_t j = 0; j < importance.size(); ++j)
    if (importance[j] >= std::max(least_importance, least_share_of_strongest * strongest))
      columns.push_back(static_cast<Index>(j));
  std::stable_sort(columns.begin(), columns.end(),
                   [&](Index a, Index b) { return importance[at(a)] > importance[at(b)]; });
  if (columns.size() > most_columns) columns.resize(most_columns);
  return columns;
}

void tell_labeling(const FitTask& task, const SeenRows& rows, const FitPlan& plan, Observer& observer,
                   Diagnosis& found) {
  // In the units of the table, where features are columns of it.
  const std::vector<std::string> columns = rows.schema.feature_names();
  const bool are_columns = columns == rows.view.feature_names;
  const DatasetView& data = are_columns ? task.data : rows.view;
  const LabelingTest test = test_labeling(data, plan.request().seed, plan.request().threads, observer);
  found.auc = test.auc;
  found.p_value = test.p_value;
  found.n_permutations = test.n_permutations;
  const std::vector<Index> telling = telling_columns(test.importance);
  const LabelGaps gaps(data, rows.view.feature_names, are_columns ? &rows.schema : nullptr, telling);
  for (std::size_t i = 0; i < telling.size(); ++i)
    found.columns.push_back(
        {rows.view.feature_names[at(telling[i])], test.importance[at(telling[i])], gaps.parts(i)});
  found.gap = gaps.find();
}

/// For as many labels as the weighted ones count for, and for errors of so many rows, which chance scatters
/// as well; anything where labels count for none.
Interval interval_of(const Overlap::Inside& inside, double n_rows) {
  const double n = std::floor(1.0 / (1.0 / inside.effective_labels + 1.0 / n_rows));
  if (std::isnan(inside.error) || !(n >= 1.0)) return {};
  return clopper_pearson(static_cast<Index>(n), std::llround(inside.error * n), interval_level);
}

} // namespace

Diagnosis diagnose(const FitPlan& plan, const FitTask& task, Observer& observer) {
  const Interruptible interruptible(&observer);
  const SeenRows rows = see_rows(plan, task, observer);
  constexpr double n_stages = 2.0;
  observer.progress("overlap", 0.0, n_stages);
  const Overlap overlap = measure_overlap(rows.view, rows.learning, plan.family(), observer);
  Diagnosis found;
  found.classes = task.data.class_names;
  found.class_counts = overlap.class_counts;
  found.n_labeled = overlap.n_labeled;
  found.n_unlabeled = overlap.n_unlabeled;
  found.outside_share = 1.0 - overlap.inside_share;
  found.effective_labels = overlap.by_mean.effective_labels;
  found.error_inside = overlap.by_mean.error;
  const double n_inside = overlap.n_unlabeled > 0
                              ? overlap.inside_share * static_cast<double>(overlap.n_unlabeled)
                              : std::numeric_limits<double>::infinity();
  found.inside = interval_of(overlap.by_mean, n_inside);
  // Nobody knows which estimate of where labels lie is right.
  for (const Overlap::Inside& one : overlap.by_each) {
    const Interval interval = interval_of(one, n_inside);
    found.inside.low = std::min(found.inside.low, interval.low);
    found.inside.high = std::max(found.inside.high, interval.high);
  }
  found.error = {overlap.inside_share * found.inside.low,
                 overlap.inside_share * found.inside.high + found.outside_share};
  observer.progress("labeling", 1.0, n_stages);
  tell_labeling(task, rows, plan, observer, found);
  found.findings = findings_of(found);
  observer.progress("labeling", n_stages, n_stages);
  return found;
}

Diagnosis diagnose(const DatasetView& data, const FitOptions& options, Observer& observer) {
  FitRequest request;
  static_cast<FitOptions&>(request) = options;
  return diagnose(FitPlan(std::move(request)), {{options.method}, data}, observer);
}

Diagnosis diagnose_table(const FitRequest& request, Observer& observer) {
  const FitPlan plan(request);
  const TrainingTable table = plan.read(observer);
  return diagnose(plan, {{request.method}, table.data, table.schema, table.notes}, observer);
}

} // namespace lacuna
