#pragma once

#include <functional>

#include "lacuna/pipeline/workflows.hpp"

namespace lacuna {

/// The first steps of fit_table, for those who fit several models to one table.
TrainingTable read_training(const FitRequest& request, Observer& observer);

/// The maps that have to be fitted for a family: densities that standardise for themselves need no last
/// `standardize`, so rows are not copied for it.
FeatureOptions needed_maps(FeatureOptions features, const DensityFamily& family);

/// Fits the feature maps and puts their outputs in the place of the table's features. Before that, `look`
/// sees the outputs while the table still has its own.
FeatureChain map_features(const FitRequest& request, TrainingTable& table, Observer& observer,
                          const std::function<void(const Matrix&)>& look);

} // namespace lacuna
