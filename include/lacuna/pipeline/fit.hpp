#pragma once

#include <string>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/data/dataset.hpp"
#include "lacuna/data/table.hpp"
#include "lacuna/features/fit_features.hpp"
#include "lacuna/learning/learner.hpp"
#include "lacuna/pipeline/model.hpp"

namespace LACUNA_API lacuna {

/// Everything that decides a model, beside the data.
struct FitOptions : LearningOptions, FeatureOptions {};

/// Fits a model to rows in memory, which are not copied. Where data.feature_names is empty, columns are
/// called c0, c1, ... What was decided on the user's behalf is in the model's record.
Model fit(const DatasetView& data, const FitOptions& options = {}, Observer& observer = silent_observer());

/// From a table with missing labels to a model.
struct FitRequest : FitOptions, TableOptions {
  std::string path;
  std::vector<std::string> classes; ///< may have no labeled row; those found in the labels are added
};
Model fit_table(const FitRequest& request, Observer& observer = silent_observer());

/// One fit of several methods; what they share is fitted once.
struct FitTask {
  FitRequest request;          ///< of which path and method do not count
  std::vector<Method> methods; ///< one model each
  DatasetView data;
  TableSchema schema = {};               ///< which table columns the features are; empty: by data's names
  const DensityFamily* family = nullptr; ///< instead of request.density; such a model may not be savable
  std::vector<std::string> notes = {};   ///< for the record
  std::string label_type = {};           ///< for the record
  std::string family_name = {};          ///< of `family`, for the record
};
/// The one workflow behind all fits: checks the options, fits the maps, the densities and the methods, and
/// keeps the record.
std::vector<Model> fit_methods(const FitTask& task, Observer& observer);

/// A table in memory, read as the fit of `request` needs it. Checks the options first: reading may take long.
TrainingTable read_training(const FitRequest& request, Observer& observer);

/// Whether categories reach the densities as numbers: where they know what to do with them, and no map mixes
/// columns. Otherwise they are one-hot encoded.
bool takes_codes(const FitOptions& options);
/// Whether features may be missing.
bool takes_gaps(const FitOptions& options);

} // namespace lacuna
