#include "pipeline/class_isotonic.hpp"

#include <algorithm>

namespace lacuna {

ClassIsotonic::ClassIsotonic(const HeldOutProbabilities& rows) {
  if (rows.labels.empty()) return;
  for (Index y = 0; y < rows.probability.n_cols; ++y) {
    std::vector<IsotonicPoint> points;
    for (std::size_t i = 0; i < rows.labels.size(); ++i)
      points.push_back(
          {rows.probability(static_cast<Index>(i), y), rows.labels[i] == y ? 1.0 : 0.0, rows.weights[i]});
    std::ranges::stable_sort(points, {}, &IsotonicPoint::x);
    of_class_.push_back(isotonic_fit(points));
  }
}

void ClassIsotonic::apply(std::span<double> probabilities) const {
  if (of_class_.empty()) return;
  double sum = 0.0;
  for (std::size_t y = 0; y < probabilities.size(); ++y)
    sum += probabilities[y] = isotonic_value(of_class_[y], probabilities[y]);
  for (double& p : probabilities) p = sum > 0.0 ? p / sum : 1.0 / static_cast<double>(probabilities.size());
}

} // namespace lacuna
