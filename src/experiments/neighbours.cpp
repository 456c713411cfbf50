#include "experiments/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <nanoflann.hpp>

namespace lacuna {

namespace {

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

/// What a search has found so far: the first rows by (distance, row number). nanoflann's own set would keep
/// whichever of several rows at the same distance it met first.
class NearestRows {
public:
  NearestRows(std::size_t count, Index left_out) : count_(count), left_out_(left_out) {}

  bool full() const { return best_.size() == count_; }

  bool addPoint(double distance, Index row) {
    if (row == left_out_) return true; // go on
    best_.emplace_back(distance, row);
    std::push_heap(best_.begin(), best_.end());
    if (best_.size() > count_) {
      std::pop_heap(best_.begin(), best_.end());
      best_.pop_back();
    }
    return true;
  }

  /// Rows at this distance or beyond are not looked at. One at exactly the worst distance so far may still
  /// win by its number, so it lies above that, by enough to cover the rounding of distances to boxes.
  double worstDist() const {
    constexpr double margin = 1.0 + 1e-9;
    constexpr double infinity = std::numeric_limits<double>::infinity();
    return full() ? std::nextafter(margin * best_.front().first, infinity) : infinity;
  }

  std::vector<Index> in_order() && {
    std::sort_heap(best_.begin(), best_.end());
    std::vector<Index> rows;
    for (const auto& [distance, row] : best_) rows.push_back(row);
    return rows;
  }

private:
  std::size_t count_;
  Index left_out_;
  std::vector<std::pair<double, Index>> best_; ///< squared distance, row number; a heap with the worst first
};

} // namespace

struct NeighbourTree::Tree {
  explicit Tree(MatrixView view)
      : rows{view},
        index(static_cast<int>(view.n_cols), rows, nanoflann::KDTreeSingleIndexAdaptorParams(leaf_size)) {}

  static constexpr std::size_t leaf_size = 32;
  static constexpr int any_dimension = -1;
  using Distance = nanoflann::L2_Simple_Adaptor<double, Rows, double, Index>;

  Rows rows;
  nanoflann::KDTreeSingleIndexAdaptor<Distance, Rows, any_dimension, Index> index;
};

NeighbourTree::NeighbourTree(MatrixView rows) : tree_(std::make_unique<Tree>(rows)) {}
NeighbourTree::~NeighbourTree() = default;

std::vector<Index> NeighbourTree::nearest(const double* query, Index count, Index left_out) const {
  if (count <= 0) return {};
  NearestRows found(static_cast<std::size_t>(count), left_out);
  tree_->index.findNeighbors(found, query, {});
  return std::move(found).in_order();
}

} // namespace lacuna
