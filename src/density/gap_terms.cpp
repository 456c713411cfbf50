#include "density/gap_terms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/index.hpp"
#include "math/cholesky.hpp"
#include "math/special.hpp"

// Equation numbers refer to docs/math/vb-mixture.md.

namespace lacuna {

namespace {

using Shape = MixtureTerms::Shape;

Index packed_at(Index i, Index j) {
  return i >= j ? i * (i + 1) / 2 + j : j * (j + 1) / 2 + i;
}

/// A packed lower triangle as a square matrix.
std::vector<double> unpacked(const double* packed, Index d) {
  std::vector<double> square(at(d * d));
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j <= i; ++j) square[at(i * d + j)] = *packed++;
  return square;
}

} // namespace

GapTerms::GapTerms(const MixtureTerms& all, const GapPattern& pattern) : pattern_(pattern) {
  const Index n = all.n_components();
  const auto n_present = static_cast<Index>(pattern.present.size());
  const auto n_missing = static_cast<Index>(pattern.missing.size());
  terms_.shape = all.shape;
  terms_.is_diagonal = all.is_diagonal;
  terms_.mean = Matrix(n, n_present);
  terms_.whitener = Matrix(n, all.is_diagonal ? n_present : n_present * (n_present + 1) / 2);
  terms_.constant = all.constant;
  terms_.power = all.power;
  terms_.factor = all.factor;
  terms_.log_level = all.log_level;
  if (all.feature_power.n_rows() > 0) {
    terms_.feature_power = Matrix(n, n_present);
    for (Index k = 0; k < n; ++k)
      for (Index j = 0; j < n_present; ++j)
        terms_.feature_power(k, j) = all.feature_power(k, pattern.present[at(j)]);
  }
  for (const MixtureTerms::Step& step : all.steps) take_step(step);
  if (!all.is_diagonal) regression_ = Matrix(n, n_missing * n_present);
  spread_ = Matrix(n, all.is_diagonal ? n_missing : n_missing * n_missing);
  for (Index k = 0; k < n; ++k) {
    for (Index j = 0; j < n_present; ++j) terms_.mean(k, j) = all.mean(k, pattern.present[at(j)]);
    if (all.is_diagonal)
      marginalise_diagonal(all, k);
    else
      marginalise_full(all, k);
  }
}

/// The present features of a step, if there are any.
void GapTerms::take_step(const MixtureTerms::Step& step) {
  const auto end = std::ranges::lower_bound(pattern_.present, step.end) - pattern_.present.begin();
  if (end == (terms_.steps.empty() ? 0 : terms_.steps.back().end)) return;
  terms_.steps.push_back(step);
  terms_.steps.back().end = end;
}

/// With the missing features last, A = [A_oo 0; A_mo A_mm]: A_oo whitens the present ones alone (eq. 14),
/// and the missing ones have conditional mean -A_mm^{-1} A_mo d_o and covariance (A_mm' A_mm)^{-1} (eq. 13).
void GapTerms::marginalise_full(const MixtureTerms& all, Index k) {
  const Index d = all.n_features();
  const auto o = static_cast<Index>(pattern_.present.size());
  const Index m = d - o;
  std::vector<Index> order = pattern_.present;
  order.insert(order.end(), pattern_.missing.begin(), pattern_.missing.end());
  std::vector<double> a = unpacked(all.whitener.row(k), d);
  reorder_factor(a, d, order);
  double* whitener = terms_.whitener.row(k);
  for (Index i = 0; i < o; ++i)
    for (Index j = 0; j <= i; ++j) *whitener++ = a[at(i * d + j)];

  std::vector<double> inverse(at(m * m));
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j <= i; ++j) inverse[at(i * m + j)] = a[at((o + i) * d + o + j)];
  const double log_det = log_determinant(inverse, m);
  invert_lower(inverse, m);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < o; ++j) {
      double sum = 0.0;
      for (Index l = 0; l <= i; ++l) sum -= inverse[at(i * m + l)] * a[at((o + l) * d + j)];
      regression_(k, i * o + j) = sum;
    }
    for (Index j = 0; j < m; ++j) {
      double sum = 0.0; // (A' A)^{-1} = A^{-1} A^{-1}'
      for (Index l = 0; l <= std::min(i, j); ++l) sum += inverse[at(i * m + l)] * inverse[at(j * m + l)];
      spread_(k, i * m + j) = sum;
    }
  }
  correct_constant(all, k, log_det);
}

void GapTerms::marginalise_diagonal(const MixtureTerms& all, Index k) {
  double log_det = 0.0;
  for (std::size_t j = 0; j < pattern_.present.size(); ++j)
    terms_.whitener(k, static_cast<Index>(j)) = all.whitener(k, pattern_.present[j]);
  for (std::size_t j = 0; j < pattern_.missing.size(); ++j) {
    const double precision = all.whitener(k, pattern_.missing[j]);
    spread_(k, static_cast<Index>(j)) = 1.0 / precision;
    log_det += std::log(precision);
  }
  correct_constant(all, k, log_det);
}

/// What integrating the missing features out does to the constants (eq. 14 to 16). `log_det_missing` is the
/// log determinant of their block of the (unscaled) precision.
void GapTerms::correct_constant(const MixtureTerms& all, Index k, double log_det_missing) {
  const auto m = static_cast<double>(pattern_.missing.size());
  const double log_pi = std::log(std::numbers::pi);
  double& constant = terms_.constant[at(k)];
  const double power = all.power.empty() ? 0.0 : all.power[at(k)]; // a Gaussian has none
  switch (all.shape) {
  case Shape::gaussian: constant += 0.5 * (m * (std::numbers::ln2 + log_pi) - log_det_missing); break;
  case Shape::student:
    terms_.power[at(k)] = power - 0.5 * m;
    constant += log_gamma(power - 0.5 * m) - log_gamma(power) +
                0.5 * (m * (log_pi - std::log(all.factor[at(k)])) - log_det_missing);
    break;
  case Shape::student_product:
    if (all.feature_power.n_rows() == 0) {
      constant += m * (log_gamma(power - 0.5) - log_gamma(power) + 0.5 * log_pi) - 0.5 * log_det_missing;
      break;
    }
    constant += 0.5 * (m * log_pi - log_det_missing);
    for (const Index j : pattern_.missing)
      constant += log_gamma(all.feature_power(k, j) - 0.5) - log_gamma(all.feature_power(k, j));
    break;
  case Shape::student_steps: constant += step_constant(terms_, k) - step_constant(all, k); break;
  }
}

void GapTerms::add_expected(const MixtureMoments& seen, MixtureMoments& sums) const {
  const auto& present = pattern_.present;
  const auto& missing = pattern_.missing;
  const auto o = static_cast<Index>(present.size());
  const auto m = static_cast<Index>(missing.size());
  sums.log_likelihood += seen.log_likelihood;
  for (Index k = 0; k < seen.n_components(); ++k) {
    const double n = seen.zeroth[at(k)];
    sums.zeroth[at(k)] += n;
    for (Index l = 0; l < seen.levels.n_cols(); ++l) sums.levels(k, l) += seen.levels(k, l);
    for (Index j = 0; j < o; ++j) sums.first(k, present[at(j)]) += seen.first(k, j);
    for (Index i = 0; i < m; ++i) sums.lacking(k, missing[at(i)]) += n;
    if (sums.is_diagonal) {
      for (Index j = 0; j < o; ++j) sums.second(k, present[at(j)]) += seen.second(k, j);
      for (Index i = 0; i < m; ++i) sums.second(k, missing[at(i)]) += n * spread_(k, i);
      continue;
    }
    for (Index i = 0; i < o; ++i)
      for (Index j = 0; j <= i; ++j)
        sums.second(k, packed_at(present[at(i)], present[at(j)])) += seen.second(k, packed_at(i, j));
    std::vector<double> cross(at(m * o)); // sum of r d_m d_o' (eq. 17)
    const double* const g = regression_.row(k);
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j < o; ++j) {
        sums.first(k, missing[at(i)]) += g[i * o + j] * seen.first(k, j);
        for (Index l = 0; l < o; ++l) cross[at(i * o + j)] += g[i * o + l] * seen.second(k, packed_at(l, j));
        sums.second(k, packed_at(missing[at(i)], present[at(j)])) += cross[at(i * o + j)];
      }
    for (Index i = 0; i < m; ++i)
      for (Index j = 0; j <= i; ++j) {
        double sum = n * spread_(k, i * m + j);
        for (Index l = 0; l < o; ++l) sum += cross[at(i * o + l)] * g[j * o + l];
        sums.second(k, packed_at(missing[at(i)], missing[at(j)])) += sum;
      }
  }
}

} // namespace lacuna
