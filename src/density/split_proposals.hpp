#pragma once

#include <vector>

#include "density/mixture_moments.hpp"
#include "density/mixture_terms.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A component and how it might be cut in two.
struct SplitProposal {
  Index component = 0;
  double score = 0.0;    ///< how much more the cut explains than it would in a Gaussian, in rows
  MixtureMoments halves; ///< two components with as many rows as it has
};

/// Looks for two clusters among the rows of every component, in the component's own metric (docs/math/
/// vb-mixture.md, section 11). `moments` are of all rows under `terms`; `rows` may be a sample of them. The
/// highest score comes first.
std::vector<SplitProposal> propose_splits(const WeightedRows& rows, const Frame& frame,
                                          const MixtureTerms& terms, const MixtureMoments& moments);

/// The same statistics with a component replaced by its halves; the second one is the last component.
MixtureMoments split_component(const MixtureMoments& moments, const SplitProposal& split);

} // namespace lacuna
