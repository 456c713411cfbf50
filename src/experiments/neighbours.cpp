#include "experiments/neighbours.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace lacuna {

namespace {

constexpr std::size_t leaf_size = 32;

/// What a search has found so far: the first rows by (distance, row number). nanoflann's own set would keep
/// whichever of several rows at the same distance it met first.
class NearestRows {
public:
  explicit NearestRows(std::size_t count) : count_(count) {}

  bool full() const { return best_.size() == count_; }
  std::size_t size() const { return best_.size(); }

  bool addPoint(double distance, Index row) {
    best_.emplace_back(distance, row);
    std::push_heap(best_.begin(), best_.end());
    if (best_.size() > count_) {
      std::pop_heap(best_.begin(), best_.end());
      best_.pop_back();
    }
    return true; // go on
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
  std::vector<std::pair<double, Index>> best_; ///< squared distance, row number; a heap with the worst first
};

} // namespace

NeighbourTree::NeighbourTree(MatrixView rows)
    : rows_{rows},
      tree_(static_cast<int>(rows.n_cols), rows_, nanoflann::KDTreeSingleIndexAdaptorParams(leaf_size)) {}

std::vector<Index> NeighbourTree::nearest(const double* query, Index count) const {
  if (count <= 0) return {};
  NearestRows found(static_cast<std::size_t>(count));
  tree_.findNeighbors(found, query, {});
  return std::move(found).in_order();
}

} // namespace lacuna
