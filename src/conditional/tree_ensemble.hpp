#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A node of a decision tree. Its two children stand beside each other, somewhere behind it.
struct TreeNode {
  std::int32_t left = 0; ///< the left child, counted from the tree's first node; 0: this is a leaf
  std::int32_t feature = 0;
  float value = 0.0F;        ///< smaller numbers go left, others right; of a leaf: what it adds
  std::int32_t set = -1;     ///< of the categories that go right, others go left; -1: a number is compared
  bool missing_left = false; ///< where a missing value goes
};

/// Decision trees whose leaves add up, evaluated as XGBoost does: features are 32-bit floats, and each output
/// is summed in them, tree after tree.
struct TreeEnsemble {
  Index n_features = 0;
  Index n_outputs = 0;
  std::vector<std::int32_t> tree_output; ///< per tree: the output it adds to
  std::vector<Index> tree_first;         ///< per tree: its first node; one more for the end
  std::vector<TreeNode> nodes;
  std::vector<Index> set_first;         ///< per set of categories: its first word; one more for the end
  std::vector<std::uint32_t> set_words; ///< category c is bit c % 32 of its set's word c / 32

  /// Where a row ends in a tree. NaN is a missing value.
  const TreeNode& leaf(std::size_t tree, std::span<const float> row) const;
  /// The same for rows that lie one behind the other: their leaves' numbers among the tree's nodes.
  void find_leaves(std::size_t tree, std::span<const float> rows, std::span<std::int32_t> leaves) const;
  /// Adds every tree's leaf for a row to its outputs.
  void add_margins(std::span<const float> row, std::span<float> outputs) const;

  /// The number of a new set of the levels that go right.
  std::int32_t add_set(std::span<const char> goes_right);

  void save(Archive& archive, const std::string& prefix) const;
  /// Whatever the archive claims, add_margins is safe on what comes back. Throws Error(data).
  static TreeEnsemble load(const Archive& archive, const std::string& prefix, Index n_features,
                           Index n_outputs);

private:
  bool goes_left(const TreeNode& node, float value) const;
};

} // namespace lacuna
