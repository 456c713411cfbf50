#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace LACUNA_API lacuna {

/// The label of a row whose label is missing. Class numbers start at 0, so it cannot collide with a class.
inline constexpr int missing_label = -1;

/// The largest feature value that is accepted: squares of it, and sums of those, stay finite.
inline constexpr double largest_feature = 1e100;
/// Columns whose values differ by less, but do differ, are refused: squares of such differences underflow.
inline constexpr double smallest_spread = 1e-100;
/// A weight counts rows: beyond this, sums over rows lose the digits that the others need.
inline constexpr double largest_weight = 1e12;

class WholeTable; // src/data/whole_table.hpp

/// Feature vectors with labels for some of them.
struct Dataset {
  Matrix features;         ///< one row per observation; NaN is a missing value
  std::vector<int> labels; ///< class number or missing_label, one per row; empty: nothing is labeled
  std::vector<std::string> class_names;   ///< the label set Y; may name classes without a labeled row
  std::vector<std::string> feature_names; ///< one per column
  std::vector<double> weights;            ///< one per row; empty: all one
  std::vector<Index> levels; ///< per column: 0 for numbers, or how many categories it holds, as numbers from
                             ///< 0; empty: all are numbers
  /// The table of which these rows are a part: all that have a label, and a sample of the others. Null: they
  /// are all rows. Comes from reading a file that is larger than memory.
  std::shared_ptr<const WholeTable> whole = nullptr;

  Index n_rows() const { return features.n_rows(); }
  Index n_features() const { return features.n_cols(); }
  Index n_classes() const { return static_cast<Index>(class_names.size()); }
  bool is_labeled(Index row) const {
    return !labels.empty() && labels[static_cast<std::size_t>(row)] != missing_label;
  }
  double weight(Index row) const { return weights.empty() ? 1.0 : weights[static_cast<std::size_t>(row)]; }
};

/// A data set whose rows are borrowed, so that they may lie in memory that is not ours: a NumPy array, a
/// mapped file. What it borrows must outlive it.
struct DatasetView {
  DatasetView() = default;
  // Implicit: who takes a view takes a data set.
  DatasetView(const Dataset& data) // NOLINT(google-explicit-constructor)
      : features(data.features.view()), labels(data.labels), class_names(data.class_names),
        feature_names(data.feature_names), weights(data.weights), levels(data.levels),
        whole(data.whole.get()) {}

  MatrixView features;
  std::span<const int> labels;
  std::vector<std::string> class_names;
  std::vector<std::string> feature_names;
  std::span<const double> weights;
  std::vector<Index> levels;
  const WholeTable* whole = nullptr;

  /// The number of a row in its table, which keys what is done by lot.
  Index number(Index row) const;
  Index n_rows() const { return features.n_rows; }
  Index n_features() const { return features.n_cols; }
  Index n_classes() const { return static_cast<Index>(class_names.size()); }
  bool is_labeled(Index row) const {
    return !labels.empty() && labels[static_cast<std::size_t>(row)] != missing_label;
  }
  double weight(Index row) const { return weights.empty() ? 1.0 : weights[static_cast<std::size_t>(row)]; }
};

/// Throws Error(data) that names row, column and value when a feature is infinite or larger than
/// largest_feature, when the numbers of a column differ by less than smallest_spread, when a category is
/// outside its column's levels, when a label is outside the classes, a weight is negative or larger than
/// largest_weight, or sizes disagree.
void check_dataset(const DatasetView& data);

/// The part about one row's weight; `row` is its number in its table, from 0.
void check_weight(double weight, Index row);

/// Throws Error(data) that names row, column and remedy when a feature is missing. `names` may be empty;
/// `first_row` is the number of the first row in its table; `user` says what needs complete rows: "pca".
void require_complete(MatrixView features, const std::vector<std::string>& names, Index first_row,
                      const std::string& user);

} // namespace lacuna
