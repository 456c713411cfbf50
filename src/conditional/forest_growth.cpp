#include "conditional/forest_growth.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/index.hpp"
#include "core/parallel.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

namespace {

/// A cut of a node's rows in two. Missing values go to one side as a whole.
struct Cut {
  double score = -std::numeric_limits<double>::infinity(); ///< the larger, the purer both sides
  std::size_t column = 0;
  std::int32_t first_right = 0; ///< numbers: ranks from here on go right
  std::vector<char> goes_right; ///< categories: per level
  bool missing_left = false;

  bool right(const RankedRows::Column& of, std::size_t row) const {
    const std::int32_t rank = of.rank[row];
    if (rank == RankedRows::missing) return !missing_left;
    return of.n_levels > 0 ? goes_right[static_cast<std::size_t>(rank)] != 0 : rank >= first_right;
  }
};

/// Weights of the classes on one side of a cut.
struct Side {
  std::vector<double> weight_of;
  double total = 0.0;

  void add(std::size_t place, double weight) {
    weight_of[place] += weight;
    total += weight;
  }
  void clear() {
    std::fill(weight_of.begin(), weight_of.end(), 0.0);
    total = 0.0;
  }
};

/// Gini's purity of a side, times its weight; of two sides together where `more` joins `side`.
double purity(const Side& side, const Side* more = nullptr) {
  const double total = side.total + (more != nullptr ? more->total : 0.0);
  double squares = 0.0;
  for (std::size_t y = 0; y < side.weight_of.size(); ++y) {
    const double weight = side.weight_of[y] + (more != nullptr ? more->weight_of[y] : 0.0);
    squares += weight * weight;
  }
  return total > 0.0 ? squares / total : 0.0;
}

class TreeGrower {
public:
  TreeGrower(const RankedRows& rows, double least_leaf, std::uint64_t seed, GrownForest& forest)
      : rows_(rows), least_leaf_(least_leaf), random_(seed, RandomPurpose::forest), forest_(forest),
        first_node_(forest.trees.nodes.size()), order_(rows.place.size()),
        columns_(rows.columns.size()), left_{std::vector<double>(rows.n_classes), 0.0}, right_(left_),
        missing_(left_) {
    std::iota(order_.begin(), order_.end(), 0);
    std::iota(columns_.begin(), columns_.end(), 0);
  }

  void grow() {
    struct Part {
      std::size_t node, begin, end;
    };
    forest_.trees.nodes.emplace_back();
    std::vector<Part> open = {{first_node_, 0, order_.size()}};
    while (!open.empty()) {
      const Part part = open.back();
      open.pop_back();
      const Cut cut = best_cut(part.begin, part.end);
      if (!std::isfinite(cut.score)) {
        make_leaf(part.node, part.begin, part.end);
        continue;
      }
      const std::size_t children = forest_.trees.nodes.size();
      write(cut, part.node, children);
      forest_.trees.nodes.resize(children + 2);
      const auto middle =
          std::partition(order_.begin() + static_cast<std::ptrdiff_t>(part.begin),
                         order_.begin() + static_cast<std::ptrdiff_t>(part.end),
                         [&](std::size_t row) { return !cut.right(rows_.columns[cut.column], row); });
      const auto at_middle = static_cast<std::size_t>(middle - order_.begin());
      open.push_back({children + 1, at_middle, part.end});
      open.push_back({children, part.begin, at_middle});
    }
    forest_.trees.tree_output.push_back(0);
    forest_.trees.tree_first.push_back(static_cast<Index>(forest_.trees.nodes.size()));
  }

private:
  std::size_t below(std::size_t n) {
    return static_cast<std::size_t>(random_.uniform() * static_cast<double>(n));
  }

  /// The best of one drawn cut in each of a few drawn columns; none when the rows are of one class or alike.
  Cut best_cut(std::size_t begin, std::size_t end) {
    Cut best;
    if (is_pure(begin, end)) return best;
    const auto n_tried =
        static_cast<std::size_t>(std::max(1.0, std::sqrt(static_cast<double>(columns_.size()))));
    // Fixed before every node, so that the draw does not depend on the nodes before.
    std::iota(columns_.begin(), columns_.end(), 0);
    std::size_t n_found = 0;
    for (std::size_t k = 0; k < columns_.size() && n_found < n_tried; ++k) {
      std::swap(columns_[k], columns_[k + below(columns_.size() - k)]);
      Cut cut;
      cut.column = columns_[k];
      const RankedRows::Column& column = rows_.columns[cut.column];
      const bool is_drawn =
          column.n_levels > 0 ? draw_levels(column, begin, end, cut) : draw_rank(column, begin, end, cut);
      if (!is_drawn) continue;
      judge(column, begin, end, cut);
      ++n_found;
      if (cut.score > best.score) best = std::move(cut);
    }
    return best;
  }

  bool is_pure(std::size_t begin, std::size_t end) const {
    for (std::size_t i = begin + 1; i < end; ++i)
      if (rows_.place[order_[i]] != rows_.place[order_[begin]]) return false;
    return true;
  }

  /// False where all rows have the same number, and none lacks it.
  bool draw_rank(const RankedRows::Column& column, std::size_t begin, std::size_t end, Cut& cut) {
    std::int32_t low = std::numeric_limits<std::int32_t>::max();
    std::int32_t high = -1;
    bool has_gaps = false;
    for (std::size_t i = begin; i < end; ++i) {
      const std::int32_t rank = column.rank[order_[i]];
      if (rank == RankedRows::missing) {
        has_gaps = true;
        continue;
      }
      low = std::min(low, rank);
      high = std::max(high, rank);
    }
    if (high < 0 || (low == high && !has_gaps)) return false;
    // With one number only, the cut is between it and the gaps.
    cut.first_right = low == high
                          ? high + 1
                          : low + 1 + static_cast<std::int32_t>(below(static_cast<std::size_t>(high - low)));
    return true;
  }

  /// By the weights of the classes in the node, so that neither the order of rows nor a row that stands there
  /// twice matters.
  std::size_t draw_class(std::size_t begin, std::size_t end) {
    left_.clear();
    for (std::size_t i = begin; i < end; ++i) left_.add(rows_.place[order_[i]], rows_.weights[order_[i]]);
    double left = random_.uniform() * left_.total;
    std::size_t chosen = 0;
    while (chosen + 1 < rows_.n_classes && (left -= left_.weight_of[chosen]) > 0.0) ++chosen;
    return chosen;
  }

  /// Levels in the order of the share of one class, cut somewhere: of all ways to cut them in two, one that
  /// says something.
  bool draw_levels(const RankedRows::Column& column, std::size_t begin, std::size_t end, Cut& cut) {
    const std::size_t chosen = draw_class(begin, end);
    level_total_.assign(column.n_levels, 0.0);
    level_chosen_.assign(column.n_levels, 0.0);
    bool has_gaps = false;
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t row = order_[i];
      has_gaps = has_gaps || column.rank[row] == RankedRows::missing;
      if (column.rank[row] == RankedRows::missing) continue;
      const auto level = static_cast<std::size_t>(column.rank[row]);
      level_total_[level] += rows_.weights[row];
      if (rows_.place[row] == chosen) level_chosen_[level] += rows_.weights[row];
    }
    std::vector<std::pair<double, std::size_t>> present;
    for (std::size_t level = 0; level < column.n_levels; ++level)
      if (level_total_[level] > 0.0) present.emplace_back(level_chosen_[level] / level_total_[level], level);
    if (present.empty() || (present.size() == 1 && !has_gaps)) return false;
    std::sort(present.begin(), present.end());
    cut.goes_right.assign(column.n_levels, 0);
    const std::size_t first = present.size() == 1 ? 1 : 1 + below(present.size() - 1);
    for (std::size_t k = first; k < present.size(); ++k) cut.goes_right[present[k].second] = 1;
    return true;
  }

  void judge(const RankedRows::Column& column, std::size_t begin, std::size_t end, Cut& cut) {
    left_.clear();
    right_.clear();
    missing_.clear();
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t row = order_[i];
      Side& side = column.rank[row] == RankedRows::missing ? missing_
                   : cut.right(column, row)                ? right_
                                                           : left_;
      side.add(rows_.place[row], rows_.weights[row]);
    }
    // Where nothing is missing here, what is missing later goes where most rows go.
    const double with_left = purity(left_, &missing_) + purity(right_);
    const double with_right = purity(left_) + purity(right_, &missing_);
    cut.missing_left = missing_.total > 0.0 ? with_left > with_right : left_.total >= right_.total;
    const double more_left = cut.missing_left ? missing_.total : 0.0;
    const double lighter = std::min(left_.total + more_left, right_.total + missing_.total - more_left);
    if (lighter >= least_leaf_) cut.score = std::max(with_left, with_right);
  }

  void write(const Cut& cut, std::size_t node, std::size_t children) {
    TreeNode& written = forest_.trees.nodes[node];
    written.left = static_cast<std::int32_t>(children - first_node_);
    written.feature = static_cast<std::int32_t>(cut.column);
    written.missing_left = cut.missing_left;
    const RankedRows::Column& column = rows_.columns[cut.column];
    if (column.n_levels > 0) {
      written.set = forest_.trees.add_set(cut.goes_right);
      return;
    }
    const auto first = static_cast<std::size_t>(cut.first_right);
    // Half way between two values; beyond the last one nothing goes right.
    written.value = first < column.values.size()
                        ? std::midpoint(column.values[first - 1], column.values[first])
                        : std::numeric_limits<float>::max();
    if (first < column.values.size() && !(written.value > column.values[first - 1]))
      written.value = column.values[first];
  }

  void make_leaf(std::size_t node, std::size_t begin, std::size_t end) {
    left_.clear();
    for (std::size_t i = begin; i < end; ++i) left_.add(rows_.place[order_[i]], rows_.weights[order_[i]]);
    forest_.trees.nodes[node].value = static_cast<float>(forest_.shares.size() / rows_.n_classes);
    for (const double weight : left_.weight_of)
      forest_.shares.push_back(static_cast<float>(weight / left_.total));
  }

  const RankedRows& rows_;
  double least_leaf_;
  RandomStream random_;
  GrownForest& forest_;
  std::size_t first_node_;
  std::vector<std::size_t> order_; ///< rows, those of a node together
  std::vector<std::size_t> columns_;
  Side left_;
  Side right_;
  Side missing_;
  std::vector<double> level_total_;
  std::vector<double> level_chosen_;
};

} // namespace

RankedRows::RankedRows(const DatasetView& data, const LabeledRows& labeled, std::span<const float> cells,
                       int threads)
    : columns(at(data.n_features())), place(labeled.place), weights(labeled.weights),
      n_classes(labeled.classes.size()) {
  parallel_for(data.n_features(), threads, [&](Index feature) {
    const std::size_t j = at(feature);
    Column& column = columns[j];
    column.n_levels = data.levels.empty() ? 0 : at(data.levels[j]);
    const auto cell = [&](std::size_t i) { return cells[i * columns.size() + j]; };
    for (std::size_t i = 0; i < place.size() && column.n_levels == 0; ++i)
      if (!std::isnan(cell(i))) column.values.push_back(cell(i));
    std::sort(column.values.begin(), column.values.end());
    column.values.erase(std::unique(column.values.begin(), column.values.end()), column.values.end());
    for (std::size_t i = 0; i < place.size(); ++i) {
      const bool is_level = cell(i) >= 0.0F && cell(i) < static_cast<float>(column.n_levels);
      if (std::isnan(cell(i)) || (column.n_levels > 0 && !is_level))
        column.rank.push_back(missing);
      else if (column.n_levels > 0)
        column.rank.push_back(static_cast<std::int32_t>(cell(i)));
      else
        column.rank.push_back(static_cast<std::int32_t>(
            std::lower_bound(column.values.begin(), column.values.end(), cell(i)) - column.values.begin()));
    }
  });
}

GrownForest grow_tree(const RankedRows& rows, double least_leaf, std::uint64_t seed) {
  GrownForest forest;
  TreeGrower(rows, least_leaf, seed, forest).grow();
  return forest;
}

void GrownForest::append(const GrownForest& other, std::size_t n_classes) {
  const auto n_nodes = static_cast<Index>(trees.nodes.size());
  const auto n_sets = static_cast<std::int32_t>(trees.set_first.size() - 1);
  const auto n_words = static_cast<Index>(trees.set_words.size());
  const auto n_leaves = static_cast<float>(shares.size() / n_classes);
  for (TreeNode node : other.trees.nodes) {
    if (node.left == 0) node.value += n_leaves;
    if (node.set >= 0) node.set += n_sets;
    trees.nodes.push_back(node);
  }
  const auto append_to = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
  append_to(trees.tree_output, other.trees.tree_output);
  for (std::size_t t = 1; t < other.trees.tree_first.size(); ++t)
    trees.tree_first.push_back(n_nodes + other.trees.tree_first[t]);
  for (std::size_t s = 1; s < other.trees.set_first.size(); ++s)
    trees.set_first.push_back(n_words + other.trees.set_first[s]);
  append_to(trees.set_words, other.trees.set_words);
  append_to(shares, other.shares);
}

} // namespace lacuna
