#pragma once

#include <span>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"
#include "math/moments.hpp"

namespace lacuna {

/// A column of categories: its cells hold numbers from 0 to n_levels - 1; anything else is a missing value.
struct CategoryColumn {
  Index column = 0; ///< where it stands in a row
  Index n_levels = 0;
  Index first_level = 0; ///< where its levels begin among those of all such columns
};

/// How a density sees a row: each numeric feature shifted to mean zero and scaled to a typical size of one,
/// categories by their number. Because priors live in this frame, fits do not change when a user shifts or
/// rescales the features.
struct Frame {
  std::vector<double> center;
  std::vector<double> scale;  ///< positive
  std::vector<Index> columns; ///< where in a row each numeric feature stands
  std::vector<CategoryColumn> categories;

  /// Numeric ones.
  Index n_features() const { return static_cast<Index>(center.size()); }
  Index n_columns() const { return n_features() + static_cast<Index>(categories.size()); }
  /// Of all columns of categories together.
  Index n_levels() const {
    return categories.empty() ? 0 : categories.back().first_level + categories.back().n_levels;
  }
  /// Of rows that are in the frame already.
  static Frame identity(Index n_features);
  /// log |dz/dx|: add it to a log density in the frame to get one in the user's units.
  double log_jacobian() const;
  /// The same frame for rows that have only some of the numeric features.
  Frame select(std::span<const Index> features) const;
  void save(Archive& archive, const std::string& prefix) const;
  static Frame load(const Archive& archive, const std::string& prefix, Index n_columns);
};

/// The frame of rows with such moments. The variance is the rows' own, drawn towards `reference_variance` as
/// if by `reference_rows` more rows of it, so that a single row or a constant feature has a scale too. With
/// no such rows, only a feature without a variance of its own takes the reference's; one without any value
/// takes its mean too, and one that some rows lack is drawn towards it in proportion. Both references may be
/// empty. `levels` has, per column, the number of categories or 0
/// for a number; empty: all are numbers.
Frame make_frame(const RowMoments& own, std::span<const Index> levels, std::span<const double> reference_mean,
                 std::span<const double> reference_variance, double reference_rows);
Frame make_frame(const WeightedRows& rows, std::span<const Index> levels,
                 std::span<const double> reference_mean, std::span<const double> reference_variance,
                 double reference_rows);

} // namespace lacuna
