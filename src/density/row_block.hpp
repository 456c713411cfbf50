#pragma once

#include <cstdint>
#include <new>
#include <vector>

#include "density/frame.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// Memory that begins with a line of the cache, so that no vector of the kernels lies across two.
template <class T>
struct CacheAligned {
  using value_type = T;
  static constexpr std::align_val_t line{64};
  CacheAligned() = default;
  template <class U>
  explicit CacheAligned(const CacheAligned<U>& /*other*/) {}
  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), line)); }
  void deallocate(T* p, std::size_t /*n*/) { ::operator delete(p, line); }
  bool operator==(const CacheAligned& /*other*/) const { return true; }
};
using AlignedValues = std::vector<double, CacheAligned<double>>;

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
  /// For moments_full.
  double* scratch() { return scratch_.data(); }

private:
  void load_levels(const double* row, Index b);

  const Frame& frame_;
  std::vector<double> inverse_scale_;
  Index capacity_;
  Index stride_;
  Index n_rows_ = 0;
  Index n_padded_ = 0;
  AlignedValues features_;
  std::vector<std::int32_t> levels_;
  AlignedValues weights_;
  AlignedValues logits_;
  AlignedValues totals_;
  AlignedValues scratch_;
};

} // namespace lacuna
