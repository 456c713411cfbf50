#include <algorithm>

#include "lacuna/density/families.hpp"
#include "lacuna/pipeline/workflows.hpp"
#include "pipeline/fit_steps.hpp"
#include "pipeline/record.hpp"
#include "pipeline/tables.hpp"

namespace lacuna {

namespace {

bool mixes_columns(const FitRequest& request) {
  return std::any_of(request.features.maps.begin(), request.features.maps.end(),
                     [](const FeatureSpec& map) { return map.kind != FeatureSpec::Kind::standardize; });
}

// A network on images needs every pixel in its place, also those that are always black.
TableOptions table_options(const FitRequest& request) {
  TableOptions options = request.table;
  options.label = request.label_column;
  const std::vector<FeatureSpec>& maps = request.features.maps;
  options.keep_constant = !maps.empty() && maps.front().kind == FeatureSpec::Kind::vae;
  options.code_categories = takes_codes(request);
  return options;
}

} // namespace

bool takes_codes(const FitRequest& request) {
  return make_density_family(request.learning)->handles_categories() && !mixes_columns(request);
}

bool takes_gaps(const FitRequest& request) {
  return make_density_family(request.learning)->handles_missing_values() && !mixes_columns(request);
}

FeatureOptions needed_maps(FeatureOptions features, const DensityFamily& family) {
  std::vector<FeatureSpec>& maps = features.maps;
  while (family.standardizes() && !maps.empty() && maps.back().kind == FeatureSpec::Kind::standardize)
    maps.pop_back();
  return features;
}

TrainingTable read_training(const FitRequest& request, Observer& observer) {
  // Before the table is read, which may take long.
  check_options(request.learning);
  check_options(request.features);
  return read_training_table(request.path, request.classes, table_options(request), observer);
}

FeatureChain map_features(const FitRequest& request, TrainingTable& table, Observer& observer,
                          const std::function<void(const Matrix&)>& look) {
  for (const FeatureSpec& map : request.features.maps)
    if (map.kind != FeatureSpec::Kind::standardize)
      require_complete(table.data.features.view(), table.data.feature_names, 0, to_string({map}));
  FeatureChain features = fit_features(needed_maps(request.features, *make_density_family(request.learning)),
                                       table.data.features.view(), request.learning.seed,
                                       request.learning.threads, observer, table.data.levels);
  if (features.empty()) {
    look(table.data.features);
    return features;
  }
  Matrix mapped = features.apply(table.data.features.view(), 0, request.learning.threads);
  look(mapped);
  table.data.features = std::move(mapped);
  table.data.feature_names = features.output_names(std::move(table.data.feature_names));
  return features;
}

FitOutcome fit_table(const FitRequest& request, Observer& observer) {
  TrainingTable table = read_training(request, observer);
  FeatureChain features = map_features(request, table, observer, [](const Matrix&) {});
  FitResult fit = fit_classifier(table.data, request.learning, observer);
  std::string record = make_record(request, table, fit.summary);
  return {{std::move(table.schema), std::move(features), std::move(fit.classifier), std::move(record)},
          std::move(fit.summary),
          std::move(table.notes)};
}

} // namespace lacuna
