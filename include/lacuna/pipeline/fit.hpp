#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/core/options.hpp"
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
  /// Bytes that the fit may take: of a table that needs more, unlabeled rows pass by instead of being in
  /// memory all at once (docs/streaming.md). Empty: the whole table is in memory.
  std::optional<double> memory = {};
};
Model fit_table(const FitRequest& request, Observer& observer = silent_observer());

/// What a plan is carried out on.
struct FitTask {
  std::vector<Method> methods; ///< one model each; what they share is fitted once
  DatasetView data;
  TableSchema schema = {};             ///< which table columns the features are; empty: by data's names
  std::vector<std::string> notes = {}; ///< for the record
  std::string label_type = {};         ///< for the record
};

/// A request that was checked, and the density family it asks for: both once, before long work begins.
class FitPlan {
public:
  /// Throws Error(usage) that lists every option outside its limits.
  explicit FitPlan(FitRequest request);
  /// With a family of the caller's own, which the record calls `name`. Such a model may not be savable.
  FitPlan(FitRequest request, std::shared_ptr<const DensityFamily> family, std::string name);

  const FitRequest& request() const { return request_; }
  const DensityFamily& family() const { return *family_; }
  /// Whether read() said that so many columns take long.
  bool has_hinted() const { return has_hinted_; }
  /// Whether categories reach the densities as numbers: where they know what to do with them, and no map
  /// mixes columns. Otherwise they are one-hot encoded.
  bool takes_codes() const;
  /// Whether features may be missing.
  bool takes_gaps() const;

  /// The table of the request, in memory, as the fit needs it.
  TrainingTable read(Observer& observer) const;
  /// Numbers of the rows, rising, that a fit to a table of such a size holds in memory when all others only
  /// pass by: the labeled ones, and of the others what fits into the request's memory.
  std::vector<Index> kept_rows(Index n_rows, const std::vector<Index>& labeled, Index n_features,
                               Observer& observer) const;
  /// The one workflow behind all fits: maps, densities, methods, record. The request's path and method do not
  /// count.
  std::vector<Model> fit(const FitTask& task, Observer& observer) const;

private:
  FitRecord record_of(const FitTask& task, Method method, const TableSchema& schema, const DatasetView& seen,
                      const FitResult& result) const;

  FitRequest request_;
  std::shared_ptr<const DensityFamily> family_;
  std::string own_name_; ///< of a family of the caller's own
  mutable bool has_hinted_ = false;
};

/// All options of a fit: of the table, the method, the maps, and every registered density family. An option
/// that several families have stands there once.
OptionTable<FitRequest> fit_options();

/// An option that somebody gave, with its texts.
struct GivenOption {
  std::string name;
  std::vector<std::string> texts;
};
/// Sets options by name: the density first, then the preset, so that every explicit option wins over it.
/// Throws Error(usage) for an unknown name, a text that is no value, and an option that the chosen family
/// does not have.
void set_options(FitRequest& request, const std::vector<GivenOption>& given);

/// What the record tells: the options that count for this request.
std::vector<std::pair<std::string, OptionValue>> recorded_options(const FitRequest& request);

} // namespace lacuna
