#include "density/vb_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

/// A component that the evidence favours by less than this many nats (odds of 1.1) is not needed.
constexpr double no_evidence = 0.1;

/// The other component with the highest density at the centre of component k.
Index closest_component(const VbFit& fit, Index k) {
  const MixtureTerms terms = make_terms(fit.prior, fit.posterior, DensityForm::expected_log);
  const Frame identity = Frame::identity(terms.n_features());
  RowBlock block(identity, terms.n_components(), 1);
  block.load(WeightedRows({fit.posterior.mean.row(k), 1, terms.n_features()}), 0, 1);
  evaluate_terms(terms, block);
  const Matrix levels = mean_levels(fit.prior, fit.posterior);
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

} // namespace

double evidence_bound(const VbPrior& prior, const VbPosterior& posterior, const MixtureMoments& moments) {
  const double bound = moments.log_likelihood - posterior_divergence(prior, posterior);
  if (!std::isfinite(bound))
    throw Error(ErrorKind::internal, "the evidence bound of a mixture is not finite");
  return bound;
}

VbProblem::State VbProblem::evaluate(VbFit fit) const {
  MixtureMoments moments =
      rows_.collect(make_terms(fit.prior, fit.posterior, DensityForm::expected_log), threads_, observer_);
  const double bound = evidence_bound(fit.prior, fit.posterior, moments);
  return {std::move(fit), std::move(moments), bound};
}

VbFit VbProblem::fit_to(const VbPrior& prior, const MixtureMoments& moments) const {
  VbFit fit{prior, update_posterior(prior, moments)};
  if (capacity_) {
    fit.prior.n_components = fit.posterior.n_active();
    if (capacity_->concentration_follows && prior.weight_prior == WeightPrior::dirichlet)
      fit.prior.weight_concentration = 1.0 / static_cast<double>(fit.prior.n_components);
  }
  return fit;
}

VbProblem::State VbProblem::steps_from(VbFit fit, double target, Index n_steps) const {
  State state = evaluate(std::move(fit));
  for (Index step = 0; step < n_steps && state.objective <= target; ++step) state = evaluate(update(state));
  return state;
}

bool VbProblem::improve(State& state) const {
  const Index n_tries = capacity_ ? 5 : 3;
  if (merge_one(state, n_tries, 0.0) || (capacity_ && split_one(state))) return true;
  while (merge_one(state, n_tries, no_evidence)) {
  }
  return false;
}

void VbProblem::describe(const VbFit& fit, DensityFitSummary& summary) {
  summary.n_components = fit.posterior.n_active();
}

/// Tries to switch off one of the smallest components: its rows go to the component that likes them best, a
/// few steps follow, and if the bound is then higher than with the component, less `slack`, it stays off.
bool VbProblem::merge_one(State& state, Index n_tries, double slack) const {
  constexpr Index n_steps = 5;
  const Index n_active = state.parameters.posterior.n_active();
  for (Index k = n_active - 1; k >= std::max<Index>(1, n_active - n_tries); --k) { // sorted by size
    const Index into = closest_component(state.parameters, k);
    const double target = state.objective - slack;
    State candidate =
        steps_from(fit_to(state.parameters.prior, merge_components(state.moments, k, into)), target, n_steps);
    if (candidate.objective <= target) continue;
    state = std::move(candidate);
    return true;
  }
  return false;
}

std::vector<SplitProposal> VbProblem::splits_of(const State& state) const {
  if (state.parameters.posterior.n_active() >= capacity_->most_components) return {};
  return propose_splits(
      rows_.rows_of(*capacity_->sample), rows_.frame(),
      make_terms(state.parameters.prior, state.parameters.posterior, DensityForm::expected_log),
      state.moments);
}

/// Tries to cut a component in two, where the cut explains most; both stay if the evidence favours them. Of
/// four clusters in one component two and two may be worse than all four: the most promising cut may be
/// followed by others before the evidence is asked.
bool VbProblem::split_one(State& state) const {
  constexpr std::size_t n_tries = 3;
  constexpr Index most_cuts = 3;
  constexpr Index n_steps = 12;
  const double target = state.objective + no_evidence;
  const std::vector<SplitProposal> first_cuts = splits_of(state);
  for (std::size_t i = 0; i < std::min(n_tries, first_cuts.size()); ++i) {
    State candidate = steps_from(
        fit_to(state.parameters.prior, split_component(state.moments, first_cuts[i])), target, n_steps);
    for (Index cut = 1; i == 0 && cut < most_cuts && candidate.objective <= target; ++cut) {
      const std::vector<SplitProposal> next = splits_of(candidate);
      if (next.empty()) break;
      candidate = steps_from(fit_to(candidate.parameters.prior, split_component(candidate.moments, next[0])),
                             target, n_steps);
    }
    if (candidate.objective <= target) continue;
    state = std::move(candidate);
    return true;
  }
  return false;
}

} // namespace lacuna
