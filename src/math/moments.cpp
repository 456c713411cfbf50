#include "lacuna/math/moments.hpp"

#include <algorithm>

namespace lacuna {

RowMoments row_moments(const WeightedRows& rows) {
  const auto d = static_cast<std::size_t>(rows.n_features());
  RowMoments result{0.0, std::vector<double>(d), std::vector<double>(d)};
  // West's update: one pass, and no cancellation however far the data lie from zero.
  for (Index i = 0; i < rows.size(); ++i) {
    const double w = rows.weight(i);
    if (w <= 0.0) continue;
    result.weight += w;
    const double* const x = rows.row(i);
    const double share = w / result.weight;
    for (std::size_t j = 0; j < d; ++j) {
      const double difference = x[j] - result.mean[j];
      result.mean[j] += share * difference;
      result.variance[j] += w * difference * (x[j] - result.mean[j]);
    }
  }
  if (result.weight > 0.0)
    for (double& v : result.variance) v = std::max(0.0, v / result.weight);
  return result;
}

} // namespace lacuna
