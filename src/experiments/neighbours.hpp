#pragma once

#include <memory>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A k-d tree over the rows of a matrix for exact nearest neighbours. Quick for a handful of features; with
/// hundreds it looks at nearly every row.
class NeighbourTree {
public:
  /// The rows must outlive the tree.
  explicit NeighbourTree(MatrixView rows);
  ~NeighbourTree();

  /// The row numbers of the `count` nearest rows, ordered by (distance, row number), so that equal distances
  /// leave nothing to chance. At most as many as there are rows. The row `left_out`, the query itself, is not
  /// among them.
  std::vector<Index> nearest(const double* query, Index count, Index left_out = none) const;

  static constexpr Index none = -1;

private:
  struct Tree;
  std::unique_ptr<const Tree> tree_;
};

} // namespace lacuna
