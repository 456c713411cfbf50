#include "learning/column_ranges.hpp"

#include <algorithm>
#include <cmath>

#include "core/archive_checks.hpp"
#include "core/index.hpp"

namespace lacuna {

ColumnRanges ColumnRanges::of(const DatasetView& data) {
  const std::size_t n = at(data.n_features());
  ColumnRanges ranges{std::vector<double>(n), std::vector<double>(n)};
  for (std::size_t j = 0; j < n; ++j) {
    if (!data.levels.empty() && data.levels[j] > 0) continue;
    bool is_first = true;
    for (Index i = 0; i < data.n_rows(); ++i) {
      const double value = data.features.row(i)[j];
      if (std::isnan(value) || data.weight(i) == 0.0) continue;
      ranges.low[j] = is_first ? value : std::min(ranges.low[j], value);
      ranges.high[j] = is_first ? value : std::max(ranges.high[j], value);
      is_first = false;
    }
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
