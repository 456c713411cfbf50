#include "lacuna/pipeline/fit.hpp"

#include <algorithm>

#include "lacuna/core/version.hpp"
#include "lacuna/pipeline/fit_options.hpp"

namespace lacuna {

namespace {

bool any_mixes_columns(const FeatureOptions& options) {
  return std::any_of(options.features.begin(), options.features.end(), mixes_columns);
}

void check(const FitOptions& options) {
  OptionChecks checks;
  check_options<LearningOptions>(options, checks);
  check_options<FeatureOptions>(options, checks);
  checks.throw_if_any();
}

/// The maps that have to be fitted for a family: densities that standardise for themselves need no last
/// `standardize`, so rows are not copied for it.
FeatureOptions needed_maps(FeatureOptions options, const DensityFamily& family) {
  std::vector<FeatureSpec>& maps = options.features;
  while (family.standardizes() && !maps.empty() && maps.back().kind == "standardize") maps.pop_back();
  return options;
}

TableSchema schema_of(const DatasetView& data) {
  TableSchema schema;
  for (Index j = 0; j < data.n_features(); ++j) {
    const auto column = static_cast<std::size_t>(j);
    TableColumn added;
    added.name = data.feature_names.empty() ? "c" + std::to_string(j) : data.feature_names[column];
    const Index n_levels = data.levels.empty() ? 0 : data.levels[column];
    added.is_categorical = added.is_coded = n_levels > 0;
    for (Index level = 0; level < n_levels; ++level) added.categories.push_back(std::to_string(level));
    schema.columns.push_back(std::move(added));
  }
  return schema;
}

FitRecord make_record(const FitTask& task, const TableSchema& schema, Method method, const DatasetView& seen,
                      FitSummary summary) {
  FitRequest request = task.request;
  request.method = method;
  if (!task.family_name.empty()) request.density = task.family_name;
  return {.version = version(),
          .seed = request.seed,
          .options = recorded_options(request),
          .classes = seen.class_names,
          .features = schema.feature_names(),
          .model_features = seen.feature_names,
          .summary = std::move(summary),
          .notes = task.notes,
          .label_type = task.label_type};
}

} // namespace

bool takes_codes(const FitOptions& options) {
  return make_density_family(options.density)->handles_categories() && !any_mixes_columns(options);
}

bool takes_gaps(const FitOptions& options) {
  return make_density_family(options.density)->handles_missing_values() && !any_mixes_columns(options);
}

std::vector<Model> fit_methods(const FitTask& task, Observer& observer) {
  const FitRequest& request = task.request;
  check(request); // before the maps, which may take long
  check_dataset(task.data);
  std::shared_ptr<const DensityFamily> own;
  if (task.family == nullptr) own = make_density_family(request.density);
  const DensityFamily& family = task.family != nullptr ? *task.family : *own;

  const TableSchema schema = task.schema.columns.empty() ? schema_of(task.data) : task.schema;
  const FeatureChain features = fit_features(needed_maps(request, family), task.data.features, request.seed,
                                             request.threads, observer, task.data.levels);
  DatasetView seen = task.data;
  seen.feature_names = features.output_names(schema.feature_names());
  Matrix mapped;
  if (!features.empty()) {
    mapped = features.apply(task.data.features, 0, request.threads);
    seen.features = mapped.view();
  }
  std::vector<FitResult> fits = fit_classifiers(seen, request, task.methods, family, observer);
  std::vector<Model> models;
  for (std::size_t m = 0; m < fits.size(); ++m)
    models.push_back({schema, features, std::move(fits[m].classifier),
                      make_record(task, schema, task.methods[m], seen, std::move(fits[m].summary))});
  return models;
}

Model fit(const DatasetView& data, const FitOptions& options, Observer& observer) {
  FitTask task;
  static_cast<FitOptions&>(task.request) = options;
  task.methods = {options.method};
  task.data = data;
  return std::move(fit_methods(task, observer).front());
}

TrainingTable read_training(const FitRequest& request, Observer& observer) {
  check(request);
  TableOptions options = request;
  // A network on images needs every pixel in its place, also those that are always black.
  options.keep_constant = !request.features.empty() && request.features.front().kind == "vae";
  options.code_categories = takes_codes(request);
  return read_training_table(request.path, request.classes, options, observer);
}

Model fit_table(const FitRequest& request, Observer& observer) {
  const TrainingTable table = read_training(request, observer);
  return std::move(
      fit_methods({request, {request.method}, table.data, table.schema, nullptr, table.notes}, observer)
          .front());
}

} // namespace lacuna
