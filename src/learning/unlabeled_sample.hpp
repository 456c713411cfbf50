#pragma once

#include <cstdint>

#include "learning/density_fitter.hpp"

namespace LACUNA_API lacuna {

/// No stage of a stack looks at more unlabeled rows than these.
inline constexpr Index most_sampled_rows = 20000;

/// Of all draws of a stack but one, whose seed is the fit's own.
std::uint64_t labeling_seed(std::uint64_t seed);

/// At most `most` of the rows without a label, with weights that stand for all of them. Which ones depends on
/// the seed and the rows' numbers alone.
RowList sample_unlabeled(const DensityFitter& fitter, Index most, std::uint64_t seed);

} // namespace lacuna
