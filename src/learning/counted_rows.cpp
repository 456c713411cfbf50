#include "learning/counted_rows.hpp"

#include <algorithm>

#include "core/index.hpp"

namespace lacuna {

bool has_uncounted_rows(const DatasetView& data) {
  return std::find(data.weights.begin(), data.weights.end(), 0.0) != data.weights.end();
}

Dataset counted_rows(const DatasetView& data) {
  Dataset result;
  result.class_names = data.class_names;
  result.feature_names = data.feature_names;
  result.levels = data.levels;
  const auto n_zero = std::count(data.weights.begin(), data.weights.end(), 0.0);
  result.features = Matrix(data.n_rows() - n_zero, data.n_features());
  Index n = 0;
  for (Index i = 0; i < data.n_rows(); ++i) {
    if (data.weight(i) == 0.0) continue;
    std::copy_n(data.features.row(i), data.n_features(), result.features.row(n++));
    result.weights.push_back(data.weight(i));
    if (!data.labels.empty()) result.labels.push_back(data.labels[at(i)]);
  }
  return result;
}

} // namespace lacuna
