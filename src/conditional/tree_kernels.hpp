#pragma once

#include <cstdint>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A split of a tree, as many rows take it side by side: those whose value, with its sign turned where `sign`
/// has that bit, is above `bound` take what the one child has, all others, NaN among them, what the other
/// has.
struct TreeStep {
  std::uint32_t sign = 0;
  float bound = 0.0F;
  std::int32_t feature = 0;
  std::int32_t above = 0; ///< places of the two children
  std::int32_t others = 0;
  std::int32_t place = 0; ///< of the node itself
};

/// Rows pass a tree in groups of this many.
inline constexpr Index tree_group = 32;

/// Trees for many rows at once, one copy per instruction set (math/simd.hpp). A walk from the root waits for
/// one node after the other; but to let every row take every split, from the leaves upwards, needs neither
/// gathering nor branches.
struct TreeKernels {
  /// `places` holds tree_group numbers per node, those of the leaves filled in. A step comes behind those of
  /// its node's children; the last is the root's. Value i of feature j is at columns[j * stride + i];
  /// `n_rows` is a multiple of tree_group. What a row has at the root goes to out[i], as it is, number or
  /// not.
  void (*climb)(const TreeStep* steps, Index n_steps, const float* columns, Index stride, Index n_rows,
                float* places, float* out);
  /// With more steps a walk is quicker.
  Index most_steps = 0;
};

/// The kernels for this processor.
const TreeKernels& tree_kernels();

} // namespace lacuna
