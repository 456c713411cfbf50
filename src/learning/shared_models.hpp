#pragma once

#include <cstdint>
#include <vector>

#include "learning/density_fitter.hpp"
#include "learning/region.hpp"

namespace lacuna {

/// What all methods build on, fitted when first asked for and then shared: the initial models, the region
/// where labels say something, and the models that labels are drawn from. Not for several threads at once.
class SharedModels {
public:
  SharedModels(const DatasetView& data, const LearningOptions& options, const DensityFamily& family,
               Observer& observer)
      : options_(options), fitter_(data, family, options.threads, observer) {}

  const DensityFitter& fitter() const { return fitter_; }
  const InitialModels& initial();

  /// The seed of everything that belongs to one imputation.
  std::uint64_t draw_seed(Index draw) const;
  /// The class models that imputation `draw` takes its labels from: the initial ones when there is one draw,
  /// else those of a Bayesian bootstrap.
  const ClassModel& label_source(Index draw);

private:
  ClassModel fit_resampled(std::uint64_t seed) const;

  const LearningOptions& options_;
  DensityFitter fitter_;
  bool has_initial_ = false;
  InitialModels initial_;
  std::vector<ClassModel> label_sources_;
};

} // namespace lacuna
