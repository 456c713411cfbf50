#pragma once

#include <span>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// Counts of points are multiples of this.
inline constexpr Index nearest_group = 16;

/// The distance to the nearest of many points, one copy per instruction set (math/simd.hpp). Its bits are
/// those of one sum after the other: several points stand side by side, and no product is fused with a sum.
struct NearestKernel {
  /// The least squared distance above `beyond` from `query` to one of n points, infinite without one.
  /// Coordinate j of point i is at points[j * n + i].
  double (*least_distance)(const double* query, const double* points, Index n, Index d, double beyond);
};

/// Those that may run on this processor, from the narrowest to the widest.
std::span<const NearestKernel* const> nearest_kernels();

} // namespace lacuna
