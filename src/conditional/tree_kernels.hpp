#pragma once

#include <cstdint>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A split of a tree, as many rows take it side by side: those whose rank in a column is above `bound` take
/// what the one child has, all others what the other has.
struct TreeStep {
  std::uint16_t bound = 0;
  std::uint16_t above = 0; ///< places of the two children
  std::uint16_t others = 0;
  std::uint16_t place = 0; ///< of the node itself
  std::int32_t column = 0;
};

/// Rows pass a tree in groups of this many.
inline constexpr Index tree_group = 64;

/// A line of numbers in a leaf is filled up with zeros to a multiple of this.
inline constexpr Index tree_line = 8;

/// Trees for many rows at once, one copy per instruction set (math/simd.hpp). A walk from the root waits for
/// one node after the other; but to let every row take every split, from the leaves upwards, needs neither
/// gathering nor branches. Ranks and places have 16 bits, so that a vector holds many of them.
struct TreeKernels {
  /// `places` holds tree_group numbers per place, those of the leaves filled in. A step comes behind those of
  /// its node's children; the last is the root's. The rank of row i is at columns[column][i]; `n_rows` is a
  /// multiple of tree_group. What a row has at the root goes to out[i].
  void (*climb)(const TreeStep* steps, Index n_steps, const std::uint16_t* const* columns, Index n_rows,
                std::uint16_t* places, std::uint16_t* out);
  /// Adds line line_of[i] of `lines` to line i of `sums`, for n of these. Lines have `width` numbers, a
  /// multiple of tree_line.
  void (*add_lines)(const float* lines, const std::int32_t* line_of, Index n, Index width, double* sums);
  /// With more steps a walk is quicker.
  Index most_steps = 0;
};

/// The kernels for this processor.
const TreeKernels& tree_kernels();

} // namespace lacuna
