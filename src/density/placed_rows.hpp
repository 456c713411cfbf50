#pragma once

#include <memory>
#include <optional>
#include <span>

#include "density/mixture_moments.hpp"
#include "density/row_products.hpp"

namespace lacuna {

/// Complete rows where PassesAt says: on a GPU, for passes by matrix products.
class PlacedRows {
public:
  /// Null where the kernels do better, or nobody named another place: rows that are few, have categories, or
  /// lie beyond all measure.
  static std::unique_ptr<PlacedRows> place(const WeightedRows& rows, const Frame& frame);

  /// What collect_moments says, to the last digits but few. Nothing where memory has run out: then the rows
  /// are there no longer.
  std::optional<MixtureMoments> collect(const MixtureTerms& terms) const;
  /// The log density of every row, in the frame. False where memory has run out.
  bool log_density(const MixtureTerms& terms, std::span<double> out) const;

private:
  explicit PlacedRows(std::unique_ptr<RowProducts> rows) : rows_(std::move(rows)) {}

  mutable std::unique_ptr<RowProducts> rows_; ///< null: memory ran out
};

} // namespace lacuna
