#include "experiments/neighbours.hpp"
#include "core/index.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace lacuna {

namespace {

constexpr Index leaf_size = 32;

/// Exact up to `limit`; beyond it any larger value will do, which saves work in many dimensions.
double squared_distance(const double* a, const double* b, Index n, double limit) {
  constexpr Index n_between_looks = 16;
  double sum = 0.0;
  for (Index j = 0; j < n;) {
    for (const Index end = std::min(n, j + n_between_looks); j < end; ++j)
      sum += (a[j] - b[j]) * (a[j] - b[j]);
    if (sum > limit) return sum;
  }
  return sum;
}

} // namespace

NeighbourTree::NeighbourTree(MatrixView rows) : n_features_(rows.n_cols), order_(at(rows.n_rows)) {
  std::iota(order_.begin(), order_.end(), Index{0});
  features_.assign(rows.data, rows.data + rows.n_rows * rows.n_cols);
  if (rows.n_rows > 0) build(0, rows.n_rows);
  for (Index i = 0; i < rows.n_rows; ++i)
    std::copy_n(rows.row(order_[at(i)]), n_features_, features_.data() + i * n_features_);
}

// While the tree is built, features_ still holds the rows in their own order.
void NeighbourTree::build(Index first, Index last) {
  const std::size_t self = nodes_.size();
  nodes_.push_back({first, last, -1, 0.0, 0});
  if (last - first <= leaf_size) return;
  const auto value = [&](Index row, Index j) { return features_[at(row * n_features_ + j)]; };
  Index widest = -1;
  double width = 0.0;
  for (Index j = 0; j < n_features_; ++j) {
    double low = std::numeric_limits<double>::infinity();
    double high = -low;
    for (Index i = first; i < last; ++i) {
      low = std::min(low, value(order_[at(i)], j));
      high = std::max(high, value(order_[at(i)], j));
    }
    if (high - low > width) {
      width = high - low;
      widest = j;
    }
  }
  if (widest < 0) return; // all rows are equal
  const Index middle = first + (last - first) / 2;
  std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                   [&](Index a, Index b) { return value(a, widest) < value(b, widest); });
  nodes_[self].split_feature = widest;
  nodes_[self].split_value = value(order_[at(middle)], widest);
  build(first, middle);
  nodes_[self].upper = nodes_.size();
  build(middle, last);
}

std::vector<Index> NeighbourTree::nearest(const double* query, Index count) const {
  std::vector<Candidate> best;
  const std::size_t wanted = std::min(at(std::max<Index>(count, 0)), order_.size());
  std::vector<double> gaps(at(n_features_));
  if (wanted > 0) search(0, query, 0.0, gaps, wanted, best);
  std::sort_heap(best.begin(), best.end());
  std::vector<Index> result;
  result.reserve(best.size());
  for (const Candidate& candidate : best) result.push_back(candidate.second);
  return result;
}

// `gap` is the squared distance from the query to the node's box, the sum of `gaps` per feature.
void NeighbourTree::search(std::size_t index, const double* query, double gap, std::vector<double>& gaps,
                           std::size_t count, std::vector<Candidate>& best) const {
  // A row at exactly the worst distance may still win by its number, so only larger gaps are cut off. The
  // margin covers the rounding of the two different sums.
  constexpr double margin = 1.0 - 1e-9;
  if (best.size() == count && gap * margin > best.front().first) return;
  const Node& node = nodes_[index];
  if (node.split_feature < 0) {
    search_leaf(node, query, count, best);
    return;
  }
  const double offset = query[node.split_feature] - node.split_value;
  const std::size_t near = offset < 0.0 ? index + 1 : node.upper;
  const std::size_t far = offset < 0.0 ? node.upper : index + 1;
  search(near, query, gap, gaps, count, best);
  double& own = gaps[at(node.split_feature)];
  const double before = own;
  own = offset * offset;
  search(far, query, gap - before + own, gaps, count, best);
  own = before;
}

void NeighbourTree::search_leaf(const Node& node, const double* query, std::size_t count,
                                std::vector<Candidate>& best) const {
  for (Index i = node.first; i < node.last; ++i) {
    const bool is_full = best.size() == count;
    const double limit = is_full ? best.front().first : std::numeric_limits<double>::infinity();
    const Candidate candidate{squared_distance(query, features_.data() + i * n_features_, n_features_, limit),
                              order_[at(i)]};
    if (is_full && !(candidate < best.front())) continue;
    if (is_full) {
      std::pop_heap(best.begin(), best.end());
      best.back() = candidate;
    } else {
      best.push_back(candidate);
    }
    std::push_heap(best.begin(), best.end());
  }
}

} // namespace lacuna
