#include "learning/density_fitter.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/index.hpp"
#include "core/parallel.hpp"
#include "data/whole_table.hpp"
#include "density/shaped_density.hpp"
#include "lacuna/core/random.hpp"
#include "learning/unlabeled_rows.hpp"

namespace lacuna {

namespace {

/// In standard deviations: rows unlike all others are looked for outside the data, not among them.
constexpr double background_reach = 10.0;

/// As if one row of the data had come from elsewhere. Less than one also where the rows weigh next to
/// nothing.
double background_weight(double row_weight) {
  return std::min(1.0 / (row_weight + 1.0), std::nextafter(1.0, 0.0));
}

/// A density like those that the family fits.
const Density* unwrapped(const Density* density) {
  const auto* const shaped = dynamic_cast<const ShapedDensity*>(density);
  return shaped != nullptr ? &shaped->inner() : density;
}

void set_reference(DensityFitContext& context, const RowMoments& moments, const std::vector<Index>& levels) {
  context.reference_variance = moments.variance;
  context.reference_mean = moments.mean;
  context.levels = levels;
}

std::vector<double> background_scale(const RowMoments& reference) {
  std::vector<double> scale;
  for (std::size_t j = 0; j < reference.variance.size(); ++j) {
    const double variance = reference.variance[j];
    // As in the densities' frames: a feature that never varies takes any scale, and where the variance is
    // beyond the largest number one of the right size will do.
    const double spread = std::isfinite(variance) ? std::sqrt(variance) : 0.5 * reference.range[j];
    scale.push_back(background_reach * (spread > 0.0 && std::isfinite(1.0 / spread) ? spread : 1.0));
  }
  return scale;
}

double scale_of_sample(const DatasetView& data) {
  if (data.whole == nullptr || data.whole->n_kept_unlabeled() == 0) return 1.0;
  return static_cast<double>(data.whole->n_unlabeled()) / static_cast<double>(data.whole->n_kept_unlabeled());
}

RowMoments moments_of(const DatasetView& data, const Observer& observer) {
  RowMomentsSum sum(data.n_features());
  for_each_block(data, observer,
                 [&](const PassingRows& block) { sum.add(WeightedRows(block.rows, block.weights)); });
  return sum.result();
}

} // namespace

void RowList::append(const RowList& other) {
  rows.insert(rows.end(), other.rows.begin(), other.rows.end());
  weights.insert(weights.end(), other.weights.begin(), other.weights.end());
}

double RowList::total_weight() const {
  return std::accumulate(weights.begin(), weights.end(), 0.0);
}

DensityFitter::DensityFitter(DatasetView data, const DensityFamily& family, ColumnShaping shaping,
                             int threads, Observer& observer)
    : data_(std::move(data)), family_(family), threads_(resolve_threads(threads)), observer_(observer),
      sample_scale_(scale_of_sample(data_)), reference_(moments_of(data_, observer)), seen_(see(shaping)),
      class_keys_(static_cast<std::size_t>(data_.n_classes()), -1) {
  for (Index i = 0; i < data_.n_rows(); ++i) {
    if (!is_labeled(i)) continue;
    const Index y = data_.labels[static_cast<std::size_t>(i)];
    if (class_key(y) >= 0) continue;
    class_keys_[static_cast<std::size_t>(y)] = data_.number(i);
    class_order_.push_back(y);
  }
}

std::shared_ptr<const DensityFitter::SeenData> DensityFitter::see(ColumnShaping shaping) const {
  if (shaping == ColumnShaping::plain || !family_.gains_by_shapes()) return nullptr;
  SeenData seen;
  std::vector<double> behind;
  for (Index i = 0; data_.whole != nullptr && i < data_.n_rows(); ++i) behind.push_back(weight_behind(i));
  const std::span<const double> weights = data_.whole == nullptr ? data_.weights : behind;
  seen.shapes = fit_column_shapes(WeightedRows(data_.features, weights), data_.levels,
                                  family_.handles_missing_values() && family_.handles_categories(), threads_);
  if (seen.shapes == nullptr) return nullptr;
  SeenRows rows = see_rows(*seen.shapes, data_.features, threads_);
  seen.features = std::move(rows.features);
  seen.log_jacobian = std::move(rows.log_jacobian);
  if (data_.whole == nullptr)
    seen.reference = row_moments(WeightedRows(seen.features.view(), data_.weights));
  else
    see_whole_table(seen);
  return std::make_shared<const SeenData>(std::move(seen));
}

void DensityFitter::see_whole_table(SeenData& seen) const {
  RowMomentsSum sum(seen.shapes->n_seen());
  for_each_block(data_, observer_, [&](const PassingRows& block) {
    const SeenRows rows = see_rows(*seen.shapes, block.rows, threads_);
    sum.add(WeightedRows(rows.features.view()));
    for (std::size_t b = 0; b < rows.log_jacobian.size(); ++b)
      if (is_number_unlabeled(block.first + static_cast<Index>(b)))
        seen.unlabeled_log_jacobian += rows.log_jacobian[b];
  });
  seen.reference = sum.result();
}

std::string DensityFitter::shapes_note() const {
  return seen_ != nullptr ? seen_->shapes->describe(data_.feature_names) : "";
}

std::shared_ptr<const Density> DensityFitter::fit(const RowList& rows, std::uint64_t seed, int threads,
                                                  const Density* warm_start, bool single_step) const {
  DensityFitContext context;
  context.warm_start = unwrapped(warm_start);
  context.single_step = single_step;
  context.seed = seed;
  context.threads = threads;
  context.observer = &observer_;
  if (seen_ == nullptr) {
    set_reference(context, reference_, data_.levels);
    return family_.fit(WeightedRows(data_.features, rows.rows, rows.weights), context);
  }
  set_reference(context, seen_->reference, seen_->shapes->levels());
  double log_jacobian = 0.0;
  for (std::size_t i = 0; i < rows.rows.size(); ++i)
    log_jacobian += rows.weights[i] * seen_->log_jacobian[at(rows.rows[i])];
  return std::make_shared<ShapedDensity>(
      seen_->shapes, family_.fit(WeightedRows(seen_->features.view(), rows.rows, rows.weights), context),
      log_jacobian);
}

std::shared_ptr<const Density> DensityFitter::fit_unlabeled(std::uint64_t seed) const {
  if (!fits_whole_table()) {
    RowList unlabeled;
    for (Index i = 0; i < data_.n_rows(); ++i)
      if (is_unlabeled(i)) unlabeled.add(i, data_.weight(i));
    return fit(unlabeled, seed, threads_);
  }
  DensityFitContext context;
  context.seed = seed;
  context.threads = threads_;
  context.observer = &observer_;
  UnlabeledRows rows(*data_.whole, seen_ != nullptr ? seen_->shapes.get() : nullptr, threads_, observer_);
  if (seen_ == nullptr) {
    set_reference(context, reference_, data_.levels);
    return family_.fit_blocks(rows, context);
  }
  set_reference(context, seen_->reference, seen_->shapes->levels());
  return std::make_shared<ShapedDensity>(seen_->shapes, family_.fit_blocks(rows, context),
                                         seen_->unlabeled_log_jacobian);
}

double DensityFitter::unlabeled_weight() const {
  if (fits_whole_table()) return static_cast<double>(data_.whole->n_unlabeled());
  double total = 0.0;
  for (Index i = 0; i < data_.n_rows(); ++i)
    if (is_unlabeled(i)) total += data_.weight(i);
  return total;
}

bool DensityFitter::is_number_unlabeled(Index number) const {
  return data_.whole == nullptr ? is_unlabeled(number) : !data_.whole->is_labeled(number);
}

ClassModel DensityFitter::fit_classes(const std::vector<RowList>& rows_of_class, std::uint64_t seed,
                                      const ClassModel* warm_start, bool single_step) const {
  ClassModel model;
  model.density.resize(rows_of_class.size());
  double total = 0.0;
  for (const RowList& rows : rows_of_class) {
    model.probability.push_back(rows.total_weight());
    total += model.probability.back();
  }
  for (double& p : model.probability) p /= total;
  parallel_for(static_cast<Index>(class_order_.size()), threads_, [&](Index i) {
    const auto y = static_cast<std::size_t>(class_order_[static_cast<std::size_t>(i)]);
    if (rows_of_class[y].empty()) return;
    const auto key = static_cast<std::uint64_t>(class_keys_[y]);
    model.density[y] = fit(rows_of_class[y], derive_seed(seed, RandomPurpose::class_model, key), threads_,
                           warm_start != nullptr ? warm_start->density[y].get() : nullptr, single_step);
  });
  return model;
}

std::vector<RowList> DensityFitter::labeled_rows() const {
  std::vector<RowList> result(static_cast<std::size_t>(n_classes()));
  for (Index i = 0; i < data_.n_rows(); ++i)
    if (is_labeled(i))
      result[static_cast<std::size_t>(data_.labels[static_cast<std::size_t>(i)])].add(i, data_.weight(i));
  return result;
}

Background DensityFitter::background() const {
  if (seen_ == nullptr) return plain_background();
  return {background_weight(seen_->reference.weight), seen_->reference.mean,
          background_scale(seen_->reference), seen_->shapes->levels(), seen_->shapes};
}

Background DensityFitter::plain_background() const {
  return {background_weight(reference_.weight), reference_.mean, background_scale(reference_), data_.levels};
}

DensityRecord make_record(std::string name, const Density& density, Index n_rows) {
  const DensityFitSummary& summary = density.summary();
  return {std::move(name),     n_rows,          summary.n_components, summary.n_iterations, summary.objective,
          summary.stop_reason, summary.measures};
}

} // namespace lacuna
