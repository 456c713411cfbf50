#include "lacuna/pipeline/fit.hpp"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "core/interruption.hpp"
#include "core/torch_library.hpp"
#include "data/kept_rows.hpp"
#include "data/large_table.hpp"
#include "data/whole_table.hpp"
#include "lacuna/core/version.hpp"
#include "pipeline/mapped_table.hpp"
#include "pipeline/memory_plan.hpp"
#include "pipeline/seen_rows.hpp"

namespace lacuna {

namespace {

bool any_mixes_columns(const FeatureOptions& options) {
  return std::any_of(options.features.begin(), options.features.end(), mixes_columns);
}

FitRequest checked(FitRequest request) {
  OptionChecks checks;
  check_options<TableOptions>(request, checks);
  check_options<LearningOptions>(request, checks);
  check_options<FeatureOptions>(request, checks);
  checks.throw_if_any();
  if (request.has("vae")) uses_gpu(request.device); // throws where one is asked for and none is there
  return request;
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

/// Said before the long work, by which time it is too late to choose otherwise.
bool hint_at_pca(Index n_columns, Observer& observer) {
  constexpr Index many_columns = 500;
  if (n_columns < many_columns) return false;
  observer.warning(
      fmt::format("the models see {} columns, and the time of densities grows with the square of "
                  "that; {} as {} gives them 50 that hold most of what varies",
                  n_columns, "'pca:50'", mention("features")));
  return true;
}

/// Rows of a larger table, each of which is here with the same probability; empty for one that is in memory.
/// Unlabeled rows were drawn already, labeled ones are all there.
Matrix fair_sample(const DatasetView& data, std::uint64_t seed) {
  if (data.whole == nullptr) return {};
  const double share = static_cast<double>(data.whole->n_kept_unlabeled()) /
                       static_cast<double>(std::max<Index>(1, data.whole->n_unlabeled()));
  const auto is_taken = [&](Index i) {
    const double lot = static_cast<double>(draw_key(seed, data.number(i))) * 0x1p-64;
    return !data.is_labeled(i) || lot < share || data.whole->n_unlabeled() == 0;
  };
  Index n = 0;
  for (Index i = 0; i < data.n_rows(); ++i) n += is_taken(i) ? 1 : 0;
  Matrix rows(n, data.n_features());
  n = 0;
  for (Index i = 0; i < data.n_rows(); ++i)
    if (is_taken(i)) std::copy_n(data.features.row(i), data.n_features(), rows.row(n++));
  return rows;
}

} // namespace

FitPlan::FitPlan(FitRequest request)
    : request_(checked(std::move(request))), family_(make_density_family(request_.density)) {}

FitPlan::FitPlan(FitRequest request, std::shared_ptr<const DensityFamily> family, std::string name)
    : request_(checked(std::move(request))), family_(std::move(family)), own_name_(std::move(name)) {}

bool FitPlan::takes_codes() const {
  return family_->handles_categories() && !any_mixes_columns(request_);
}

bool FitPlan::takes_gaps() const {
  return family_->handles_missing_values() && !any_mixes_columns(request_);
}

TrainingTable FitPlan::read(Observer& observer) const {
  TableOptions options = request_;
  // A network on images needs every pixel in its place, also those that are always black.
  options.keep_constant = !request_.features.empty() && request_.features.front().kind == "vae";
  options.code_categories = takes_codes();
  const ColumnCount tell = [&](Index n_columns) {
    if (!any_mixes_columns(request_)) has_hinted_ = hint_at_pca(n_columns, observer);
  };
  RowChoice choose;
  if (request_.memory)
    choose = [&](const TableSize& size) { return rows_to_keep(request_, *family_, size, observer); };
  TrainingTable table = read_training_table(request_.path, request_.classes, options, choose, tell, observer);
  table.notes.insert(table.notes.end(), table.label_notes.begin(), table.label_notes.end());
  return table;
}

std::vector<Index> FitPlan::kept_rows(Index n_rows, const std::vector<Index>& labeled, Index n_features,
                                      Observer& observer) const {
  const TableSize size{n_rows, static_cast<Index>(labeled.size()), n_features};
  return lacuna::kept_rows(draws_within(request_, *family_, size, observer), labeled, n_rows, observer);
}

FitRecord FitPlan::record_of(const FitTask& task, Method method, const TableSchema& schema,
                             const DatasetView& seen, const FitResult& result) const {
  FitRequest request = request_;
  request.method = method;
  if (!own_name_.empty()) request.density = own_name_;
  std::vector<std::string> notes = task.notes;
  notes.insert(notes.end(), result.notes.begin(), result.notes.end());
  return {.version = version(),
          .seed = request.seed,
          .options = recorded_options(request),
          .classes = seen.class_names,
          .features = schema.feature_names(),
          .model_features = seen.feature_names,
          .summary = result.summary,
          .notes = std::move(notes),
          .label_type = task.label_type};
}

SeenRows see_rows(const FitPlan& plan, const FitTask& task, Observer& observer) {
  const FitRequest& request = plan.request();
  check_dataset(task.data);
  SeenRows rows;
  rows.schema = task.schema.columns.empty() ? schema_of(task.data) : task.schema;
  // Where a map cannot take gaps, the error names the column.
  for (const FeatureSpec& spec : request.features)
    if (mixes_columns(spec))
      require_complete(task.data, rows.schema.feature_names(), to_string(std::vector{spec}));
  const FeatureOptions maps = needed_maps(request, plan.family());
  const Matrix fair_rows = maps.features.empty() ? Matrix() : fair_sample(task.data, request.seed);
  rows.features = fit_features(maps,
                               {.rows = task.data.whole == nullptr ? task.data.features : fair_rows.view(),
                                .levels = task.data.levels,
                                .seed = request.seed,
                                .threads = request.threads,
                                .device = request.device},
                               observer);
  rows.view = task.data;
  rows.view.feature_names = rows.features.output_names(rows.schema.feature_names());
  if (!rows.features.empty()) {
    rows.mapped = rows.features.apply(task.data.features, {.threads = request.threads});
    rows.view.features = rows.mapped.view();
    if (task.data.whole != nullptr) {
      rows.mapped_table = std::make_shared<const MappedTable>(*task.data.whole, rows.features);
      rows.view.whole = rows.mapped_table.get();
    }
  }
  if (!plan.has_hinted()) hint_at_pca(rows.view.n_features(), observer);
  rows.learning = request;
  // What a map made of all columns has no shape that a column of the table had.
  if (any_mixes_columns(request)) rows.learning.column_shapes = ColumnShaping::plain;
  return rows;
}

std::vector<Model> FitPlan::fit(const FitTask& task, Observer& observer) const {
  const Interruptible interruptible(&observer);
  const SeenRows rows = see_rows(*this, task, observer);
  std::vector<FitResult> fits = fit_classifiers(rows.view, rows.learning, task.methods, *family_, observer);
  std::vector<Model> models;
  for (std::size_t m = 0; m < fits.size(); ++m)
    models.push_back({rows.schema, rows.features, std::move(fits[m].classifier),
                      record_of(task, task.methods[m], rows.schema, rows.view, fits[m])});
  return models;
}

Model fit(const DatasetView& data, const FitOptions& options, Observer& observer) {
  FitRequest request;
  static_cast<FitOptions&>(request) = options;
  return std::move(FitPlan(std::move(request)).fit({{options.method}, data}, observer).front());
}

Model fit_table(const FitRequest& request, Observer& observer) {
  const FitPlan plan(request);
  const TrainingTable table = plan.read(observer);
  return std::move(plan.fit({{request.method}, table.data, table.schema, table.notes}, observer).front());
}

} // namespace lacuna
