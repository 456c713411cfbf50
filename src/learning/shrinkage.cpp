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
  const auto sum = [&](const auto& value) {
    double total = 0.0;
    for (std::size_t i = 0; i < inside.size(); ++i) total += weights[i] * value(inside[i], shared[i]);
    return total;
  };
  // The log likelihood is concave in s: its slope falls, and crosses zero once at most.
  const auto slope = [&](double s) {
    return sum([s](double own, double common) { return (common - own) / ((1.0 - s) * own + s * common); });
  };
  if (!(slope(0.0) > 0.0)) return 0.0;
  double low = 0.0;
  double high = 1.0;
  constexpr int n_halvings = 50;
  for (int i = 0; i < n_halvings; ++i) {
    const double middle = 0.5 * (low + high);
    (slope(middle) > 0.0 ? low : high) = middle;
  }
  // Shares alone have a parameter less: they stay unless the densities make up for it (BIC).
  const double n = std::accumulate(weights.begin(), weights.end(), 0.0);
  const double gain =
      sum([s = low](double own, double common) { return std::log(((1.0 - s) * own + s * common) / common); });
  return gain > 0.5 * std::log(n) ? low : 1.0;
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
