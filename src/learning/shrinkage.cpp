#include "learning/shrinkage.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/index.hpp"
#include "math/special.hpp"

// Equation numbers refer to docs/math/classifier.md.

namespace lacuna {

/// Eq. 14.
std::vector<double> shrunk_shares(const std::vector<double>& weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  const auto n_classes =
      static_cast<double>(std::count_if(weights.begin(), weights.end(), [](double w) { return w > 0.0; }));
  const double equal = total / n_classes;
  double chi_square = 0.0;
  for (const double w : weights)
    if (w > 0.0) chi_square += (w - equal) * (w - equal) / equal;
  const double kept = chi_square > n_classes - 1.0 ? 1.0 - (n_classes - 1.0) / chi_square : 0.0;
  std::vector<double> shares;
  for (const double w : weights) shares.push_back(w > 0.0 ? (equal + kept * (w - equal)) / total : 0.0);
  return shares;
}

double likeliest_share(const std::vector<double>& inside, const std::vector<double>& shared,
                       const std::vector<double>& weights) {
  // The log likelihood is concave in s: its slope falls, and crosses zero once at most.
  const auto slope = [&](double s) {
    double sum = 0.0;
    for (std::size_t i = 0; i < inside.size(); ++i)
      sum += weights[i] * (shared[i] - inside[i]) / ((1.0 - s) * inside[i] + s * shared[i]);
    return sum;
  };
  if (!(slope(0.0) > 0.0)) return 0.0;
  if (slope(1.0) >= 0.0) return 1.0;
  double low = 0.0;
  double high = 1.0;
  constexpr int n_halvings = 50;
  for (int i = 0; i < n_halvings; ++i) {
    const double middle = 0.5 * (low + high);
    (slope(middle) > 0.0 ? low : high) = middle;
  }
  return 0.5 * (low + high);
}

Shrinkage choose_shrinkage(CrossFit& cross_fit, const std::optional<double>& share) {
  std::vector<double> class_weights;
  for (const RowList& rows : cross_fit.fitter().labeled_rows()) class_weights.push_back(rows.total_weight());
  Shrinkage shrinkage{0.0, shrunk_shares(class_weights)};
  if (share) {
    shrinkage.share = *share;
    return shrinkage;
  }
  const HeldOutRows& held_out = cross_fit.held_out();
  std::vector<double> inside;
  std::vector<double> shared;
  for (std::size_t i = 0; i < held_out.label.size(); ++i) {
    const double* const log_joint = held_out.log_joint.row(static_cast<Index>(i));
    const std::span<const double> all(log_joint, at(held_out.log_joint.n_cols()));
    inside.push_back(std::exp(log_joint[held_out.label[i]] - log_sum_exp(all)));
    shared.push_back(shrinkage.probability[at(held_out.label[i])]);
  }
  shrinkage.share = likeliest_share(inside, shared, held_out.rows.weights);
  return shrinkage;
}

} // namespace lacuna
