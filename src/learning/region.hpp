#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "lacuna/learning/options.hpp"
#include "learning/cross_fit.hpp"
#include "learning/density_fitter.hpp"
#include "learning/region_pass.hpp"

namespace lacuna {

/// The initial models of Algorithm 1 and the region where labels say something.
struct InitialModels {
  ClassModel classes;                       ///< q~(x|y,l=1), q~(y|l=1)
  std::shared_ptr<const Density> unlabeled; ///< q~(x|l=0); null without unlabeled rows
  double kappa = 0.0;
  double kappa_asked = 0.0;      ///< what `auto` would have chosen without its floor; else kappa
  std::vector<double> log_ratio; ///< per row, as of one that was not fitted; empty without unlabeled rows
  std::vector<char> informative; ///< per row; zero for labeled rows
  std::string concern;           ///< about kappa, for who uses this region; empty: none
};

/// Asks for the cross-fit where kappa is to be chosen.
InitialModels fit_initial_models(CrossFit& cross_fit, const Kappa& kappa, std::uint64_t seed);

/// Log ratios of any rows; shares as Density::log_density_left_out has them.
std::vector<double> log_ratios(const ClassModel& classes, const Density& unlabeled, MatrixView rows,
                               std::span<const double> shares, int threads);
/// Counts rows of a larger table whose density is one of all its unlabeled rows.
RegionCounts count_region(const DensityFitter& fitter, const InitialModels& models);

/// How many unlabeled rows of the table lie inside the region.
Index count_informative(const DensityFitter& fitter, const InitialModels& models);

/// `auto` goes no lower. Where the labeled rows ask for less, the densities are to blame, not the rows, and
/// the worse they fit the more would pass for informative (docs/math/classifier.md, section 5).
inline constexpr double lowest_auto_kappa = -1.0;

/// The largest threshold that calls at most a share alpha of the weight of `ratios` uninformative (ratio <=
/// kappa).
double quantile_threshold(std::vector<double> ratios, std::vector<double> weights, double alpha);

} // namespace lacuna
