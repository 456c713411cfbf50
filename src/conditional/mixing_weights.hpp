#pragma once

#include <span>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A row of `likelihoods` has what each member gave to the row's true class.
struct MixedLikelihoods {
  MatrixView likelihoods;
  std::span<const double> weights; ///< of the rows
};

/// sum_i w_i log sum_j pi_j p_ij + a sum_j log pi_j: the second part is as if each member had won half a row,
/// so that few labels do not choose one by luck.
double mixing_objective(const MixedLikelihoods& rows, std::span<const double> mixing);

/// The weights that maximise the objective; they sum to one (docs/math/conditional.md, section 6).
std::vector<double> fit_mixing(const MixedLikelihoods& rows);

} // namespace lacuna
