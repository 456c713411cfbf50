#pragma once

#include <cstdint>
#include <vector>

#include "core/aligned.hpp"
#include "density/frame.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A few hundred rows in the frame's units, stored feature by feature as the kernels want them, with scratch
/// space for one value per row and component. Small enough to stay in the processor's cache.
class RowBlock {
public:
  /// For up to `most_rows` rows at a time, where fewer than the cache holds are to come. The frame must
  /// outlive the block.
  RowBlock(const Frame& frame, Index n_components, Index most_rows = 512);

  /// The most rows a block takes; depends on the problem's shape only.
  Index capacity() const { return capacity_; }
  /// Loads rows first .. first+count; padding rows get weight zero.
  void load(const WeightedRows& rows, Index first, Index count);

  Index n_rows() const { return n_rows_; }
  Index n_padded() const { return n_padded_; }
  Index stride() const { return stride_; }
  const double* features() const { return features_.data(); }
  /// Of category column c and row b at [c * stride + b]: the level among those of all such columns; their
  /// number where the value is missing.
  const std::int32_t* levels() const { return levels_.data(); }
  Index n_category_columns() const { return static_cast<Index>(frame_.categories.size()); }
  const double* weights() const { return weights_.data(); }
  double* logits() { return logits_.data(); }
  double* totals() { return totals_.data(); } ///< one value per row
  /// For moments_full, and for what a component of several steps adds up: three values per row.
  double* scratch() { return scratch_.data(); }

private:
  void load_levels(const double* row, Index b);

  const Frame& frame_;
  std::vector<double> inverse_scale_;
  Index capacity_;
  Index stride_;
  Index n_rows_ = 0;
  Index n_padded_ = 0;
  AlignedDoubles features_;
  std::vector<std::int32_t> levels_;
  AlignedDoubles weights_;
  AlignedDoubles logits_;
  AlignedDoubles totals_;
  AlignedDoubles scratch_;
};

} // namespace lacuna
