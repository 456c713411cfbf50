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

/// A member of a stack.
struct MemberRecord {
  std::string name;
  double weight = 0.0;
  double log_likelihood = 0.0; ///< mean of held-out labels, once calibrated
};

/// What one simulated gap showed.
struct GapRecord {
  std::string kind;
  Index n_rows = 0;       ///< whose labels were hidden
  double depth = 0.0;     ///< mean depth below the threshold
  double announced = 0.0; ///< mean error probability of the extrapolation
  double made = 0.0;      ///< its error rate
  double worth = 0.0;     ///< the share of its certainty that it was worth
};

/// Announced against made errors on labeled rows that the models did not see.
struct SelfCheck {
  Index n_rows = 0;
  double announced = 0.0;
  double made = 0.0;
  double low = 0.0; ///< 95 % interval of what was made
  double high = 0.0;
};

/// How a stack came about. Empty members: there is none.
struct StackSummary {
  std::vector<MemberRecord> members;
  double log_likelihood = 0.0;       ///< of held-out labels under the stack
  Region region = Region::densities; ///< what tells the region
  double region_by_densities = 0.0;  ///< with region auto: how well densities tell labeled rows from others
  double region_by_classifier = 0.0; ///< the same for the classifier: mean log likelihood on unseen rows
  std::vector<GapRecord> gaps;
  double deepest = 0.0; ///< beyond this depth nothing is known
  SelfCheck all;        ///< labeled rows
  SelfCheck deep;       ///< the tenth of them with the lowest log ratios
};

/// What happened during a fit: the numbers a user wants to see before trusting the model.
struct FitSummary {
  Index n_labeled = 0;
  Index n_unlabeled = 0;
  Index n_kept_unlabeled = 0; ///< those of them that were in memory, where the table was larger; 0: all were
  std::vector<Index> class_counts; ///< labeled rows per class
  double kappa = 0.0;              ///< the threshold used
  double kappa_asked = 0.0;        ///< what `auto` would have chosen without its floor; else kappa
  Index n_informative = 0;         ///< unlabeled rows inside the informative region
  double informative_share = 1.0;  ///< n_informative / n_unlabeled (1 without unlabeled rows)
  double informative_weight = 1.0; ///< w
  double shrinkage = 0.0;          ///< how much the class densities have in common
  double draw_spread = 0.0;        ///< mean over rows of the standard deviation of q_e between draws
  Index n_em_iterations = 0;       ///< mcar-em only
  std::vector<double> em_history;  ///< mcar-em only: what it maximises, per row, in each of them
  StopReason stop_reason = StopReason::converged; ///< max_iterations when a density or EM stopped there
  std::vector<DensityRecord> densities;
  StackSummary stack;
};

struct FitResult {
  GenerativeClassifier classifier;
  FitSummary summary;
  std::vector<std::string> notes = {}; ///< what was decided on the user's behalf
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
