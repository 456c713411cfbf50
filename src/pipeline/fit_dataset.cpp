#include <array>

#include "lacuna/density/families.hpp"
#include "lacuna/pipeline/workflows.hpp"
#include "pipeline/fit_steps.hpp"
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

FitOutcome fit_dataset(const FitRequest& request, const DatasetView& data, const TableSchema& schema,
                       const DensityFamily* family, Observer& observer) {
  const std::array methods{request.learning.method};
  return std::move(fit_dataset(request, methods, data, schema, family, observer).front());
}

std::vector<FitOutcome> fit_dataset(const FitRequest& request, std::span<const Method> methods,
                                    const DatasetView& data, const TableSchema& schema,
                                    const DensityFamily* family, Observer& observer) {
  check_options(request.learning); // before the maps, which may take long
  check_dataset(data);
  const std::shared_ptr<const DensityFamily> own = make_density_family(request.learning);
  const FeatureChain features =
      fit_features(needed_maps(request.features, family != nullptr ? *family : *own), data.features,
                   request.learning.seed, request.learning.threads, observer, data.levels);
  Matrix mapped;
  DatasetView seen = data;
  if (!features.empty()) {
    mapped = features.apply(data.features, 0, request.learning.threads);
    seen.features = mapped.view();
    seen.feature_names = features.output_names(data.feature_names);
  }
  std::vector<FitResult> fits =
      fit_classifiers(seen, request.learning, methods, family != nullptr ? *family : *own, observer);
  std::vector<FitOutcome> outcomes;
  for (std::size_t m = 0; m < fits.size(); ++m) {
    FitRequest of_method = request;
    of_method.learning.method = methods[m];
    std::string record = record_of(of_method, seen, schema, fits[m].summary);
    outcomes.push_back({{schema, features, std::move(fits[m].classifier), std::move(record)},
                        std::move(fits[m].summary),
                        {}});
  }
  return outcomes;
}

} // namespace lacuna
