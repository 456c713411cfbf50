#pragma once

#include <vector>

#include "lacuna/data/dataset.hpp"

namespace LACUNA_API lacuna {

/// What one more label would do (docs/math/advice.md).
struct CoverChoice {
  Index point = 0;    ///< which of the points
  double reach = 0.0; ///< how many points it newly speaks for
  double gain = 0.0;  ///< how much of their weights it takes away
};

/// How far a label reaches: twice the median distance from a point to its fifth neighbour. 1 where points are
/// one.
double label_reach(const Matrix& points, int threads);

/// Up to `n` of the points, each the one that takes away most of the weights when those before it and the
/// points that have a label are there; fewer where no weight is left.
std::vector<CoverChoice> choose_to_cover(const Matrix& points, const Matrix& labeled,
                                         const std::vector<double>& weights, Index n, int threads);

/// The same for rows of a table; labels there are not looked at. Distances are between rows as points
/// (Embedding).
std::vector<CoverChoice> choose_to_cover(const DatasetView& rows, MatrixView labeled,
                                         const std::vector<double>& weights, Index n, int threads);

} // namespace lacuna
