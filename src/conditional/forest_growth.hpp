#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "conditional/labeled_rows.hpp"
#include "conditional/tree_ensemble.hpp"

namespace lacuna {

/// What a forest is grown from: labeled rows, column by column, as ranks.
struct RankedRows {
  /// `cells` holds the labeled rows as trees see them, row after row. Numbers become their rank among the
  /// column's different values, so that no monotone change of a column matters; categories are what they are.
  RankedRows(const DatasetView& data, const LabeledRows& labeled, std::span<const float> cells, int threads);

  static constexpr std::int32_t missing = -1;
  struct Column {
    std::vector<std::int32_t> rank; ///< per row; or `missing`
    std::vector<float> values;      ///< the different values, rising; empty for categories
    std::size_t n_levels = 0;       ///< of categories; 0 for numbers
  };
  std::vector<Column> columns;
  std::vector<std::size_t> place; ///< per row: its class
  std::vector<double> weights;
  std::size_t n_classes = 0;
};

/// Trees whose leaves hold the shares of the classes: `trees` has the number of its line as a leaf's value.
struct GrownForest {
  TreeEnsemble trees{0, 1, {}, {0}, {}, {0}, {}};
  std::vector<float> shares; ///< lines of n_classes

  void append(const GrownForest& other, std::size_t n_classes);
};

/// A tree that depends on the rows, their weights and the seed, not on the order of the rows. No leaf
/// weighs less than `least_leaf`.
GrownForest grow_tree(const RankedRows& rows, double least_leaf, std::uint64_t seed);

} // namespace lacuna
