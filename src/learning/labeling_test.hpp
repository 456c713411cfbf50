#pragma once

#include <cstdint>
#include <limits>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/data/dataset.hpp"

namespace LACUNA_API lacuna {

/// Whether labels may have been given by lot, and which columns say otherwise (docs/math/diagnosis.md).
struct LabelingTest {
  Index n_labeled = 0; ///< rows that took part
  Index n_unlabeled = 0;
  Index n_permutations = 0; ///< 0: too few rows on one side, and nothing was tested
  /// How well classifiers of earlier rows tell labeled from unlabeled ones among later rows; NaN: untested.
  double auc = std::numeric_limits<double>::quiet_NaN();
  double p_value = std::numeric_limits<double>::quiet_NaN();
  /// Per column: how much of the auc is lost when the column is shuffled. Empty where the p-value is above
  /// driver_level: then there is nothing to explain.
  std::vector<double> importance;
};

/// Above it, no columns are asked what drives the labeling.
inline constexpr double driver_level = 0.05;

/// Each row counts once, whatever its weight. Labels' classes do not matter.
LabelingTest test_labeling(const DatasetView& data, std::uint64_t seed, int threads, Observer& observer);

} // namespace lacuna
