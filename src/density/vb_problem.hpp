#pragma once

#include <optional>
#include <vector>

#include "density/fit_rows.hpp"
#include "density/split_proposals.hpp"
#include "density/vb_posterior.hpp"
#include "lacuna/density/density.hpp"

namespace lacuna {

/// A variational mixture and the prior it belongs to: with automatic capacity the number of components is a
/// part of what is fitted.
struct VbFit {
  VbPrior prior;
  VbPosterior posterior;
};

/// How many components there may be when nobody said (docs/math/vb-mixture.md, section 11).
struct AutoCapacity {
  Index most_components = 1;
  const StartSample* sample = nullptr; ///< rows in which clusters are sought
  bool concentration_follows = true;   ///< the prior of the weights is 1 / components, not the user's number
};

/// Variational Bayes as the ascent sees it (ascent.hpp). Components that do not pay are switched off; with
/// automatic capacity others are split.
class VbProblem {
public:
  using Parameters = VbFit;
  struct State {
    VbFit parameters;
    MixtureMoments moments;
    double objective; ///< the bound, in the frame's units
  };

  /// The rows and the observer must outlive this. Without `capacity` the prior stays as it is.
  VbProblem(const FitRows& rows, std::optional<AutoCapacity> capacity, int threads, const Observer& observer)
      : rows_(rows), capacity_(capacity), threads_(threads), observer_(observer) {}

  /// The posterior for these moments. With automatic capacity the prior follows the components there are.
  VbFit fit_to(const VbPrior& prior, const MixtureMoments& moments) const;
  State evaluate(VbFit fit) const;
  VbFit update(const State& state) const { return fit_to(state.parameters.prior, state.moments); }
  bool improve(State& state) const;
  static void describe(const VbFit& fit, DensityFitSummary& summary);

private:
  /// Evaluates, then takes steps until the bound is above the target, a few at most.
  State steps_from(VbFit fit, double target, Index n_steps) const;
  std::vector<SplitProposal> splits_of(const State& state) const;
  bool merge_one(State& state, Index n_tries, double slack) const;
  bool split_one(State& state) const;

  const FitRows& rows_;
  std::optional<AutoCapacity> capacity_;
  int threads_;
  const Observer& observer_;
};

/// The bound that moments of a pass under `posterior` give, in the frame's units.
double evidence_bound(const VbPrior& prior, const VbPosterior& posterior, const MixtureMoments& moments);

} // namespace lacuna
