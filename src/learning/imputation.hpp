#pragma once

#include <cstdint>
#include <vector>

#include "learning/density_fitter.hpp"
#include "learning/evidence.hpp"

namespace lacuna {

/// Rows after missing labels were filled in with probabilities.
struct SoftFill {
  std::vector<RowList> rows;        ///< of every class
  double mean_log_likelihood = 0.0; ///< per row: log q(x, y) of labeled rows, log q(x) of those filled in
  double total_weight = 0.0;        ///< of these rows
};

/// The rows of every class after missing labels were filled in: the labeled rows, and the rows marked in
/// `fill` with the class probabilities under `model` as weights. Nothing is drawn.
SoftFill fill_softly(const DensityFitter& fitter, const ClassModel& model, const std::vector<char>& fill,
                     Reading reading = Reading::density);

/// The rows of every class with one label drawn for every marked row, from a stream keyed by the row.
std::vector<RowList> fill_by_draw(const DensityFitter& fitter, const ClassModel& model,
                                  const std::vector<char>& fill, std::uint64_t seed);

} // namespace lacuna
