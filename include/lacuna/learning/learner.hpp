#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/data/dataset.hpp"
#include "lacuna/density/density.hpp"
#include "lacuna/learning/classifier.hpp"
#include "lacuna/learning/options.hpp"

namespace LACUNA_API lacuna {

/// How one density of the fit went.
struct DensityRecord {
  std::string name; ///< "initial class a", "class a, draw 2", "uninformative", ...
  Index n_rows = 0;
  Index n_components = 0;
  Index n_iterations = 0;
  double objective = 0.0;
  StopReason stop_reason = StopReason::converged;
  std::map<std::string, double> measures; ///< what else the family says: DensityFitSummary::measures
};

/// What happened during a fit: the numbers a user wants to see before trusting the model.
struct FitSummary {
  Index n_labeled = 0;
  Index n_unlabeled = 0;
  std::vector<Index> class_counts; ///< labeled rows per class
  double kappa = 0.0;              ///< the threshold used
  double kappa_asked = 0.0;        ///< what `auto` would have chosen without its floor; else kappa
  Index n_informative = 0;         ///< unlabeled rows inside the informative region
  double informative_share = 1.0;  ///< n_informative / n_unlabeled (1 without unlabeled rows)
  double informative_weight = 1.0; ///< w
  double shrinkage = 0.0;          ///< how much the class densities have in common
  double draw_spread = 0.0;        ///< mean over rows of the standard deviation of q_e between draws
  Index n_em_iterations = 0;       ///< mcar-em only
  StopReason stop_reason = StopReason::converged; ///< max_iterations when a density or EM stopped there
  std::vector<DensityRecord> densities;
};

struct FitResult {
  GenerativeClassifier classifier;
  FitSummary summary;
};

/// Fits a classifier by options.method. Warnings (one class only, not converged, ...) go to the observer.
/// Throws Error(data) when no row is labeled or the label set has fewer than two classes.
FitResult fit_classifier(const DatasetView& data, const LearningOptions& options,
                         Observer& observer = silent_observer());

/// The same with the caller's own density family instead of options.density.
FitResult fit_classifier(const DatasetView& data, const LearningOptions& options, const DensityFamily& family,
                         Observer& observer = silent_observer());

/// Fits several methods to the same data, each with the result that it has alone; options.method does not
/// count. What they share, the initial models above all, is fitted once.
std::vector<FitResult> fit_classifiers(const DatasetView& data, const LearningOptions& options,
                                       std::span<const Method> methods,
                                       Observer& observer = silent_observer());
std::vector<FitResult> fit_classifiers(const DatasetView& data, const LearningOptions& options,
                                       std::span<const Method> methods, const DensityFamily& family,
                                       Observer& observer = silent_observer());

} // namespace lacuna
