#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "learning/density_fitter.hpp"
#include "learning/embedding.hpp"

namespace lacuna {

/// How far rows are from the nearest labeled one. Immutable.
class LabelDistance {
public:
  LabelDistance(std::shared_ptr<const Embedding> embedding, Matrix labeled);

  /// In units of the median distance from a labeled row to the next.
  double of(const double* row) const;
  /// The same for a labeled row: to the nearest other one.
  double of_other(const double* row) const;

  void save(Archive& archive, const std::string& prefix) const;
  /// Throws Error(data).
  static std::shared_ptr<const LabelDistance> load(const Archive& archive, const std::string& prefix,
                                                   Index n_features);

private:
  double nearest(const double* row, double beyond) const;

  std::shared_ptr<const Embedding> embedding_;
  Matrix labeled_;             ///< points
  Index n_places_;             ///< for them, side by side
  std::vector<double> places_; ///< coordinate by coordinate; behind the last point all is infinite
  double unit_;
};

/// Measures distances with some labels hidden or none.
class LabelDistanceFit {
public:
  /// `labeled` are the rows that have a label, in the order of the table.
  LabelDistanceFit(const DensityFitter& fitter, const std::vector<Index>& labeled, std::uint64_t seed);

  /// `hidden`: one per labeled row, or empty. Of many labeled rows some stand for all.
  std::shared_ptr<const LabelDistance> fit(std::span<const char> hidden) const;

  /// Where the labeled rows lie.
  const Matrix& labeled_points() const { return labeled_points_; }
  /// Groups of the labeled rows, coarse and fine: the cluster of each among clusters of all rows.
  std::vector<std::vector<int>> groups(std::uint64_t seed) const;

private:
  std::shared_ptr<const Embedding> embedding_;
  Matrix labeled_points_;
  Matrix points_; ///< of labeled rows and a sample of the others
};

} // namespace lacuna
