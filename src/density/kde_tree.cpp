#include "density/kde_tree.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/index.hpp"
#include "core/order.hpp"
#include "core/parallel.hpp"
#include "density/kde_kernels.hpp"
#include "density/kernels.hpp"

// Equation numbers refer to docs/math/kde.md.

namespace lacuna {

namespace {

/// Points per leaf: their kernels cost about as much as the bounds of the nodes above them.
constexpr Index leaf_size = 64;
static_assert(leaf_size % kde_group == 0);

Index divide_up(Index a, Index b) {
  return (a + b - 1) / b;
}

/// Splits points at a plane again and again, until each part is a leaf.
class Splitter {
public:
  Splitter(const Matrix& points, int threads)
      : points_(points), threads_(threads), order_(at(points.n_rows())) {
    std::iota(order_.begin(), order_.end(), Index{0});
  }

  std::vector<Index> run() {
    split(0, points_.n_rows());
    return std::move(order_);
  }

private:
  void split(Index first, Index last) {
    const Index n_leaves = divide_up(last - first, leaf_size);
    if (n_leaves < 2) return;
    // A power of two of full leaves to the left: then every aligned group of nodes is one part of space.
    Index n_left = 1;
    while (2 * n_left < n_leaves) n_left *= 2;
    const Index middle = first + n_left * leaf_size;
    const Index j = widest_feature(first, last);
    std::nth_element(order_.begin() + first, order_.begin() + middle, order_.begin() + last,
                     [&](Index a, Index b) {
                       const double x = points_(a, j);
                       const double y = points_(b, j);
                       return NanLast{}(x, y) || (!NanLast{}(y, x) && a < b);
                     });
    constexpr Index many_points = 32768;
    parallel_for(2, last - first >= many_points ? threads_ : 1,
                 [&](Index side) { side == 0 ? split(first, middle) : split(middle, last); });
  }

  Index widest_feature(Index first, Index last) const {
    Index widest = 0;
    double largest = -1.0;
    for (Index j = 0; j < points_.n_cols(); ++j) {
      const double origin = points_(order_[at(first)], j);
      double sum = 0.0;
      double squares = 0.0;
      for (Index i = first; i < last; ++i) {
        const double x = points_(order_[at(i)], j) - origin;
        sum += x;
        squares += x * x;
      }
      const double variance = squares - sum * sum / static_cast<double>(last - first);
      if (variance <= largest) continue;
      largest = variance;
      widest = j;
    }
    return widest;
  }

  const Matrix& points_;
  int threads_;
  std::vector<Index> order_;
};

} // namespace

std::vector<Index> leaf_order(const Matrix& points, int threads) {
  return Splitter(points, threads).run();
}

KdeTree::Level::Level(Index n, Index d)
    : n_nodes(n), stride(divide_up(n, kde_group) * kde_group), low(at(d * stride)), high(at(d * stride)),
      centroid(at(d * stride)), scatter(at(stride)), weight(at(stride)) {}

KdeTree::KdeTree(const Matrix& points, const std::vector<double>& weights)
    : n_points_(points.n_rows()), d_(points.n_cols()) {
  const Index n_leaves = divide_up(n_points_, leaf_size);
  values_.resize(at(n_leaves * leaf_size * d_));
  weights_ = weights;
  weights_.resize(at(n_leaves * leaf_size), 0.0);
  for (Index i = 0; i < n_leaves * leaf_size; ++i) {
    // Padding repeats the leaf's first point, with no weight.
    const Index source = i < n_points_ ? i : i / leaf_size * leaf_size;
    for (Index j = 0; j < d_; ++j)
      values_[at((i / leaf_size * d_ + j) * leaf_size + i % leaf_size)] = points(source, j);
  }
  summarise_leaves();
  while (levels_.back().n_nodes > kde_group) add_level();
}

const double* KdeTree::leaf(Index l) const {
  return values_.data() + l * leaf_size * d_;
}

void KdeTree::point(Index i, double* out) const {
  for (Index j = 0; j < d_; ++j) out[j] = leaf(i / leaf_size)[j * leaf_size + i % leaf_size];
}

void KdeTree::summarise_leaves() {
  Level level(divide_up(n_points_, leaf_size), d_);
  for (Index l = 0; l < level.n_nodes; ++l) {
    const double* const w = weights_.data() + l * leaf_size;
    const double total = std::accumulate(w, w + leaf_size, 0.0);
    level.weight[at(l)] = total;
    for (Index j = 0; j < d_; ++j) {
      const double* const x = leaf(l) + j * leaf_size;
      const auto [low, high] = std::minmax_element(x, x + leaf_size);
      level.low[at(j * level.stride + l)] = *low;
      level.high[at(j * level.stride + l)] = *high;
      double mean = 0.0;
      for (Index b = 0; b < leaf_size; ++b) mean += w[b] / total * x[b];
      level.centroid[at(j * level.stride + l)] = mean;
      for (Index b = 0; b < leaf_size; ++b)
        level.scatter[at(l)] += w[b] / total * (x[b] - mean) * (x[b] - mean);
    }
  }
  levels_.push_back(std::move(level));
}

void KdeTree::add_level() {
  const Level& below = levels_.back();
  Level level(divide_up(below.n_nodes, kde_group), d_);
  for (Index k = 0; k < level.n_nodes; ++k) {
    const Index first = k * kde_group;
    const Index last = std::min(first + kde_group, below.n_nodes);
    double total = 0.0;
    for (Index c = first; c < last; ++c) total += below.weight[at(c)];
    level.weight[at(k)] = total;
    for (Index c = first; c < last; ++c)
      level.scatter[at(k)] += below.weight[at(c)] / total * below.scatter[at(c)];
    for (Index j = 0; j < d_; ++j) {
      const auto child = [&](const std::vector<double>& of, Index c) { return of[at(j * below.stride + c)]; };
      double low = child(below.low, first);
      double high = child(below.high, first);
      double mean = 0.0;
      for (Index c = first; c < last; ++c) {
        low = std::min(low, child(below.low, c));
        high = std::max(high, child(below.high, c));
        mean += below.weight[at(c)] / total * child(below.centroid, c);
      }
      for (Index c = first; c < last; ++c) {
        const double off = child(below.centroid, c) - mean;
        level.scatter[at(k)] += below.weight[at(c)] / total * off * off;
      }
      level.low[at(j * level.stride + k)] = low;
      level.high[at(j * level.stride + k)] = high;
      level.centroid[at(j * level.stride + k)] = mean;
    }
  }
  levels_.push_back(std::move(level));
}

/// One sum. All amounts are kept times exp(shift / 2), so that they neither vanish nor overflow far from all
/// points; the shift only falls.
class KdeTree::Query {
public:
  Query(const KdeTree& tree, const double* query, double tolerance, double precision, Index left_out,
        Scratch& scratch)
      : tree_(tree), query_(query), is_quick_(tolerance > 100.0 * quick_error),
        tolerance_(is_quick_ ? tolerance - quick_error : tolerance), precision_(precision),
        left_out_(left_out), scratch_(scratch) {}

  /// Settles all nodes that need no look at their points; the leaves that are left are in scratch.groups,
  /// rising.
  void descend() {
    scratch_.groups.assign(1, 0);
    for (auto level = static_cast<Index>(tree_.levels_.size()); level-- > 0;) {
      bound_nodes(tree_.levels_[at(level)], level);
      settle_nodes(tree_.levels_[at(level)], level);
      std::swap(scratch_.groups, scratch_.survivors);
    }
  }

  void add_leaf(Index l) { exact_ = add_leaf(l, exact_); }

  double log_sum() const { return std::log(settled_ + exact_) - 0.5 * shift_; }

private:
  /// Lowers the shift; returns what amounts kept so far are to be multiplied with.
  double lower_shift(double shift) {
    if (!(shift < shift_)) return 1.0;
    const double factor = std::isinf(shift_) ? 0.0 : std::exp(0.5 * (shift - shift_));
    shift_ = shift;
    settled_ *= factor;
    settled_lower_ *= factor;
    spent_ *= factor;
    return factor;
  }

  /// Distances and bounds of all children of the nodes that are still open.
  void bound_nodes(const Level& level, Index height) {
    const auto n = static_cast<Index>(scratch_.groups.size()) * kde_group;
    for (auto* buffer :
         {&scratch_.nearest, &scratch_.mean, &scratch_.farthest, &scratch_.lower, &scratch_.upper})
      if (static_cast<Index>(buffer->size()) < n) buffer->resize(at(n));
    double least = std::numeric_limits<double>::infinity();
    for (Index g = 0; g < n; g += kde_group) {
      const Index node = scratch_.groups[at(g / kde_group)] * kde_group;
      kde_kernels().node_distances(query_, level.low.data() + node, level.high.data() + node,
                                   level.centroid.data() + node, level.scatter.data() + node, level.stride,
                                   kde_group, tree_.d_, scratch_.nearest.data() + g, scratch_.mean.data() + g,
                                   scratch_.farthest.data() + g);
      for (Index c = 0; c < kde_group; ++c)
        if (level.weight[at(node + c)] > 0.0 && !holds_left_out(node + c, height))
          least = std::min(least, scratch_.mean[at(g + c)]);
    }
    lower_shift(precision_ * least);
    kde_kernels().node_bounds(scratch_.nearest.data(), scratch_.mean.data(), scratch_.farthest.data(), n,
                              precision_, shift_, scratch_.lower.data(), scratch_.upper.data());
  }

  /// Settles every node whose bounds are near enough to each other (eq. 6); the others stay open.
  void settle_nodes(const Level& level, Index height) {
    const auto n = static_cast<Index>(scratch_.groups.size()) * kde_group;
    const auto node_of = [&](Index b) {
      return scratch_.groups[at(b / kde_group)] * kde_group + b % kde_group;
    };
    double open_weight = 0.0;
    double lower = settled_lower_;
    scratch_.is_open.assign(at(n), 0);
    for (Index b = 0; b < n; ++b) {
      const double w = level.weight[at(node_of(b))];
      if (!(w > 0.0)) continue;
      scratch_.is_open[at(b)] = 1;
      open_weight += w;
      // Nothing is certain about the rest of the node that holds the point left out.
      if (!holds_left_out(node_of(b), height)) lower += w * scratch_.lower[at(b)];
    }
    constexpr int n_rounds = 2; // what the first round settles below its share is there for the second
    for (int round = 0; round < n_rounds; ++round) {
      const double allowed = std::max(0.0, (tolerance_ * lower - spent_) / open_weight);
      for (Index b = 0; b < n; ++b) {
        if (scratch_.is_open[at(b)] == 0) continue;
        const double half_gap = 0.5 * (scratch_.upper[at(b)] - scratch_.lower[at(b)]);
        if (half_gap > allowed || holds_left_out(node_of(b), height)) continue;
        const double w = level.weight[at(node_of(b))];
        settled_lower_ += w * scratch_.lower[at(b)];
        settled_ += w * (scratch_.lower[at(b)] + half_gap);
        spent_ += w * half_gap;
        open_weight -= w;
        scratch_.is_open[at(b)] = 0;
      }
      if (!(open_weight > 0.0)) break;
    }
    scratch_.survivors.clear();
    for (Index b = 0; b < n; ++b)
      if (scratch_.is_open[at(b)] != 0) scratch_.survivors.push_back(node_of(b));
  }

  bool holds_left_out(Index node, Index height) const {
    if (left_out_ == none) return false;
    Index ancestor = left_out_ / leaf_size;
    for (Index h = 0; h < height; ++h) ancestor /= kde_group;
    return ancestor == node;
  }

  /// Adds the kernels of a leaf's points to `exact`.
  double add_leaf(Index l, double exact) {
    const bool holds_left_out = left_out_ != none && left_out_ / leaf_size == l;
    if (is_quick_ && !holds_left_out) {
      double least = 0.0;
      const double part =
          kde_kernels().quick_sum(query_, tree_.leaf(l), tree_.weights_.data() + l * leaf_size, leaf_size,
                                  leaf_size, tree_.d_, precision_, shift_, least);
      if (0.5 * (shift_ - precision_ * least) <= quick_limit) return exact + part;
    }
    scratch_.distance.resize(at(leaf_size));
    double* const distance = scratch_.distance.data();
    const double* const weight = tree_.weights_.data() + l * leaf_size;
    double least = kde_kernels().distances(query_, tree_.leaf(l), leaf_size, leaf_size, tree_.d_, distance);
    if (holds_left_out) {
      distance[left_out_ % leaf_size] = largest_quadratic;
      least = largest_quadratic;
      for (Index b = 0; b < leaf_size; ++b)
        if (weight[b] > 0.0) least = std::min(least, distance[b]);
    }
    exact *= lower_shift(precision_ * least);
    return exact + kde_kernels().kernel_sum(distance, weight, leaf_size, precision_, shift_);
  }

  const KdeTree& tree_;
  const double* query_;
  bool is_quick_; ///< whether exp may err by quick_error, which then is taken off the tolerance
  double tolerance_;
  double precision_;
  Index left_out_;
  Scratch& scratch_;
  double shift_ = std::numeric_limits<double>::infinity();
  double exact_ = 0.0;         ///< the sum over points
  double settled_ = 0.0;       ///< estimate of the nodes that are settled
  double settled_lower_ = 0.0; ///< what their sum is at least
  double spent_ = 0.0;         ///< how wrong the estimate can be
};

/// The nearest point, by the nodes whose boxes are nearest first.
class KdeTree::Search {
public:
  Search(const KdeTree& tree, const double* query) : tree_(tree), query_(query) {}

  Index run() {
    visit(0, static_cast<Index>(tree_.levels_.size()) - 1);
    return best_;
  }

private:
  /// Looks into a group of nodes of one level.
  void visit(Index group, Index height) {
    const Level& level = tree_.levels_[at(height)];
    const Index first = group * kde_group;
    std::array<double, kde_group> nearest{};
    std::array<double, kde_group> unused{};
    kde_kernels().node_distances(query_, level.low.data() + first, level.high.data() + first,
                                 level.centroid.data() + first, level.scatter.data() + first, level.stride,
                                 kde_group, tree_.d_, nearest.data(), unused.data(), unused.data());
    std::array<Index, kde_group> order{};
    std::iota(order.begin(), order.end(), Index{0});
    std::ranges::stable_sort(order, {}, [&](Index c) { return nearest[at(c)]; });
    for (const Index c : order) {
      if (!(level.weight[at(first + c)] > 0.0) || !(nearest[at(c)] < least_)) continue;
      if (height > 0)
        visit(first + c, height - 1);
      else
        visit_leaf(first + c);
    }
  }

  void visit_leaf(Index l) {
    std::array<double, leaf_size> distance{};
    kde_kernels().distances(query_, tree_.leaf(l), leaf_size, leaf_size, tree_.d_, distance.data());
    for (Index b = 0; b < leaf_size; ++b) {
      const Index point = l * leaf_size + b;
      if (point >= tree_.n_points_ || !(distance[at(b)] < least_)) continue;
      least_ = distance[at(b)];
      best_ = point;
    }
  }

  const KdeTree& tree_;
  const double* query_;
  double least_ = std::numeric_limits<double>::infinity();
  Index best_ = 0;
};

namespace {

/// Rising numbers of leaves, as runs of consecutive ones, to be visited bit by bit.
class LeafRuns {
public:
  explicit LeafRuns(const std::vector<Index>& leaves) {
    for (const Index l : leaves) {
      if (runs_.empty() || runs_.back().end != l) runs_.push_back({l, l});
      runs_.back().end = l + 1;
    }
  }
  /// Those before `end` that were not visited yet.
  template <class Visit>
  void visit(Index end, const Visit& visit) {
    for (; next_ < runs_.size() && runs_[next_].first < end; ++next_) {
      Run& run = runs_[next_];
      for (; run.first < std::min(run.end, end); ++run.first) visit(run.first);
      if (run.first < run.end) return;
    }
  }

private:
  struct Run {
    Index first, end;
  };
  std::vector<Run> runs_;
  std::size_t next_ = 0;
};

} // namespace

Index KdeTree::nearest(const double* query) const {
  return Search(*this, query).run();
}

double KdeTree::log_sum(const double* query, double tolerance, Scratch& scratch, double precision,
                        Index left_out) const {
  Query one(*this, query, tolerance, precision, left_out, scratch);
  one.descend();
  for (const Index l : scratch.groups) one.add_leaf(l);
  return one.log_sum();
}

void KdeTree::log_sums(std::span<const Question> questions, double tolerance, std::span<double> out) const {
  constexpr std::size_t together = 1024;
  constexpr Index leaves_per_turn = 64; // their points stay in the cache while all that need them come by
  Scratch scratch;
  for (std::size_t first = 0; first < questions.size(); first += together) {
    const auto some = questions.subspan(first, std::min(together, questions.size() - first));
    std::vector<Query> queries;
    std::vector<LeafRuns> runs;
    for (const Question& question : some) {
      queries.emplace_back(*this, question.point, tolerance, question.precision, question.left_out, scratch);
      queries.back().descend();
      runs.emplace_back(scratch.groups);
    }
    const Index n_leaves = levels_.front().n_nodes;
    for (Index end = leaves_per_turn; end < n_leaves + leaves_per_turn; end += leaves_per_turn)
      for (std::size_t q = 0; q < some.size(); ++q)
        runs[q].visit(end, [&](Index l) { queries[q].add_leaf(l); });
    for (std::size_t q = 0; q < some.size(); ++q) out[first + q] = queries[q].log_sum();
  }
}

} // namespace lacuna
