#pragma once

#include "density/mixture_moments.hpp"
#include "density/mixture_terms.hpp"
#include "density/row_groups.hpp"

namespace lacuna {

/// A mixture seen by rows that lack some numeric features: those are integrated out, which leaves a mixture
/// of the others (docs/math/vb-mixture.md, section 8).
class GapTerms {
public:
  GapTerms(const MixtureTerms& all, const GapPattern& pattern);

  const MixtureTerms& terms() const { return terms_; }

  /// Adds to `sums`, moments of all features, what rows with moments `seen` of the present ones are expected
  /// to contribute: their missing values have, given the component, a Gaussian with a mean linear in the
  /// present ones. For Gaussian terms.
  void add_expected(const MixtureMoments& seen, MixtureMoments& sums) const;

private:
  void marginalise_full(const MixtureTerms& all, Index k);
  void marginalise_diagonal(const MixtureTerms& all, Index k);
  void take_step(const MixtureTerms::Step& step);
  void correct_constant(const MixtureTerms& all, Index k, double log_det_missing);

  GapPattern pattern_;
  MixtureTerms terms_;
  Matrix regression_; ///< components x (missing x present): missing minus mean = regression (present - mean)
  Matrix spread_;     ///< components x (missing x missing, or missing): covariance of the missing ones
};

} // namespace lacuna
