#include "conditional/tree_passage.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/index.hpp"

namespace lacuna {

namespace {

/// The rank of a missing value that goes right; no bound is as high.
constexpr std::uint16_t highest_rank = std::numeric_limits<std::uint16_t>::max();

/// Whether each node but the root is the child of one other: a file may hold something else.
bool is_tree(std::span<const TreeNode> nodes) {
  std::vector<char> is_child(nodes.size());
  std::size_t n_children = 0;
  for (const TreeNode& node : nodes) {
    if (node.left == 0) continue;
    for (const std::size_t child : {at(node.left), at(node.left) + 1}) {
      n_children += is_child[child] == 0 ? 1 : 0;
      is_child[child] = 1;
    }
  }
  const auto n_splits = std::ranges::count_if(nodes, [](const TreeNode& node) { return node.left != 0; });
  return n_children + 1 == nodes.size() && n_children == 2 * static_cast<std::size_t>(n_splits);
}

/// The splits of a tree by their height: those below others come first, and a split seldom waits for the one
/// before it.
std::vector<std::size_t> upwards(std::span<const TreeNode> tree) {
  std::vector<int> height(tree.size());
  std::vector<std::size_t> splits;
  for (std::size_t k = tree.size(); k-- > 0;) {
    if (tree[k].left == 0) continue;
    height[k] = 1 + std::max(height[at(tree[k].left)], height[at(tree[k].left) + 1]);
    splits.push_back(k);
  }
  std::ranges::stable_sort(splits, {}, [&](std::size_t k) { return height[k]; });
  return splits;
}

} // namespace

Index tree_block_rows(Index n_features) {
  constexpr Index cells = 8192;
  constexpr Index fewest = 128;
  constexpr Index most = 1024;
  return std::clamp(cells / std::max<Index>(1, n_features) / tree_group * tree_group, fewest, most);
}

TreeLadders::TreeLadders(const TreeEnsemble& trees) : trees_(trees) {
  find_scales();
  for (std::size_t tree = 0; tree < trees.tree_output.size(); ++tree) ladders_.push_back(ladder(tree));
}

void TreeLadders::find_scales() {
  scale_of_.assign(at(trees_.n_features), -1);
  for (const TreeNode& node : trees_.nodes) {
    if (node.left == 0 || node.set >= 0) continue;
    std::int32_t& scale = scale_of_[at(node.feature)];
    if (scale < 0) {
      scale = static_cast<std::int32_t>(scales_.size());
      scales_.push_back({node.feature, {}});
    }
    scales_[at(scale)].bounds.push_back(node.value);
  }
  for (Scale& scale : scales_) {
    std::ranges::sort(scale.bounds);
    scale.bounds.erase(std::unique(scale.bounds.begin(), scale.bounds.end()), scale.bounds.end());
  }
}

/// x < bound where fewer bounds are at most x than are at most this one.
TreeStep TreeLadders::step(const TreeNode& node) const {
  const std::int32_t scale = scale_of_[at(node.feature)];
  const std::vector<float>& bounds = scales_[at(scale)].bounds;
  const auto place = std::ranges::lower_bound(bounds, node.value) - bounds.begin();
  return {.bound = static_cast<std::uint16_t>(place), .column = 2 * scale + (node.missing_left ? 0 : 1)};
}

TreeLadders::Ladder TreeLadders::ladder(std::size_t tree) const {
  const std::span<const TreeNode> nodes =
      std::span(trees_.nodes)
          .subspan(at(trees_.tree_first[tree]), at(trees_.tree_first[tree + 1] - trees_.tree_first[tree]));
  const auto asks_for_more = [&](const TreeNode& node) {
    return node.left != 0 &&
           (node.set >= 0 || scales_[at(scale_of_[at(node.feature)])].bounds.size() >= highest_rank);
  };
  if (static_cast<Index>(nodes.size()) > 2 * tree_kernels().most_steps ||
      std::ranges::any_of(nodes, asks_for_more) || !is_tree(nodes))
    return {};
  Ladder ladder;
  std::vector<std::uint16_t> place(nodes.size());
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    if (nodes[k].left != 0) continue;
    place[k] = static_cast<std::uint16_t>(ladder.leaves.size());
    ladder.leaves.push_back(static_cast<std::uint16_t>(k));
  }
  ladder.n_places = ladder.leaves.size();
  for (const std::size_t k : upwards(nodes)) {
    const std::size_t left = at(nodes[k].left);
    TreeStep next = step(nodes[k]);
    next.above = place[left + 1];
    next.others = place[left];
    // What a split below it had is not needed any more.
    if (nodes[left].left != 0)
      next.place = next.others;
    else if (nodes[left + 1].left != 0)
      next.place = next.above;
    else
      next.place = static_cast<std::uint16_t>(ladder.n_places++);
    place[k] = next.place;
    ladder.steps.push_back(next);
  }
  return ladder;
}

TreePassage::TreePassage(const TreeLadders& ladders, std::span<const float> rows)
    : ladders_(ladders), rows_(rows), n_rows_(rows.size() / at(ladders.trees_.n_features)),
      stride_((n_rows_ + at(tree_group) - 1) / at(tree_group) * at(tree_group)), leaves_(n_rows_) {
  constexpr std::size_t fewest_rows = 16;
  if (n_rows_ < fewest_rows) return;
  roots_.resize(stride_);
  ranks_.resize(2 * ladders.scales_.size() * stride_);
  for (const TreeLadders::Scale& scale : ladders.scales_) rank(scale);
}

/// How many bounds are at most x, for several rows at once: each waits for one comparison after the other.
void TreePassage::rank(const TreeLadders::Scale& scale) {
  constexpr std::size_t n_rows_at_once = 8;
  std::uint16_t* const low = ranks_.data() + columns_.size() * stride_;
  std::uint16_t* const high = low + stride_;
  const float* const cells = rows_.data() + scale.feature;
  const std::size_t width = at(ladders_.trees_.n_features);
  bool has_missing = false;
  for (std::size_t first = 0; first < n_rows_; first += n_rows_at_once) {
    float x[n_rows_at_once];
    for (std::size_t i = 0; i < n_rows_at_once; ++i) {
      x[i] = cells[std::min(first + i, n_rows_ - 1) * width];
      has_missing |= std::isnan(x[i]);
    }
    std::uint32_t rank[n_rows_at_once] = {};
    auto n = static_cast<std::uint32_t>(scale.bounds.size());
    const float* const bounds = scale.bounds.data();
    for (; n > 1; n -= n / 2)
      for (std::size_t i = 0; i < n_rows_at_once; ++i) // no branch, which nobody could foresee
        rank[i] += n / 2 & (0U - static_cast<std::uint32_t>(bounds[rank[i] + n / 2 - 1] <= x[i]));
    for (std::size_t i = 0; i < n_rows_at_once; ++i)
      low[first + i] =
          static_cast<std::uint16_t>(rank[i] + static_cast<std::uint32_t>(bounds[rank[i]] <= x[i]));
  }
  columns_.push_back(low);
  columns_.push_back(has_missing ? high : low);
  for (std::size_t i = 0; i < n_rows_ && has_missing; ++i)
    high[i] = std::isnan(cells[i * width]) ? highest_rank : low[i];
}

std::span<const std::int32_t> TreePassage::leaves(std::size_t tree) {
  const TreeLadders::Ladder& ladder = ladders_.ladders_[tree];
  if (columns_.empty() || ladder.steps.empty()) {
    ladders_.trees_.find_leaves(tree, rows_, leaves_);
    return leaves_;
  }
  places_.resize(std::max(places_.size(), ladder.n_places * at(tree_group)));
  for (std::size_t k = 0; k < ladder.leaves.size(); ++k)
    std::fill_n(places_.begin() + static_cast<std::ptrdiff_t>(k) * tree_group, tree_group, ladder.leaves[k]);
  tree_kernels().climb(ladder.steps.data(), static_cast<Index>(ladder.steps.size()), columns_.data(),
                       static_cast<Index>(stride_), places_.data(), roots_.data());
  std::copy_n(roots_.begin(), n_rows_, leaves_.begin());
  return leaves_;
}

void add_margins(const TreeLadders& ladders, std::span<const float> rows, std::span<float> outputs) {
  const TreeEnsemble& trees = ladders.trees();
  const std::size_t n_rows = rows.size() / at(trees.n_features);
  const std::size_t n_outputs = at(trees.n_outputs);
  TreePassage passage(ladders, rows);
  std::vector<float> sums(outputs.size()); // output by output
  for (std::size_t i = 0; i < n_rows; ++i)
    for (std::size_t k = 0; k < n_outputs; ++k) sums[k * n_rows + i] = outputs[i * n_outputs + k];
  for (std::size_t tree = 0; tree < trees.tree_output.size(); ++tree) {
    const std::span<const std::int32_t> leaves = passage.leaves(tree);
    const TreeNode* const nodes = trees.nodes.data() + trees.tree_first[tree];
    float* const sum = sums.data() + at(trees.tree_output[tree]) * n_rows;
    for (std::size_t i = 0; i < n_rows; ++i) sum[i] += nodes[leaves[i]].value;
  }
  for (std::size_t i = 0; i < n_rows; ++i)
    for (std::size_t k = 0; k < n_outputs; ++k) outputs[i * n_outputs + k] = sums[k * n_rows + i];
}

} // namespace lacuna
