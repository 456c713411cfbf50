#include "density/dp_state.hpp"

#include <algorithm>
#include <cmath>

#include "core/index.hpp"
#include "lacuna/core/errors.hpp"
#include "math/special.hpp"

// Equation numbers refer to docs/math/dp-gmm.md.

namespace lacuna {

namespace {

/// Large weights are not worth a label for each copy: all units together are at most some times the rows.
double copies_per_weight(const WeightedRows& rows) {
  double copies = 0.0;
  double weight = 0.0;
  double n_rows = 0.0;
  for (Index i = 0; i < rows.size(); ++i) {
    copies += std::floor(rows.weight(i) + 0.5);
    weight += rows.weight(i);
    n_rows += rows.weight(i) > 0.0 ? 1.0 : 0.0;
  }
  const double most = 4.0 * n_rows + 1024.0;
  return copies <= most ? 1.0 : most / weight;
}

bool all_weights_are_one(const WeightedRows& rows) {
  for (Index i = 0; i < rows.size(); ++i)
    if (rows.weight(i) != 1.0) return false;
  return true;
}

} // namespace

DpUnits::DpUnits(const WeightedRows& rows) : units_(rows) {
  for (Index i = 0; i < rows.size(); ++i) total_weight_ += rows.weight(i);
  if (!(total_weight_ > 0.0))
    throw Error(ErrorKind::data, "a density needs at least one row of positive weight");
  if (all_weights_are_one(rows)) return;
  const double share = copies_per_weight(rows);
  // With more evidence than this the prior would drown in the rounding of the moments.
  constexpr double most_evidence = 1e12;
  const double scale = std::min(1.0, most_evidence / total_weight_);
  total_weight_ *= scale;
  for (Index i = 0; i < rows.size(); ++i) {
    const double w = rows.weight(i);
    if (!(scale * w > 0.0)) continue;
    const auto copies = std::max<Index>(1, static_cast<Index>(std::floor(share * w + 0.5)));
    row_.insert(row_.end(), at(copies), rows.index(i));
    weight_.insert(weight_.end(), at(copies), scale * w / static_cast<double>(copies));
  }
  units_ = WeightedRows(rows.features(), row_, weight_);
}

UnitList::UnitList(const WeightedRows& all, std::vector<Index> units)
    : units_(std::move(units)), rows_(all.features()) {
  row_.reserve(units_.size());
  weight_.reserve(units_.size());
  for (const Index unit : units_) {
    row_.push_back(all.index(unit));
    weight_.push_back(all.weight(unit));
  }
  rows_ = WeightedRows(all.features(), row_, weight_);
}

DpState::DpState(const DpUnits& all, const Frame& units_frame, const DpModel& prior, int n_threads,
                 const Observer& watcher)
    : units(all.rows()), frame(units_frame), model(prior), threads(n_threads), observer(watcher),
      total_weight(all.total_weight()), concentration(prior.concentration_shape / prior.concentration_rate) {
  set_labels(std::vector<std::int32_t>(at(units.size()), 0));
}

void DpState::set_labels(std::vector<std::int32_t> new_labels) {
  labels = std::move(new_labels);
  const auto n = static_cast<std::size_t>(*std::max_element(labels.begin(), labels.end())) + 1;
  clusters.assign(n, {});
  std::vector<double> x(at(frame.n_features()));
  for (Index i = 0; i < units.size(); ++i) {
    DpCluster& cluster = clusters[static_cast<std::size_t>(labels[at(i)])];
    get(i, x);
    if (cluster.n_units++ == 0) cluster.rows = RowStatistics(x);
    cluster.rows.add(x, units.weight(i));
  }
  for (DpCluster& cluster : clusters) cluster.posterior = update(model.base, cluster.rows);
}

double DpState::log_joint() const {
  const double shape = model.concentration_shape;
  const double rate = model.concentration_rate;
  double sum = shape * std::log(rate) - log_gamma(shape) + (shape - 1.0) * std::log(concentration) -
               rate * concentration + log_gamma(concentration) - log_gamma(concentration + total_weight);
  for (const DpCluster& cluster : clusters)
    sum += std::log(concentration) + log_gamma(cluster.rows.n) + log_evidence(model.base, cluster.posterior);
  return sum;
}

UnitList DpState::members(std::int32_t a, std::int32_t b) const {
  std::vector<Index> found;
  Index n = clusters[at(a)].n_units;
  if (b >= 0) n += clusters[at(b)].n_units;
  found.reserve(at(n));
  for (std::size_t i = 0; i < labels.size(); ++i)
    if (labels[i] == a || labels[i] == b) found.push_back(static_cast<Index>(i));
  return {units, std::move(found)};
}

void DpState::get(Index unit, std::span<double> out) const {
  const double* const row = units.row(unit);
  for (std::size_t j = 0; j < out.size(); ++j)
    out[j] = (row[frame.columns[j]] - frame.center[j]) * (1.0 / frame.scale[j]);
}

DpCluster DpState::make_cluster(RowStatistics rows, Index n_units) const {
  DpCluster cluster{std::move(rows), n_units, {}};
  cluster.posterior = update(model.base, cluster.rows);
  return cluster;
}

void DpState::drop(std::int32_t k) {
  const std::int32_t last = n_clusters() - 1;
  if (k != last) {
    std::replace(labels.begin(), labels.end(), last, k);
    clusters[at(k)] = std::move(clusters.back());
  }
  clusters.pop_back();
}

} // namespace lacuna
