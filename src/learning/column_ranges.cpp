#include "learning/column_ranges.hpp"

#include <algorithm>
#include <cmath>

#include "core/archive_checks.hpp"

namespace lacuna {

ColumnRanges ColumnRanges::of(const RowMoments& rows, std::span<const Index> levels) {
  ColumnRanges ranges{rows.low, rows.high};
  for (std::size_t j = 0; j < ranges.low.size(); ++j) {
    const bool is_category = !levels.empty() && levels[j] > 0;
    if (is_category || ranges.low[j] > ranges.high[j]) ranges.low[j] = ranges.high[j] = 0.0;
  }
  return ranges;
}

double ColumnRanges::strangeness(const double* row) const {
  constexpr double near = 0.5; // widths of the column
  double farthest = near;
  for (std::size_t j = 0; j < low.size(); ++j) {
    // Halves first: the width of a column of huge numbers may be beyond the largest one.
    const double half_width = 0.5 * high[j] - 0.5 * low[j];
    if (!(half_width > 0.0)) continue;
    const double half_outside = std::max(0.5 * low[j] - 0.5 * row[j], 0.5 * row[j] - 0.5 * high[j]);
    farthest = std::max(farthest, half_outside / half_width); // NaN, a missing value, is not larger
  }
  const double u = std::min(farthest - near, 1.0);
  return u * u * (3.0 - 2.0 * u);
}

void ColumnRanges::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "low", low);
  archive.put(prefix + "high", high);
}

ColumnRanges ColumnRanges::load(const Archive& archive, const std::string& prefix, Index n_features) {
  ColumnRanges ranges{archive.vector(prefix + "low", n_features),
                      archive.vector(prefix + "high", n_features)};
  for (std::size_t j = 0; j < ranges.low.size(); ++j)
    if (!(std::isfinite(ranges.low[j]) && std::isfinite(ranges.high[j]) && ranges.low[j] <= ranges.high[j]))
      fail_damaged(prefix + "high", "does not end a range");
  return ranges;
}

} // namespace lacuna
