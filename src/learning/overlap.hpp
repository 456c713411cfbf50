#pragma once

#include <array>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/data/dataset.hpp"
#include "lacuna/density/density.hpp"
#include "lacuna/learning/options.hpp"

namespace LACUNA_API lacuna {

/// What labeled rows can say about those without a label (docs/math/diagnosis.md, sections 3 and 4).
struct Overlap {
  Index n_labeled = 0;
  Index n_unlabeled = 0;
  std::vector<Index> class_counts; ///< labeled rows
  double inside_share = 1.0;       ///< of the unlabeled rows inside the informative region
  /// Errors about labels that were held out, inside the region, once each label is weighted for the unlabeled
  /// rows that it stands for.
  struct Inside {
    double effective_labels = 0.0; ///< how many labels those count for
    double error = 0.0;            ///< NaN: no label can tell
  };
  Inside by_mean; ///< weights by the mean of two estimates of where labels lie
  std::array<Inside, 2> by_each;
};

/// Finds the region as a fit by the same options does, with a stack. Throws as fit_classifier does.
Overlap measure_overlap(const DatasetView& data, const LearningOptions& options, const DensityFamily& family,
                        Observer& observer);

} // namespace lacuna
