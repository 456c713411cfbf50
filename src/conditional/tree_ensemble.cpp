#include "conditional/tree_ensemble.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/archive_checks.hpp"
#include "core/index.hpp"

namespace lacuna {

namespace {

constexpr std::uint32_t bits_per_word = 32;

/// A stored list of whole numbers between low and high, both included.
template <typename Whole>
std::vector<Whole> load_whole(const Archive& archive, const std::string& name, Index size, double low,
                              double high) {
  std::vector<Whole> result;
  result.reserve(at(size));
  for (const double value : archive.vector(name, size)) {
    if (!(value >= low && value <= high) || value != std::floor(value))
      fail_damaged(name, "holds something else than whole numbers in its range");
    result.push_back(static_cast<Whole>(value));
  }
  return result;
}

/// Where parts begin, one more for the end: from 0 to `end`, each part with at least one element.
std::vector<Index> load_firsts(const Archive& archive, const std::string& name, Index end) {
  std::vector<Index> firsts =
      load_whole<Index>(archive, name, stored_length(archive, name), 0.0, static_cast<double>(end));
  bool holds = firsts.front() == 0 && firsts.back() == end;
  for (std::size_t i = 1; i < firsts.size(); ++i) holds = holds && firsts[i] > firsts[i - 1];
  if (!holds) fail_damaged(name, "does not rise from 0 to the number of elements");
  return firsts;
}

/// The length of a stored vector that may be empty.
Index length(const Archive& archive, const std::string& name) {
  const Tensor& tensor = archive.tensor(name);
  if (tensor.shape.size() != 1) fail_damaged(name, "has another shape than expected");
  return tensor.shape[0];
}

template <typename Field>
std::vector<float> field(const std::vector<TreeNode>& nodes, Field of) {
  std::vector<float> values;
  values.reserve(nodes.size());
  for (const TreeNode& node : nodes) values.push_back(static_cast<float>(of(node)));
  return values;
}

} // namespace

bool TreeEnsemble::goes_left(const TreeNode& node, float value) const {
  if (std::isnan(value)) return node.missing_left;
  if (node.set < 0) return value < node.value;
  const Index first = set_first[static_cast<std::size_t>(node.set)];
  const Index n_words = set_first[static_cast<std::size_t>(node.set) + 1] - first;
  if (!(value >= 0.0F && value < static_cast<float>(n_words * bits_per_word))) return true;
  const auto category = static_cast<std::uint32_t>(value);
  return (set_words[at(first) + category / bits_per_word] >> (category % bits_per_word) & 1U) == 0U;
}

const TreeNode& TreeEnsemble::leaf(std::size_t tree, std::span<const float> row) const {
  const TreeNode* const first = nodes.data() + tree_first[tree];
  const TreeNode* node = first;
  while (node->left != 0)
    node = first + node->left + (goes_left(*node, row[static_cast<std::size_t>(node->feature)]) ? 0 : 1);
  return *node;
}

// A walk waits for one node after the other and cannot foresee where it goes. So several rows walk side by
// side, without a branch that depends on their values; who has reached a leaf stays there.
void TreeEnsemble::find_leaves(std::size_t tree, std::span<const float> rows,
                               std::span<std::int32_t> leaves) const {
  constexpr std::size_t n_walkers = 8;
  const TreeNode* const first = nodes.data() + tree_first[tree];
  const std::size_t width = at(n_features);
  std::size_t row = 0;
  for (; row + n_walkers <= leaves.size(); row += n_walkers) {
    const float* const cells = rows.data() + row * width;
    std::array<std::int32_t, n_walkers> place{};
    bool is_walking = first->left != 0;
    while (is_walking) {
      is_walking = false;
      for (std::size_t walker = 0; walker < n_walkers; ++walker) {
        const TreeNode& node = first[place[walker]];
        const float value = cells[walker * width + static_cast<std::size_t>(node.feature)];
        bool is_left = (value < node.value) | ((value != value) & node.missing_left);
        if (node.set >= 0) [[unlikely]]
          is_left = goes_left(node, value);
        const bool is_inner = node.left != 0;
        const std::int32_t step = node.left + (is_left ? 0 : 1) - place[walker];
        place[walker] += is_inner ? step : 0;
        is_walking |= is_inner;
      }
    }
    std::copy(place.begin(), place.end(), leaves.begin() + static_cast<std::ptrdiff_t>(row));
  }
  for (; row < leaves.size(); ++row)
    leaves[row] = static_cast<std::int32_t>(&leaf(tree, rows.subspan(row * width, width)) - first);
}

void TreeEnsemble::add_margins(std::span<const float> row, std::span<float> outputs) const {
  for (std::size_t tree = 0; tree < tree_output.size(); ++tree)
    outputs[at(tree_output[tree])] += leaf(tree, row).value;
}

std::int32_t TreeEnsemble::add_set(std::span<const char> goes_right) {
  const std::size_t first = set_words.size();
  set_words.resize(first + goes_right.size() / bits_per_word + 1);
  for (std::size_t level = 0; level < goes_right.size(); ++level)
    if (goes_right[level] != 0) set_words[first + level / bits_per_word] |= 1U << (level % bits_per_word);
  set_first.push_back(static_cast<Index>(set_words.size()));
  return static_cast<std::int32_t>(set_first.size()) - 2;
}

void TreeEnsemble::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "tree_output", std::vector<double>(tree_output.begin(), tree_output.end()));
  archive.put(prefix + "tree_first", std::vector<double>(tree_first.begin(), tree_first.end()));
  // A tree has few nodes, features and sets are fewer than 2^24: all of it is exact in 32 bits.
  const std::vector<Index> shape{static_cast<Index>(nodes.size())};
  archive.put(prefix + "left", shape, field(nodes, [](const TreeNode& node) { return node.left; }));
  archive.put(prefix + "feature", shape, field(nodes, [](const TreeNode& node) { return node.feature; }));
  archive.put(prefix + "value", shape, field(nodes, [](const TreeNode& node) { return node.value; }));
  archive.put(prefix + "set", shape, field(nodes, [](const TreeNode& node) { return node.set; }));
  archive.put(prefix + "missing_left", shape,
              field(nodes, [](const TreeNode& node) { return node.missing_left ? 1 : 0; }));
  archive.put(prefix + "set_first", std::vector<double>(set_first.begin(), set_first.end()));
  archive.put(prefix + "set_words", std::vector<double>(set_words.begin(), set_words.end()));
}

TreeEnsemble TreeEnsemble::load(const Archive& archive, const std::string& prefix, Index n_features,
                                Index n_outputs) {
  constexpr double most = std::numeric_limits<std::int32_t>::max();
  TreeEnsemble trees;
  trees.n_features = n_features;
  trees.n_outputs = n_outputs;
  const Index n_words = length(archive, prefix + "set_words");
  trees.set_words = load_whole<std::uint32_t>(archive, prefix + "set_words", n_words, 0.0,
                                              std::numeric_limits<std::uint32_t>::max());
  trees.set_first = load_firsts(archive, prefix + "set_first", n_words);
  const auto n_sets = static_cast<double>(trees.set_first.size() - 1);

  const Index n = length(archive, prefix + "left");
  const auto left = load_whole<std::int32_t>(archive, prefix + "left", n, 0.0, most);
  const auto feature = load_whole<std::int32_t>(archive, prefix + "feature", n, 0.0,
                                                std::min(most, static_cast<double>(n_features - 1)));
  const auto set = load_whole<std::int32_t>(archive, prefix + "set", n, -1.0, n_sets - 1.0);
  const auto missing_left = load_whole<int>(archive, prefix + "missing_left", n, 0.0, 1.0);
  const std::vector<double>& value = archive.vector(prefix + "value", n);
  for (std::size_t i = 0; i < left.size(); ++i) {
    const auto single = static_cast<float>(value[i]);
    if (!std::isfinite(single)) fail_damaged(prefix + "value", "holds a value that is not a finite number");
    trees.nodes.push_back({left[i], feature[i], single, set[i], missing_left[i] == 1});
  }

  trees.tree_first = load_firsts(archive, prefix + "tree_first", n);
  trees.tree_output = load_whole<std::int32_t>(archive, prefix + "tree_output",
                                               static_cast<Index>(trees.tree_first.size()) - 1, 0.0,
                                               static_cast<double>(n_outputs - 1));
  for (std::size_t tree = 0; tree < trees.tree_output.size(); ++tree)
    for (Index node = trees.tree_first[tree]; node < trees.tree_first[tree + 1]; ++node) {
      // Children stand behind their parent and inside their tree: every walk ends.
      const Index child = trees.tree_first[tree] + trees.nodes[at(node)].left;
      if (child != trees.tree_first[tree] && (child <= node || child + 1 >= trees.tree_first[tree + 1]))
        fail_damaged(prefix + "left", "names a child that is not behind its parent in the same tree");
    }
  return trees;
}

} // namespace lacuna
