#pragma once

#include <array>
#include <optional>

#include "density/dp_state.hpp"

namespace lacuna {

/// Two normals and their shares of a cluster: what a split proposes and what a merge gives up.
struct NormalPair {
  std::array<double, 2> log_share{};
  std::array<Normal, 2> part;
};

/// A pair with the mean and covariance of one normal that is drawn from `whole`, apart in a random direction
/// (docs/math/dp-gmm.md, section 3.4). Nothing when rounding has left one without a spread.
std::optional<NormalPair> draw_matched_pair(const NormalInverseWishart& whole, RandomStream& random);

/// log of (evidence of the rows times density of that draw) at the pair (eq. 15), for rows of which `whole`
/// is the posterior. Nothing when rounding spoils it.
std::optional<double> log_matched_density(const NormalPair& pair, const NormalInverseWishart& base,
                                          const RowStatistics& rows);

/// Where two clusters may be found in a set of rows: the posteriors of both halves of a short EM (section
/// 3.5). It depends on the rows and on random numbers, never on how the rows are labeled.
struct Launch {
  std::array<double, 2> n{};
  std::array<NormalInverseWishart, 2> half;

  NormalPair draw(RandomStream& random) const;
  double log_density(const NormalPair& pair) const;
};

Launch launch(const DpState& state, const UnitList& units, const NormalInverseWishart& whole,
              RandomStream& random);

} // namespace lacuna
