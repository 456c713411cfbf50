#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "conditional/stack.hpp"
#include "learning/density_fitter.hpp"

namespace lacuna {

/// A fitted classifier of labeled against unlabeled rows.
struct LabelingModel {
  std::shared_ptr<const Conditional> classifier; ///< class 1: labeled
  double log_odds = 0.0;                         ///< of the rows it was fitted to
};

/// Tells labeled rows from unlabeled ones by a stack of classifiers, of which log q(x|l=1) / q(x|l=0) follows
/// without a density (docs/math/ratios.md). What it learns from held-out rows is kept when labels are hidden.
class LabelingFit {
public:
  /// `fitter` is borrowed. The members are cross-fitted on the labeled rows and a sample of the others.
  LabelingFit(const DensityFitter& fitter, const ConditionalMembers& members, Index n_folds,
              std::uint64_t seed);

  /// The classifier of all rows of the sample.
  LabelingModel fit() const;
  /// The same with the labels of `data`, which are some of the fitter's: the others count as unlabeled. Fewer
  /// unlabeled rows take part, since this is done many times.
  LabelingModel fit_hidden(std::span<const int> labels, std::uint64_t seed) const;

  /// Log ratios of labeled rows, in the order of the table, by classifiers that did not see them.
  const std::vector<double>& labeled_ratios() const { return labeled_ratios_; }
  /// The same of the sampled unlabeled rows.
  const std::vector<double>& sampled_ratios() const { return sampled_ratios_; }
  const RowList& sample() const { return sample_; }
  /// Mean log likelihood of what the held-out rows are, labeled or not.
  double log_likelihood() const { return recipe_.log_likelihood; }
  /// log of the weight of labeled rows over that of unlabeled ones.
  double log_odds() const { return log_odds_; }

private:
  /// Class 1 for `labels` that are there, 0 for the first `n_sampled` rows of the sample and hidden labels.
  struct Task {
    std::vector<int> labels;
    std::vector<double> weights;
    double log_odds = 0.0;
  };
  Task task_of(std::span<const int> labels, std::size_t n_sampled) const;
  LabelingModel fit_task(const Task& task, std::uint64_t seed) const;
  DatasetView view_of(const Task& task) const;

  const DensityFitter& fitter_;
  std::uint64_t seed_;
  RowList sample_;
  StackRecipe recipe_;
  double log_odds_ = 0.0;
  std::vector<double> labeled_ratios_;
  std::vector<double> sampled_ratios_;
};

} // namespace lacuna
