#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "density/frame.hpp"
#include "density/niw.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/core/observer.hpp"

namespace lacuna {

/// What is given: a base measure for the clusters, and a Gamma prior for the concentration.
struct DpModel {
  NormalInverseWishart base;
  double concentration_shape = 1.0;
  double concentration_rate = 1.0;
};

/// Rows as the sampler labels them: a row of weight 2 is two units with labels of their own. Units stand in
/// the order of their rows, so that weight 2 and the row twice are the same list.
class DpUnits {
public:
  explicit DpUnits(const WeightedRows& rows);
  DpUnits(const DpUnits&) = delete;
  DpUnits& operator=(const DpUnits&) = delete;
  ~DpUnits() = default;

  const WeightedRows& rows() const { return units_; }
  double total_weight() const { return total_weight_; }

private:
  std::vector<Index> row_;
  std::vector<double> weight_;
  WeightedRows units_;
  double total_weight_ = 0.0;
};

/// Some units, in order, as rows with weights.
class UnitList {
public:
  UnitList(const WeightedRows& all, std::vector<Index> units);
  UnitList(const UnitList&) = delete;
  UnitList& operator=(const UnitList&) = delete;
  ~UnitList() = default;

  Index size() const { return rows_.size(); }
  Index unit(Index i) const { return units_[static_cast<std::size_t>(i)]; }
  const std::vector<Index>& units() const { return units_; }
  const WeightedRows& rows() const { return rows_; }

private:
  std::vector<Index> units_;
  std::vector<Index> row_;
  std::vector<double> weight_;
  WeightedRows rows_;
};

struct DpCluster {
  RowStatistics rows;
  Index n_units = 0;
  NormalInverseWishart posterior;
};

/// The state of the chain: which cluster each unit belongs to, and the concentration. The parameters of the
/// clusters are integrated out; their posteriors are kept up to date.
struct DpState {
  DpState(const DpUnits& all, const Frame& units_frame, const DpModel& prior, int n_threads,
          const Observer& watcher);

  /// Takes labels 0 .. n-1, each of which at least one unit must have.
  void set_labels(std::vector<std::int32_t> new_labels);
  /// Log of the joint density of rows, labels and concentration (eq. 7), in the frame's units.
  double log_joint() const;
  UnitList members(std::int32_t a, std::int32_t b = -1) const;
  /// A unit's row in the frame.
  void get(Index unit, std::span<double> out) const;
  std::int32_t n_clusters() const { return static_cast<std::int32_t>(clusters.size()); }
  DpCluster make_cluster(RowStatistics rows, Index n_units) const;
  /// Removes a cluster that no unit belongs to any more; the last one takes its number.
  void drop(std::int32_t k);

  const WeightedRows& units;
  const Frame& frame;
  const DpModel& model;
  int threads;
  const Observer& observer;
  double total_weight;
  std::vector<std::int32_t> labels;
  std::vector<DpCluster> clusters;
  double concentration;
};

} // namespace lacuna
