#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A k-d tree over the rows of a matrix for exact nearest neighbours. Quick for a handful of features; with
/// hundreds it looks at nearly every row.
class NeighbourTree {
public:
  explicit NeighbourTree(MatrixView rows);

  /// The row numbers of the `count` nearest rows, ordered by (distance, row number), so that equal distances
  /// leave nothing to chance. At most as many as there are rows.
  std::vector<Index> nearest(const double* query, Index count) const;

private:
  using Candidate = std::pair<double, Index>; ///< squared distance, row number
  struct Node {
    Index first = 0; ///< of its rows in order_
    Index last = 0;
    Index split_feature = -1; ///< -1: a leaf
    double split_value = 0.0;
    std::size_t upper = 0; ///< the lower half is the next node
  };

  void build(Index first, Index last);
  void search(std::size_t index, const double* query, double gap, std::vector<double>& gaps,
              std::size_t count, std::vector<Candidate>& best) const;
  void search_leaf(const Node& node, const double* query, std::size_t count,
                   std::vector<Candidate>& best) const;

  Index n_features_;
  std::vector<Index> order_;     ///< row numbers, node by node
  std::vector<double> features_; ///< the rows in that order: neighbours in space lie together in memory
  std::vector<Node> nodes_;
};

} // namespace lacuna
