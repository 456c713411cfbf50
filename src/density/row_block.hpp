#pragma once

#include <vector>

#include "density/frame.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A few hundred rows in the frame's units, stored feature by feature as the kernels want them, with scratch
/// space for one value per row and component. Small enough to stay in the processor's cache.
class RowBlock {
public:
  RowBlock(const Frame& frame, Index n_components);

  /// The most rows a block takes; depends on the problem's shape only.
  Index capacity() const { return capacity_; }
  /// Loads rows first .. first+count; padding rows get weight zero.
  void load(const WeightedRows& rows, Index first, Index count);

  Index n_rows() const { return n_rows_; }
  Index n_padded() const { return n_padded_; }
  Index stride() const { return capacity_; }
  const double* features() const { return features_.data(); }
  const double* weights() const { return weights_.data(); }
  double* logits() { return logits_.data(); }
  double* totals() { return totals_.data(); } ///< one value per row

private:
  const Frame& frame_;
  std::vector<double> inverse_scale_;
  Index capacity_;
  Index n_rows_ = 0;
  Index n_padded_ = 0;
  std::vector<double> features_;
  std::vector<double> weights_;
  std::vector<double> logits_;
  std::vector<double> totals_;
};

} // namespace lacuna
