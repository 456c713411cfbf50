#pragma once

#include <numeric>
#include <vector>

#include "core/index.hpp"
#include "density/vb_posterior.hpp"
#include "math/special.hpp"

// What the update (vb_posterior.cpp), the divergences (vb_divergence.cpp) and the readings (vb_terms.cpp) of
// the variational mixture share. Equation numbers there refer to docs/math/vb-mixture.md.

namespace lacuna {

inline double as_double(Index n) {
  return static_cast<double>(n);
}
/// How many independent precisions a component has, and of which dimension: one Wishart of dimension D (full,
/// tied), D of dimension 1 (diagonal), or one of dimension 1 that D features share (spherical).
struct PrecisionShape {
  Index n_blocks;
  Index dimension;
  Index features_per_degree; ///< how many squared deviations one row adds to a block's degrees of freedom
};

inline PrecisionShape precision_shape(CovarianceType type, Index d) {
  switch (type) {
  case CovarianceType::full:
  case CovarianceType::tied: return {1, d, 1};
  case CovarianceType::diagonal: return {d, 1, 1};
  case CovarianceType::spherical: return {1, 1, d};
  }
  return {1, d, 1};
}

/// sum_i digamma((nu + 1 - i) / 2), i = 1 .. dimension.
inline double digamma_sum(double nu, Index dimension) {
  double sum = 0.0;
  for (Index i = 0; i < dimension; ++i) sum += digamma(0.5 * (nu - as_double(i)));
  return sum;
}

/// Rows in the components after k: the second parameter of a stick.
inline std::vector<double> rows_after(const std::vector<double>& rows) {
  std::vector<double> after(rows.size());
  for (std::size_t k = rows.size(); k-- > 1;) after[k - 1] = after[k] + rows[k];
  return after;
}

/// Calls visit(k, first, n, total) for every component and column of categories: the column's levels begin at
/// `first` and number `n`, and its Dirichlet parameters sum to `total`.
template <class Visit>
void for_each_dirichlet(const VbPrior& prior, const VbPosterior& q, const Visit& visit) {
  for (Index k = 0; k < q.levels.n_rows(); ++k) {
    Index first = 0;
    for (const Index n : prior.levels) {
      const double* const from = q.levels.row(k) + first;
      visit(k, first, n, std::accumulate(from, from + n, 0.0));
      first += n;
    }
  }
}

} // namespace lacuna
