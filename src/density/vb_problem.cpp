#include "density/vb_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

Frame identity_frame(Index n_features) {
  Frame frame;
  frame.center.assign(static_cast<std::size_t>(n_features), 0.0);
  frame.scale.assign(static_cast<std::size_t>(n_features), 1.0);
  for (Index j = 0; j < n_features; ++j) frame.columns.push_back(j);
  return frame;
}

} // namespace

double evidence_bound(const VbPrior& prior, const VbPosterior& posterior, const MixtureMoments& moments) {
  const double bound = moments.log_likelihood - posterior_divergence(prior, posterior);
  if (!std::isfinite(bound))
    throw Error(ErrorKind::internal, "the evidence bound of a mixture is not finite");
  return bound;
}

VbProblem::State VbProblem::evaluate(VbPosterior posterior) const {
  MixtureMoments moments =
      rows_.collect(make_terms(prior_, posterior, DensityForm::expected_log), threads_, observer_);
  const double bound = evidence_bound(prior_, posterior, moments);
  return {std::move(posterior), std::move(moments), bound};
}

bool VbProblem::improve(State& state) const {
  if (switch_off_one(state, 0.0)) return true;
  // A component that the evidence favours by less than this many nats (odds of 1.1) is not needed.
  constexpr double no_evidence = 0.1;
  while (switch_off_one(state, no_evidence)) {
  }
  return false;
}

void VbProblem::describe(const VbPosterior& posterior, DensityFitSummary& summary) {
  summary.n_components = posterior.n_active();
}

/// Tries to switch off one of the smallest components: its rows go to the component that likes them best, a
/// few steps follow, and if the bound is then higher than with the component, less `slack`, it stays off.
bool VbProblem::switch_off_one(State& state, double slack) const {
  constexpr Index n_tries = 3;
  constexpr Index n_steps = 5;
  const double target = state.objective - slack;
  const Index n_active = state.parameters.n_active();
  for (Index k = n_active - 1; k >= std::max<Index>(1, n_active - n_tries); --k) { // sorted by size
    State candidate =
        evaluate(update(merge_components(state.moments, k, closest_component(state.parameters, k))));
    for (Index step = 0; step < n_steps && candidate.objective <= target; ++step)
      candidate = evaluate(update(candidate.moments));
    if (candidate.objective <= target) continue;
    state = std::move(candidate);
    return true;
  }
  return false;
}

/// The other component with the highest density at the centre of component k.
Index VbProblem::closest_component(const VbPosterior& posterior, Index k) const {
  const MixtureTerms terms = make_terms(prior_, posterior, DensityForm::expected_log);
  const Frame identity = identity_frame(terms.n_features());
  RowBlock block(identity, terms.n_components(), 1);
  block.load(WeightedRows({posterior.mean.row(k), 1, terms.n_features()}), 0, 1);
  evaluate_terms(terms, block);
  const Matrix levels = mean_levels(prior_, posterior);
  const auto logit = [&](Index j) {
    double sum = block.logits()[j * block.stride()];
    for (Index l = 0; l < levels.n_cols(); ++l) sum += levels(k, l) * terms.log_level(j, l);
    return sum;
  };
  Index best = k == 0 ? 1 : 0;
  for (Index j = 0; j < terms.n_components(); ++j)
    if (j != k && logit(j) > logit(best)) best = j;
  return best;
}

} // namespace lacuna
