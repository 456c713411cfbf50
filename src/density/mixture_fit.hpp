#pragma once

#include <memory>

#include "density/fit_rows.hpp"
#include "density/frame.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/density/density.hpp"
#include "math/moments.hpp"

namespace lacuna {

/// The fit of a mixture to rows in memory. `frame_of(moments)` makes its frame, `fit_to(rows, previous)` does
/// the rest. A warm start keeps its frame, so that repeated fits climb one and the same objective.
template <class Mixture, class FrameOf, class FitTo>
std::shared_ptr<const Density> fit_mixture(const WeightedRows& rows, const DensityFitContext& context,
                                           FrameOf frame_of, FitTo fit_to) {
  const RowMoments moments = row_moments(rows);
  if (!(moments.weight > 0.0))
    throw Error(ErrorKind::data, "a density needs at least one row of positive weight");
  const auto* const previous = dynamic_cast<const Mixture*>(context.warm_start);
  return fit_to(FitRows(rows, previous != nullptr ? previous->frame() : frame_of(moments)), previous);
}

/// The same for rows that pass by in blocks. `complete_for` names the family that needs complete rows; empty:
/// it does not.
template <class Mixture, class FrameOf, class FitTo>
std::shared_ptr<const Density> fit_mixture(AllRows& rows, const DensityFitContext& context,
                                           const char* complete_for, FrameOf frame_of, FitTo fit_to) {
  const Observer& observer = context.observer != nullptr ? *context.observer : silent_observer();
  const SourceSurvey survey = survey_rows(rows, complete_for, context.threads, observer);
  const auto* const previous = dynamic_cast<const Mixture*>(context.warm_start);
  const Frame frame = previous != nullptr ? previous->frame() : frame_of(survey.moments);
  return fit_to(FitRows(rows, frame, survey.n_rows, context.threads, observer), previous);
}

} // namespace lacuna
