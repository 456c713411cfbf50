#pragma once

#include <vector>

#include "density/frame.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// Which of a frame's numeric features a row has, and which it lacks; both increasing.
struct GapPattern {
  std::vector<Index> present;
  std::vector<Index> missing;
};

/// Rows that lack the same features.
struct GapGroup {
  GapPattern pattern;
  std::vector<Index> rows;     ///< of the matrix
  std::vector<double> weights; ///< one per row
};

/// Some of the rows of a group.
struct GapPiece {
  const GapGroup* group = nullptr;
  Index first = 0;
  Index count = 0;
};

/// Rows, sorted by which numeric features they lack: what a pattern of gaps costs is then paid once, not per
/// row. Rows without any value, numeric or not, say nothing and are left out, as are rows of no weight among
/// those with gaps. The rows given must outlive this.
class RowGroups {
public:
  RowGroups(const WeightedRows& rows, const Frame& frame);
  RowGroups(const RowGroups&) = delete;
  RowGroups& operator=(const RowGroups&) = delete;
  ~RowGroups() = default;

  /// The rows that have every numeric feature: all of them, untouched, where none has a gap.
  const WeightedRows& complete() const { return complete_; }
  /// The rows that have a value at all.
  const WeightedRows& with_values() const { return with_values_; }
  WeightedRows rows_of(const GapGroup& group) const { return {features_, group.rows, group.weights}; }
  const std::vector<GapGroup>& groups() const { return groups_; }
  /// Numbers of the rows, among those given, that have no value at all.
  const std::vector<Index>& empty_rows() const { return empty_rows_; }
  /// The groups cut into pieces of at most so many rows.
  std::vector<GapPiece> pieces(Index most_rows) const;

  double total_weight() const { return total_weight_; }
  /// sum over rows and missing numeric features of weight times log scale: what the Jacobian of complete rows
  /// counts too much.
  double missing_log_scale(const Frame& frame) const;

private:
  MatrixView features_;
  std::vector<Index> complete_rows_;
  std::vector<double> complete_weights_;
  std::vector<Index> value_rows_;
  std::vector<double> value_weights_;
  WeightedRows complete_;
  WeightedRows with_values_;
  std::vector<GapGroup> groups_;
  std::vector<Index> empty_rows_;
  double total_weight_ = 0.0;
};

/// Whether a row has any value, numeric or not.
bool has_value(const double* row, const Frame& frame);

} // namespace lacuna
