#include <algorithm>
#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "core/index.hpp"
#include "density/chain_diagnostics.hpp"
#include "density/dp_mixture.hpp"
#include "density/dp_steps.hpp"
#include "density/own_families.hpp"

// Section and equation numbers refer to docs/math/dp-gmm.md.

namespace lacuna {

namespace {

DpModel make_model(const DpMixtureOptions& options, Index n_features) {
  // Base measure (section 1): the expected covariance of a cluster and the spread of the means add up to the
  // variance of the rows, which is one in the frame; the separation divides it between them.
  const auto d = static_cast<double>(n_features);
  const double beta = 2.0 * d / (options.dp_separation * options.dp_separation);
  DpModel model;
  model.base = make_base(at(n_features), beta, d + 2.0, beta / (1.0 + beta));
  model.concentration_shape = 1.0;
  model.concentration_rate = 1.0 / options.dp_concentration;
  return model;
}

/// What the chain went through.
struct ChainRecord {
  std::vector<double> clusters;
  std::vector<double> concentration;
  std::vector<double> log_joint;

  void add(const DpState& state) {
    clusters.push_back(static_cast<double>(state.clusters.size()));
    concentration.push_back(state.concentration);
    log_joint.push_back(state.log_joint());
  }
};

/// Means and effective sample sizes of what came after the burn-in.
void summarise(const ChainRecord& record, Index burn_in, double log_jacobian, DensityFitSummary& summary) {
  const auto after = [burn_in](const std::vector<double>& trace) {
    return std::span<const double>(trace).subspan(at(burn_in));
  };
  const auto mean = [](std::span<const double> trace) {
    return std::accumulate(trace.begin(), trace.end(), 0.0) / static_cast<double>(trace.size());
  };
  summary.measures["clusters"] = mean(after(record.clusters));
  summary.measures["concentration"] = mean(after(record.concentration));
  summary.measures["ess_clusters"] = effective_sample_size(after(record.clusters));
  summary.measures["ess_concentration"] = effective_sample_size(after(record.concentration));
  summary.measures["ess_log_joint"] = effective_sample_size(after(record.log_joint));
  summary.traces["clusters"] = record.clusters;
  summary.traces["concentration"] = record.concentration;
  summary.n_components = static_cast<Index>(std::lround(summary.measures["clusters"]));
  summary.n_iterations = static_cast<Index>(record.clusters.size());
  summary.stop_reason = StopReason::sampled;
  // The chain runs in the frame's units; users see theirs.
  for (const double value : record.log_joint) summary.history.push_back(value + log_jacobian);
  summary.objective = mean(after(record.log_joint)) + log_jacobian;
}

/// Each unit to the likeliest of some clusters; clusters without a unit are gone.
std::vector<std::int32_t> assign(const DpState& state, const MixtureTerms& terms) {
  std::vector<std::int32_t> labels(at(state.units.size()));
  std::vector<std::int32_t> number(at(terms.n_components()), -1);
  std::int32_t n_found = 0;
  RowBlock block(state.frame, terms.n_components());
  for (Index first = 0; first < state.units.size(); first += block.capacity()) {
    block.load(state.units, first, std::min(block.capacity(), state.units.size() - first));
    evaluate_terms(terms, block);
    for (Index b = 0; b < block.n_rows(); ++b) {
      Index best = 0;
      for (Index k = 1; k < terms.n_components(); ++k)
        if (block.logits()[k * block.stride() + b] > block.logits()[best * block.stride() + b]) best = k;
      if (number[at(best)] < 0) number[at(best)] = n_found++;
      labels[at(first + b)] = number[at(best)];
    }
  }
  return labels;
}

/// The clusters of the last draw.
MixtureTerms last_terms(const DpMixture& fitted) {
  return fitted.draw_terms(static_cast<Index>(fitted.draws().concentration.size()) - 1);
}

/// Labels to begin with (section 4): those that a chain on a few of the units leads to. There clusters come
/// and go easily; with all units at once, those that are opened too early stay for long.
std::vector<std::int32_t> find_start(const DpState& state, Index n_iterations, std::uint64_t seed) {
  constexpr Index most_units = 2048;
  const Index n = state.units.size();
  if (n <= most_units) return state.labels;
  std::vector<Index> chosen;
  for (Index i = 0; i < most_units; ++i) chosen.push_back(i * n / most_units);
  const UnitList few(state.units, std::move(chosen));
  const DpUnits few_units(few.rows());
  DpState small(few_units, state.frame, state.model, state.threads, state.observer);
  const std::uint64_t start_seed = derive_seed(seed, RandomPurpose::start);
  for (Index i = 0; i < n_iterations; ++i) iterate(small, start_seed, i);
  DpDrawList list(state.model.base);
  list.add(small.concentration, small.clusters);
  return assign(state, last_terms(DpMixture(state.frame, list.finish(), {})));
}

/// One step of an EM around the method (section 6): every draw keeps its clusters and its concentration;
/// each row counts in them by its probabilities. Nothing is drawn, so that the EM can converge.
std::shared_ptr<const DpMixture> take_step(const WeightedRows& rows, const DpMixture& previous,
                                           const DensityFitContext& context, const Observer& observer) {
  const NormalInverseWishart base = previous.draws().base();
  const Frame& frame = previous.frame();
  double total_weight = 0.0;
  for (Index i = 0; i < rows.size(); ++i) total_weight += rows.weight(i);
  DpDrawList list(base);
  double log_likelihood = 0.0;
  const auto n_draws = static_cast<Index>(previous.draws().concentration.size());
  for (Index t = 0; t < n_draws; ++t) {
    const MixtureMoments moments =
        collect_moments(rows, frame, previous.draw_terms(t), context.threads, observer);
    std::vector<DpCluster> clusters;
    for (Index k = 0; k < moments.n_components(); ++k) {
      constexpr double vanished = 1e-12;
      if (!(moments.zeroth[at(k)] > vanished * total_weight)) continue;
      RowStatistics of_cluster = statistics_of(moments, k);
      NormalInverseWishart posterior = update(base, of_cluster);
      clusters.push_back({std::move(of_cluster), 0, std::move(posterior)});
    }
    list.add(previous.draws().concentration[at(t)], clusters);
    log_likelihood += moments.log_likelihood / static_cast<double>(n_draws);
  }
  DensityFitSummary summary;
  summary.n_components = previous.summary().n_components;
  summary.n_iterations = 1;
  summary.objective = log_likelihood + total_weight * frame.log_jacobian();
  summary.history = {summary.objective};
  summary.stop_reason = StopReason::max_iterations;
  return std::make_shared<DpMixture>(frame, list.finish(), std::move(summary));
}

} // namespace

void iterate(DpState& state, std::uint64_t seed, Index iteration) {
  constexpr Index n_single_labels = 32;
  constexpr int n_proposals = 8;
  stop_if_cancelled(state.observer);
  RandomStream random(seed, RandomPurpose::dp_step, static_cast<std::uint64_t>(iteration));
  resample_labels(state, random);
  resample_few_labels(state, n_single_labels, random);
  for (int i = 0; i < n_proposals; ++i) split_or_merge(state, random);
  resample_concentration(state, random);
}

std::shared_ptr<const Density> fit_density(const DpMixtureOptions& options, const WeightedRows& rows,
                                           const DensityFitContext& context) {
  const Index d = rows.n_features();
  const Observer& observer = context.observer != nullptr ? *context.observer : silent_observer();
  const auto* const previous = dynamic_cast<const DpMixture*>(context.warm_start);
  const DpUnits units(rows);
  if (previous != nullptr && context.single_step) return take_step(rows, *previous, context, observer);

  // A warm start keeps the frame, so that repeated fits have one and the same prior.
  const Frame frame = previous != nullptr ? previous->frame()
                                          : make_frame(rows, {}, {}, context.reference_variance,
                                                       static_cast<double>(d) + 1.0);
  const DpModel model = make_model(options, d);
  DpState state(units, frame, model, context.threads, observer);
  state.set_labels(previous != nullptr ? assign(state, last_terms(*previous))
                                       : find_start(state, options.dp_burn_in, context.seed));
  ChainRecord record;
  DpDrawList list(model.base);
  const Index n_after = options.dp_iterations - options.dp_burn_in;
  Index n_kept = 0;
  for (Index i = 0; i < options.dp_iterations; ++i) {
    iterate(state, context.seed, i);
    record.add(state);
    if (i < options.dp_burn_in + (n_kept + 1) * n_after / options.dp_draws - 1) continue;
    list.add(state.concentration, state.clusters);
    ++n_kept;
  }
  DensityFitSummary summary;
  summarise(record, options.dp_burn_in, units.total_weight() * frame.log_jacobian(), summary);
  return std::make_shared<DpMixture>(frame, list.finish(), std::move(summary));
}

} // namespace lacuna
