#pragma once

#include "lacuna/data/dataset.hpp"
#include "lacuna/density/density.hpp"

namespace lacuna {

/// Throws Error(data) where there is nothing to learn: no labeled row of positive weight, fewer than two
/// classes, or columns that the density family cannot take.
void require_learnable(const DatasetView& data, const DensityFamily& family);

} // namespace lacuna
