#pragma once

#include <span>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "math/moments.hpp"

namespace lacuna {

/// Between which numbers the rows of a table lie, column by column: a row far outside of one of them is
/// unlike all others, whatever a density in many columns makes of it.
struct ColumnRanges {
  std::vector<double> low;  ///< a column that says nothing, of categories or of one value, has
  std::vector<double> high; ///< equal ends

  /// Of the rows with these moments; `levels` as in Dataset.
  static ColumnRanges of(const RowMoments& rows, std::span<const Index> levels);

  /// How likely the row is unlike all others: 0 up to half as far outside as the column is wide, 1 from one
  /// and a half on; the column that says most decides.
  double strangeness(const double* row) const;

  void save(Archive& archive, const std::string& prefix) const;
  /// Throws Error(data).
  static ColumnRanges load(const Archive& archive, const std::string& prefix, Index n_features);
};

} // namespace lacuna
