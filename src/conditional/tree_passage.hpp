#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conditional/tree_ensemble.hpp"
#include "conditional/tree_kernels.hpp"

namespace lacuna {

/// So many rows pass each tree before the next one does: they and a tree stay in the cache.
Index tree_block_rows(Index n_features);

/// The trees of an ensemble made ready for rows that take every split side by side: what they ask a number is
/// its rank among all numbers that they compare with, which has 16 bits. Immutable.
class TreeLadders {
public:
  /// The trees must outlive this, and stay as they are.
  explicit TreeLadders(const TreeEnsemble& trees);
  TreeLadders(const TreeLadders&) = delete;
  TreeLadders& operator=(const TreeLadders&) = delete;

  const TreeEnsemble& trees() const { return trees_; }

private:
  friend class TreePassage;

  /// The numbers that splits compare one feature with, rising.
  struct Scale {
    std::int32_t feature;
    std::vector<float> bounds;
  };
  /// Of one tree; without steps it is a leaf, or too large, or asks for categories, and rows walk through it.
  struct Ladder {
    std::vector<TreeStep> steps;
    std::vector<std::uint16_t> leaves; ///< the nodes that have the first places
    std::size_t n_places = 0;
  };

  void find_scales();
  Ladder ladder(std::size_t tree) const;
  TreeStep step(const TreeNode& node) const;

  const TreeEnsemble& trees_;
  std::vector<Scale> scales_;
  std::vector<std::int32_t> scale_of_; ///< by feature
  std::vector<Ladder> ladders_;
};

/// Some rows on their way through the trees of an ensemble, all of them through one tree at a time.
class TreePassage {
public:
  /// The rows lie one behind the other. They and the ladders must outlive this.
  TreePassage(const TreeLadders& ladders, std::span<const float> rows);

  /// As TreeEnsemble::find_leaves; valid until the next call.
  std::span<const std::int32_t> leaves(std::size_t tree);

private:
  void rank(const TreeLadders::Scale& scale);

  const TreeLadders& ladders_;
  std::span<const float> rows_;
  std::size_t n_rows_;
  std::size_t stride_;
  std::vector<std::uint16_t> ranks_;
  std::vector<const std::uint16_t*>
      columns_; ///< two per scale: missing values low, and high; empty: few rows
  std::vector<std::uint16_t> places_;
  std::vector<std::uint16_t> roots_;
  std::vector<std::int32_t> leaves_;
};

/// TreeEnsemble::add_margins for rows that lie one behind the other, as their outputs do.
void add_margins(const TreeLadders& ladders, std::span<const float> rows, std::span<float> outputs);

} // namespace lacuna
