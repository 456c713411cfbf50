#pragma once

#include "density/fit_rows.hpp"
#include "density/vb_posterior.hpp"
#include "lacuna/density/density.hpp"

namespace lacuna {

/// Variational Bayes as the ascent sees it (ascent.hpp). Components that do not pay are switched off.
class VbProblem {
public:
  using Parameters = VbPosterior;
  struct State {
    VbPosterior parameters;
    MixtureMoments moments;
    double objective; ///< the bound, in the frame's units
  };

  /// All must outlive this.
  VbProblem(const FitRows& rows, const VbPrior& prior, int threads, const Observer& observer)
      : rows_(rows), prior_(prior), threads_(threads), observer_(observer) {}

  State evaluate(VbPosterior posterior) const;
  VbPosterior update(const MixtureMoments& moments) const { return update_posterior(prior_, moments); }
  bool improve(State& state) const;
  static void describe(const VbPosterior& posterior, DensityFitSummary& summary);

private:
  bool switch_off_one(State& state, double slack) const;
  Index closest_component(const VbPosterior& posterior, Index k) const;

  const FitRows& rows_;
  const VbPrior& prior_;
  int threads_;
  const Observer& observer_;
};

/// The bound that moments of a pass under `posterior` give, in the frame's units.
double evidence_bound(const VbPrior& prior, const VbPosterior& posterior, const MixtureMoments& moments);

} // namespace lacuna
