#pragma once

#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// Total weight, weighted mean and weighted variance (divided by the total weight) of every feature.
struct RowMoments {
  double weight = 0.0;
  std::vector<double> mean;
  std::vector<double> variance;
};

/// One pass, centred: no digits cancel however far the data lie from zero.
RowMoments row_moments(const WeightedRows& rows);

} // namespace lacuna
