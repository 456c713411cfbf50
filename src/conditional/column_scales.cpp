#include "conditional/column_scales.hpp"

#include <cmath>

#include "core/archive_checks.hpp"
#include "math/moments.hpp"

namespace lacuna {

ColumnScales ColumnScales::fit(const DatasetView& data, const LabeledRows& labeled) {
  RowMoments moments = row_moments(WeightedRows(data.features, labeled.rows, labeled.weights));
  ColumnScales scales{std::move(moments.mean), std::move(moments.variance)};
  for (std::size_t j = 0; j < scales.mean.size(); ++j) {
    const bool is_category = !data.levels.empty() && data.levels[j] > 0;
    const double deviation = std::sqrt(scales.scale[j]);
    // Values that differ by less than can be divided by are constant for all that follows.
    scales.scale[j] = is_category || !(deviation > 1e-150) ? 1.0 : deviation;
    if (is_category) scales.mean[j] = 0.0;
  }
  return scales;
}

void ColumnScales::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "mean", mean);
  archive.put(prefix + "scale", scale);
}

ColumnScales ColumnScales::load(const Archive& archive, const std::string& prefix, Index n_features) {
  ColumnScales scales{finite(archive.vector(prefix + "mean", n_features), prefix + "mean"),
                      archive.vector(prefix + "scale", n_features)};
  require_within(scales.mean, 1e150, prefix + "mean");
  for (const double scale : scales.scale)
    require_saved(scale >= 1e-150 && std::isfinite(scale), prefix + "scale", "a scale that is not above 0");
  return scales;
}

} // namespace lacuna
