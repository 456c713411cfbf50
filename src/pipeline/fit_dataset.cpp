#include "lacuna/pipeline/workflows.hpp"
#include "pipeline/record.hpp"

namespace lacuna {

namespace {

// The record tells columns and classes by name; no row is needed for that.
std::string record_of(const FitRequest& request, const DatasetView& data, const TableSchema& schema,
                      const FitSummary& summary) {
  TrainingTable table;
  table.schema = schema;
  table.data.class_names = data.class_names;
  table.data.feature_names = data.feature_names;
  return make_record(request, table, summary);
}

} // namespace

FitOutcome fit_dataset(const FitRequest& request, const DatasetView& data, TableSchema schema,
                       const DensityFamily* family, Observer& observer) {
  check_options(request.learning); // before the maps, which may take long
  check_dataset(data);
  FeatureChain features = fit_features(request.features, data.features, request.learning.seed,
                                       request.learning.threads, observer, data.levels);
  Matrix mapped;
  DatasetView seen = data;
  if (!features.empty()) {
    mapped = features.apply(data.features, 0, request.learning.threads);
    seen.features = mapped.view();
    seen.feature_names = features.output_names(data.feature_names);
  }
  FitResult fit = family != nullptr ? fit_classifier(seen, request.learning, *family, observer)
                                    : fit_classifier(seen, request.learning, observer);
  std::string record = record_of(request, seen, schema, fit.summary);
  return {{std::move(schema), std::move(features), std::move(fit.classifier), std::move(record)},
          std::move(fit.summary),
          {}};
}

} // namespace lacuna
