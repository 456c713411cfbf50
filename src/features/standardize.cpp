#include "features/standardize.hpp"

#include <cmath>

#include "core/archive_checks.hpp"
#include "features/row_tasks.hpp"
#include "math/moments.hpp"

namespace lacuna {

std::shared_ptr<const Standardize> Standardize::fit(MatrixView rows, std::span<const Index> levels) {
  RowMoments moments = row_moments(WeightedRows(rows));
  for (double& scale : moments.variance) {
    scale = std::sqrt(scale);
    // Values that differ by less than can be divided by are constant for all that follows.
    if (!(scale > 1e-150)) scale = 1.0;
  }
  for (std::size_t j = 0; j < levels.size(); ++j) {
    if (levels[j] == 0) continue;
    moments.mean[j] = 0.0;
    moments.variance[j] = 1.0;
  }
  return std::make_shared<Standardize>(std::move(moments.mean), std::move(moments.variance));
}

void Standardize::apply(MatrixView rows, const ApplyOptions& how, Matrix& out) const {
  out = Matrix(rows.n_rows, n_outputs());
  for_row_tasks(rows.n_rows, how.threads, [&](Index first, Index count) {
    for (Index i = first; i < first + count; ++i)
      for (Index j = 0; j < rows.n_cols; ++j) {
        const auto at = static_cast<std::size_t>(j);
        out(i, j) = (rows(i, j) - means_[at]) / scales_[at];
      }
  });
}

void Standardize::save_parts(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "means", means_);
  archive.put(prefix + "scales", scales_);
}

std::shared_ptr<const Standardize> Standardize::load(const Archive& archive, const std::string& prefix) {
  const Index n = stored_length(archive, prefix + "means");
  std::vector<double> means = finite(archive.vector(prefix + "means", n), prefix + "means");
  std::vector<double> scales = finite(archive.vector(prefix + "scales", n), prefix + "scales");
  require_within(means, 1e150, prefix + "means");
  for (const double scale : scales)
    if (!(scale >= 1e-150)) fail_damaged(prefix + "scales", "holds a scale that is too near to 0");
  return std::make_shared<Standardize>(std::move(means), std::move(scales));
}

} // namespace lacuna
