#include "learning/labeling.hpp"

#include <algorithm>
#include <cmath>

#include "core/index.hpp"
#include "learning/unlabeled_sample.hpp"

namespace lacuna {

namespace {

constexpr std::size_t most_rows_beside_hidden = 4000;

double log_odds_of(const double* probabilities) {
  return std::log(probabilities[1]) - std::log(probabilities[0]);
}

} // namespace

LabelingFit::LabelingFit(const DensityFitter& fitter, const ConditionalMembers& members, Index n_folds,
                         std::uint64_t seed)
    : fitter_(fitter), seed_(labeling_seed(seed)),
      sample_(sample_unlabeled(fitter, most_sampled_rows, seed_)) {
  const Task task = task_of(fitter.data().labels, sample_.rows.size());
  recipe_ = learn_stack(view_of(task), members, n_folds, {seed_, fitter.threads(), &fitter.observer()});
  log_odds_ = task.log_odds;
  for (std::size_t i = 0; i < recipe_.rows.size(); ++i) {
    const double ratio = log_odds_of(recipe_.out_of_fold.row(static_cast<Index>(i))) - log_odds_;
    (task.labels[at(recipe_.rows[i])] == 1 ? labeled_ratios_ : sampled_ratios_).push_back(ratio);
  }
}

LabelingModel LabelingFit::fit() const {
  return fit_task(task_of(fitter_.data().labels, sample_.rows.size()), seed_);
}

LabelingModel LabelingFit::fit_hidden(std::span<const int> labels, std::uint64_t seed) const {
  return fit_task(task_of(labels, std::min(sample_.rows.size(), most_rows_beside_hidden)), seed);
}

LabelingFit::Task LabelingFit::task_of(std::span<const int> labels, std::size_t n_sampled) const {
  const DatasetView& data = fitter_.data();
  Task task;
  task.labels.assign(at(data.n_rows()), missing_label);
  task.weights.assign(at(data.n_rows()), 0.0);
  const double scale =
      static_cast<double>(sample_.rows.size()) / static_cast<double>(std::max<std::size_t>(1, n_sampled));
  for (std::size_t s = 0; s < n_sampled; ++s) {
    // Spread over the sample, which is in the order of the table.
    const std::size_t i = s * sample_.rows.size() / n_sampled;
    task.labels[at(sample_.rows[i])] = 0;
    task.weights[at(sample_.rows[i])] = sample_.weights[i] * scale;
  }
  double labeled = 0.0;
  double unlabeled = 0.0;
  for (Index i = 0; i < data.n_rows(); ++i) {
    if (fitter_.is_labeled(i)) {
      task.labels[at(i)] = labels[at(i)] == missing_label ? 0 : 1;
      task.weights[at(i)] = data.weight(i);
    }
    (task.labels[at(i)] == 1 ? labeled : unlabeled) += task.weights[at(i)];
  }
  task.log_odds = std::log(labeled) - std::log(unlabeled);
  return task;
}

DatasetView LabelingFit::view_of(const Task& task) const {
  DatasetView view = fitter_.data();
  view.class_names = {"unlabeled", "labeled"};
  view.labels = task.labels;
  view.weights = task.weights;
  return view;
}

LabelingModel LabelingFit::fit_task(const Task& task, std::uint64_t seed) const {
  LabelingModel model;
  model.classifier = fit_stack(view_of(task), recipe_, {seed, fitter_.threads(), &fitter_.observer()});
  model.log_odds = task.log_odds;
  return model;
}

} // namespace lacuna
