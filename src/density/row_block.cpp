#include "density/row_block.hpp"

#include <algorithm>

#include "density/kernels.hpp"

namespace lacuna {

namespace {

/// 128 kB of logits or features, whichever is more, but never too few rows to vectorise nor more than useful.
Index block_capacity(Index n_features, Index n_components, Index most_rows) {
  const Index rows = 16384 / std::max<Index>({1, n_features, n_components});
  const Index capacity = std::clamp<Index>(rows / kernel_lanes * kernel_lanes, 4 * kernel_lanes, 512);
  return std::min(capacity, (most_rows + kernel_lanes - 1) / kernel_lanes * kernel_lanes);
}

/// One line of the cache more than the rows take: with a power of two, all features of a row would compete
/// for the same few places in the cache.
Index block_stride(Index capacity) {
  constexpr Index values_per_line = 8;
  return capacity + values_per_line;
}

/// The level of a cell, or -1: what is no level is a missing value.
std::int32_t level_of(double cell, Index n_levels) {
  return cell >= 0.0 && cell < static_cast<double>(n_levels) ? static_cast<std::int32_t>(cell) : -1;
}

/// Values per row that the terms of a mixture write down.
constexpr Index term_scratch = 3;

std::size_t product(Index a, Index b) {
  return static_cast<std::size_t>(a * b);
}

} // namespace

RowBlock::RowBlock(const Frame& frame, Index n_components, Index most_rows)
    : frame_(frame), capacity_(block_capacity(frame.n_features(), n_components, most_rows)),
      stride_(block_stride(capacity_)), features_(product(frame.n_features(), stride_)),
      levels_(product(static_cast<Index>(frame.categories.size()), stride_)), weights_(product(1, capacity_)),
      logits_(product(n_components, stride_)), totals_(product(1, capacity_)),
      scratch_(product(std::max(term_scratch, moments_scratch(frame.n_features())), stride_)) {
  for (const double s : frame.scale) inverse_scale_.push_back(1.0 / s);
}

void RowBlock::load(const WeightedRows& rows, Index first, Index count) {
  n_rows_ = count;
  n_padded_ = (count + kernel_lanes - 1) / kernel_lanes * kernel_lanes;
  const Index d = frame_.n_features();
  const double* const center = frame_.center.data();
  const double* const inverse_scale = inverse_scale_.data();
  const Index* const columns = frame_.columns.data();
  if (rows.is_listed()) {
    constexpr Index ahead = 24; // rows whose way from memory takes as long as these do
    for (Index b = 0; b < count; ++b) {
      if (first + b + ahead < rows.size()) __builtin_prefetch(rows.row(first + b + ahead));
      const double* const cells = rows.row(first + b);
      double* to = features_.data() + b;
      for (Index j = 0; j < d; ++j, to += stride_) *to = (cells[columns[j]] - center[j]) * inverse_scale[j];
    }
  } else { // one behind the other, which is quicker column by column
    const Index width = rows.n_features();
    for (Index j = 0; j < d; ++j) {
      const double* const cells = rows.row(first) + columns[j];
      double* const to = features_.data() + j * stride_;
      for (Index b = 0; b < count; ++b) to[b] = (cells[b * width] - center[j]) * inverse_scale[j];
    }
  }
  for (Index b = 0; b < count; ++b) {
    if (!frame_.categories.empty()) load_levels(rows.row(first + b), b);
    weights_[static_cast<std::size_t>(b)] = rows.weight(first + b);
  }
  for (Index b = count; b < n_padded_; ++b) {
    for (Index j = 0; j < d; ++j) features_[static_cast<std::size_t>(j * stride_ + b)] = 0.0;
    for (Index c = 0; c < n_category_columns(); ++c)
      levels_[static_cast<std::size_t>(c * stride_ + b)] = static_cast<std::int32_t>(frame_.n_levels());
    weights_[static_cast<std::size_t>(b)] = 0.0;
  }
}

void RowBlock::load_levels(const double* row, Index b) {
  auto to = static_cast<std::size_t>(b);
  for (const CategoryColumn& category : frame_.categories) {
    const std::int32_t level = level_of(row[category.column], category.n_levels);
    levels_[to] = static_cast<std::int32_t>(level < 0 ? frame_.n_levels() : category.first_level + level);
    to += static_cast<std::size_t>(stride_);
  }
}

} // namespace lacuna
