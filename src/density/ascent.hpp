#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "density/fit_rows.hpp"
#include "lacuna/density/density.hpp"

namespace lacuna {

/// The ascent that EM and variational Bayes share: passes over the rows and updates in turn until the
/// objective stalls. A `Problem` has
///   Parameters and State: parameters, the moments and the objective of a pass under them;
///   State evaluate(Parameters) and Parameters update(const State&), from the moments of its pass;
///   bool improve(State&), asked when the ascent stalls: true when it found a better place to go on from;
///   void describe(const Parameters&, DensityFitSummary&): what the family says about its fit.
template <class Problem>
class Ascent {
public:
  using Parameters = typename Problem::Parameters;
  using State = typename Problem::State;

  struct Result {
    Parameters parameters;
    DensityFitSummary summary;
  };

  /// Both must outlive this.
  Ascent(const Problem& problem, const FitRows& rows, Index max_iterations, double tolerance)
      : problem_(problem), rows_(rows), max_iterations_(max_iterations), tolerance_(tolerance) {}

  Result run(Parameters start) const {
    DensityFitSummary summary;
    summary.stop_reason = StopReason::max_iterations;
    State state = problem_.evaluate(std::move(start));
    for (Index iteration = 0; iteration < max_iterations_; ++iteration) {
      const double before = state.objective;
      state = problem_.evaluate(problem_.update(state));
      summary.history.push_back(state.objective);
      if (state.objective - before > negligible(state.objective) || problem_.improve(state)) continue;
      summary.stop_reason = StopReason::converged;
      break;
    }
    return finish(std::move(state.parameters), std::move(summary), state.objective);
  }

  /// One iteration. Its objective is the one that the step started from: to know the new one costs as much as
  /// another step.
  Result step(Parameters start) const {
    const State state = problem_.evaluate(std::move(start));
    DensityFitSummary summary;
    summary.stop_reason = StopReason::max_iterations;
    summary.history.push_back(state.objective);
    return finish(problem_.update(state), std::move(summary), state.objective);
  }

private:
  double negligible(double objective) const {
    return tolerance_ * std::max(std::abs(objective), rows_.total_weight());
  }

  Result finish(Parameters parameters, DensityFitSummary summary, double objective) const {
    summary.n_iterations = static_cast<Index>(summary.history.size());
    // The ascent runs in the frame's units; users see the objective in theirs.
    const double shift = rows_.total_weight() * rows_.frame().log_jacobian() + rows_.missing_log_scale();
    for (double& past : summary.history) past += shift;
    summary.objective = objective + shift;
    problem_.describe(parameters, summary);
    return {std::move(parameters), std::move(summary)};
  }

  const Problem& problem_;
  const FitRows& rows_;
  Index max_iterations_;
  double tolerance_;
};

/// From the best of several starts, or from an earlier fit.
template <class Problem, class Start>
typename Ascent<Problem>::Result climb(const Ascent<Problem>& ascent,
                                       const typename Problem::Parameters* previous, bool single_step,
                                       Index n_restarts, const Start& start) {
  if (previous != nullptr) return single_step ? ascent.step(*previous) : ascent.run(*previous);
  typename Ascent<Problem>::Result best = ascent.run(start(0));
  for (Index restart = 1; restart < n_restarts; ++restart) {
    typename Ascent<Problem>::Result result = ascent.run(start(restart));
    if (result.summary.objective > best.summary.objective) best = std::move(result);
  }
  return best;
}

} // namespace lacuna
