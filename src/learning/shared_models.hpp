#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "learning/cross_fit.hpp"
#include "learning/density_fitter.hpp"
#include "learning/region.hpp"

namespace lacuna {

/// What all methods build on, fitted when first asked for and then shared: the initial models, the region
/// where labels say something, what class densities have in common, and the models that labels are drawn
/// from. Not for several threads at once.
class SharedModels {
public:
  SharedModels(const DatasetView& data, const LearningOptions& options, const DensityFamily& family,
               Observer& observer)
      : options_(options), fitter_(data, family, options.column_shapes, options.threads, observer),
        cross_fit_(fitter_, options.folds, options.seed) {}

  const DensityFitter& fitter() const { return fitter_; }
  CrossFit& cross_fit() { return cross_fit_; }
  const InitialModels& initial();
  /// Warns of what is wrong with the region of the initial models, once, when a method uses it.
  void voice_concern();
  /// How much the class densities of the final models have in common.
  const Shrinkage& shrinkage();

  /// The seed of everything that belongs to one imputation.
  std::uint64_t draw_seed(Index draw) const;
  /// The class models that imputation `draw` takes its labels from: the initial ones when there is one draw,
  /// else a draw from their posterior or, where the family has none, those of a Bayesian bootstrap.
  const ClassModel& label_source(Index draw);

  SharedModels(const SharedModels&) = delete; // the cross-fit knows where the fitter is
  SharedModels& operator=(const SharedModels&) = delete;

private:
  std::optional<ClassModel> draw_models(Index draw, Index n_draws);
  ClassModel fit_resampled(std::uint64_t seed) const;

  const LearningOptions& options_;
  DensityFitter fitter_;
  CrossFit cross_fit_;
  std::optional<InitialModels> initial_;
  std::optional<Shrinkage> shrinkage_;
  bool is_concern_voiced_ = false;
  std::vector<ClassModel> label_sources_;
};

} // namespace lacuna
