#pragma once

#include "density/dp_state.hpp"
#include "density/mixture_moments.hpp"
#include "density/mixture_terms.hpp"

namespace lacuna {

// Steps of the chain. Each leaves the posterior of labels and concentration as it is (docs/math/dp-gmm.md,
// section 3), so they can be mixed in any fixed order.

/// All labels at once: weights and parameters of the clusters are drawn, then every unit's label given them.
/// A unit that comes first in its cluster, in a random order of all units, stays, so no cluster gets lost.
void resample_labels(DpState& state, RandomStream& random);

/// Labels of a few random units, one after another, each given all others; opens and closes clusters.
void resample_few_labels(DpState& state, Index n_units, RandomStream& random);

/// Proposes to split a cluster or to merge two.
void split_or_merge(DpState& state, RandomStream& random);

/// The concentration, given the number of clusters (eq. 18).
void resample_concentration(DpState& state, RandomStream& random);

/// One iteration: all of the above, in this order.
void iterate(DpState& state, std::uint64_t seed, Index iteration);

/// A normal mixture as the kernels take it.
MixtureTerms make_terms(std::span<const Normal> normals, std::span<const double> log_weights);

/// The moments of one component, with those of its rows alone.
RowStatistics statistics_of(const MixtureMoments& moments, Index k);

/// Sum over rows of weight times the mixture's log density.
double log_likelihood(const WeightedRows& rows, const DpState& state, const MixtureTerms& terms);

} // namespace lacuna
