#pragma once

#include <array>
#include <string>
#include <vector>

#include "lacuna/core/options.hpp"
#include "lacuna/evaluation/scored_rows.hpp"

namespace LACUNA_API lacuna {

enum class BinKind {
  equal_width, ///< equal parts of [0, 1]
  equal_mass,  ///< about equally many rows in each; rows that tie stay together, so there may be fewer bins
};

constexpr auto choice_names(BinKind) {
  return std::array{ChoiceName{BinKind::equal_width, "equal-width"},
                    ChoiceName{BinKind::equal_mass, "equal-mass"}};
}

struct Interval {
  double low = 0.0;
  double high = 1.0;
};

/// The level of the intervals of a curve.
inline constexpr double interval_level = 0.95;

/// The exact interval for an error rate of which `n_errors` in `n` rows were seen; [0, 1] for no rows.
Interval clopper_pearson(Index n, Index n_errors, double level);

/// One bin of the error probability, with what was found there.
struct CurveBin {
  double low = 0.0; ///< the bin's edges (equal width), or the range of its rows (equal mass)
  double high = 0.0;
  Index n = 0;
  Index n_errors = 0;
  double mean_error_probability = 0.0; ///< NaN when n = 0
  double error_rate = 0.0;             ///< NaN when n = 0
  Interval interval;                   ///< Clopper-Pearson, of error_rate
  /// Per stratum, the share of the bin's rows that are errors of that stratum: they add up to error_rate when
  /// every row has a stratum. In the order of ScoredRows::stratum_names; NaN when n = 0.
  std::vector<double> contributions;
};

/// brier_error = reliability - resolution + uncertainty + within_bins.
struct MurphyDecomposition {
  double reliability = 0.0; ///< squared distance between announced and found, over bins; 0 is best
  double resolution = 0.0;  ///< how much the bins' error rates differ; large is good
  double uncertainty = 0.0; ///< of the outcome itself
  double within_bins = 0.0; ///< what lumping unequal error probabilities together leaves over
};

/// Error rate against error probability. NaN without rows.
struct ReliabilityCurve {
  BinKind bin_kind = BinKind::equal_width;
  Index n_bins = 0; ///< as asked for
  std::vector<CurveBin> bins;
  double calibration_error = 0.0; ///< like ece, over these bins
  MurphyDecomposition murphy;     ///< over these bins
};

/// The most bins a curve can have.
inline constexpr Index max_curve_bins = 1000;

/// Throws Error(usage) unless 1 <= n_bins <= max_curve_bins.
ReliabilityCurve reliability_curve(const ScoredRows& rows, BinKind kind, Index n_bins);

} // namespace lacuna
