#include "density/row_block.hpp"

#include <algorithm>

#include "density/kernels.hpp"

namespace lacuna {

namespace {

/// 128 kB of logits or features, whichever is more, but never too few rows to vectorise nor more than useful.
Index block_capacity(Index n_features, Index n_components) {
  const Index rows = 16384 / std::max<Index>({1, n_features, n_components});
  return std::clamp<Index>(rows / kernel_lanes * kernel_lanes, 4 * kernel_lanes, 512);
}

std::size_t product(Index a, Index b) {
  return static_cast<std::size_t>(a * b);
}

} // namespace

RowBlock::RowBlock(const Frame& frame, Index n_components)
    : frame_(frame), capacity_(block_capacity(frame.n_features(), n_components)),
      features_(product(frame.n_features(), capacity_)), weights_(product(1, capacity_)),
      logits_(product(n_components, capacity_)), totals_(product(1, capacity_)) {
  for (const double s : frame.scale) inverse_scale_.push_back(1.0 / s);
}

void RowBlock::load(const WeightedRows& rows, Index first, Index count) {
  n_rows_ = count;
  n_padded_ = (count + kernel_lanes - 1) / kernel_lanes * kernel_lanes;
  const Index d = frame_.n_features();
  for (Index b = 0; b < count; ++b) {
    const double* const x = rows.row(first + b);
    for (Index j = 0; j < d; ++j) {
      const auto at = static_cast<std::size_t>(j);
      features_[static_cast<std::size_t>(j * capacity_ + b)] =
          (x[j] - frame_.center[at]) * inverse_scale_[at];
    }
    weights_[static_cast<std::size_t>(b)] = rows.weight(first + b);
  }
  for (Index b = count; b < n_padded_; ++b) {
    for (Index j = 0; j < d; ++j) features_[static_cast<std::size_t>(j * capacity_ + b)] = 0.0;
    weights_[static_cast<std::size_t>(b)] = 0.0;
  }
}

} // namespace lacuna
