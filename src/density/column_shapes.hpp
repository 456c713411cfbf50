#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

/// How one column is seen by a density: as it is, unless one of these says otherwise (docs/math/columns.md).
struct ColumnShape {
  Index n_levels = 0;           ///< 0 for a number, or how many categories the column has
  double anchor = 0.0;          ///< of a number x, asinh((x - anchor) / scale) is seen
  double scale = 0.0;           ///< 0: x itself
  std::optional<double> spike;  ///< a value that is told from the numbers by a category of its own
  std::vector<Index> joined;    ///< per category: the one it is seen as; empty: itself
  std::vector<double> log_part; ///< per category: log of its share of that one

  bool is_plain() const { return scale == 0.0 && !spike && joined.empty(); }
  /// As the density sees it; 0 for a number.
  Index n_seen_levels() const;
};

/// A change of columns that makes them easier for a mixture: long tails shortened, a value that many rows
/// share told from the others, rare categories taken as one. Row for row, and one to one up to the joined
/// categories. Seen rows have the given columns in their order, then one column of two categories, number or
/// spike, for every spike. Immutable.
class ColumnShapes {
public:
  explicit ColumnShapes(std::vector<ColumnShape> columns);

  Index n_columns() const { return static_cast<Index>(columns_.size()); }
  Index n_seen() const { return static_cast<Index>(levels_.size()); }
  /// Of the seen columns, as in Dataset.
  const std::vector<Index>& levels() const { return levels_; }
  const std::vector<ColumnShape>& columns() const { return columns_; }

  /// Writes the row as it is seen and returns the log Jacobian: what to add to a log density of the seen row
  /// to get one of the row itself, in which a spike has a mass beside the numbers' density. NaN is a missing
  /// value, before and after.
  double see(const double* row, double* seen) const;
  /// The way back; a joined category is drawn from those it stands for.
  void look_back(const double* seen, RandomStream& random, double* row) const;

  /// What was done, for the user: "columns taken as a spike and a number: a (0); ...". Without names columns
  /// go by their number, from 1.
  std::string describe(std::span<const std::string> names) const;

  void save(Archive& archive, const std::string& prefix) const;
  /// Throws Error(data).
  static std::shared_ptr<const ColumnShapes> load(const Archive& archive, const std::string& prefix,
                                                  Index n_columns);

private:
  std::vector<ColumnShape> columns_;
  std::vector<Index> levels_;
};

/// The shapes that the rows ask for, or null when every column is fine as it is. `levels` as in
/// DensityFitContext. Without `may_lack_numbers` no spike is taken. Neither the order of the rows nor the
/// number of threads matters.
std::shared_ptr<const ColumnShapes> fit_column_shapes(const WeightedRows& rows, std::span<const Index> levels,
                                                      bool may_lack_numbers, int threads);

} // namespace lacuna
