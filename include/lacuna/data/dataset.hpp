#pragma once

#include <span>
#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// The label of a row whose label is missing. Class numbers start at 0, so it cannot collide with a class.
inline constexpr int missing_label = -1;

/// The largest feature value that is accepted: squares of it, and sums of those, stay finite.
inline constexpr double largest_feature = 1e100;

/// Feature vectors with labels for some of them.
struct Dataset {
  Matrix features;         ///< one row per observation
  std::vector<int> labels; ///< class number or missing_label, one per row; empty: nothing is labeled
  std::vector<std::string> class_names;   ///< the label set Y; may name classes without a labeled row
  std::vector<std::string> feature_names; ///< one per column
  std::vector<double> weights;            ///< one per row; empty: all one

  Index n_rows() const { return features.n_rows(); }
  Index n_features() const { return features.n_cols(); }
  Index n_classes() const { return static_cast<Index>(class_names.size()); }
  bool is_labeled(Index row) const {
    return !labels.empty() && labels[static_cast<std::size_t>(row)] != missing_label;
  }
  double weight(Index row) const { return weights.empty() ? 1.0 : weights[static_cast<std::size_t>(row)]; }
};

/// Throws Error(data) that names row, column and value when a feature is not finite or larger than
/// largest_feature, when a label is outside the classes, a weight is negative or not finite, or sizes
/// disagree.
void check_dataset(const Dataset& data);

} // namespace lacuna
