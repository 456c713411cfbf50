#pragma once

#include <cstddef>
#include <vector>

#include <nanoflann.hpp>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A k-d tree over the rows of a matrix for exact nearest neighbours. Quick for a handful of features; with
/// hundreds it looks at nearly every row.
class NeighbourTree {
public:
  /// The rows must outlive the tree.
  explicit NeighbourTree(MatrixView rows);

  /// The row numbers of the `count` nearest rows, ordered by (distance, row number), so that equal distances
  /// leave nothing to chance. At most as many as there are rows.
  std::vector<Index> nearest(const double* query, Index count) const;

private:
  /// The rows as nanoflann asks for them.
  struct Rows {
    MatrixView view;

    std::size_t kdtree_get_point_count() const { return static_cast<std::size_t>(view.n_rows); }
    double kdtree_get_pt(Index row, std::size_t feature) const {
      return view(row, static_cast<Index>(feature));
    }
    template <class Box>
    bool kdtree_get_bbox(Box& /*box*/) const {
      return false; // it is to find the bounds itself
    }
  };
  using Distance = nanoflann::L2_Simple_Adaptor<double, Rows, double, Index>;
  static constexpr int any_dimension = -1;

  Rows rows_;
  nanoflann::KDTreeSingleIndexAdaptor<Distance, Rows, any_dimension, Index> tree_;
};

} // namespace lacuna
