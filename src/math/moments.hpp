#pragma once

#include <span>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// Total weight, weighted mean and weighted variance (divided by the total weight) of every feature. A NaN is
/// a missing value: its row does not count for that feature.
struct RowMoments {
  double weight = 0.0;
  std::vector<double> present; ///< per feature: the weight of the rows that have a value
  std::vector<double> mean;
  std::vector<double> variance; ///< infinite where its square root is finite but beyond 1e154
  std::vector<double> low;      ///< smallest value; beyond `high` where there is none
  std::vector<double> high;

  /// The largest less the smallest value; 0 where there is none.
  double range(std::size_t j) const { return low[j] <= high[j] ? high[j] - low[j] : 0.0; }
};

/// One pass, centred: no digits cancel however far the data lie from zero.
RowMoments row_moments(const WeightedRows& rows);

/// The same for rows that come in blocks. Where a block ends changes no bit.
class RowMomentsSum {
public:
  explicit RowMomentsSum(Index n_features);
  Index n_features() const { return static_cast<Index>(sums_.mean.size()); }
  void add(const WeightedRows& rows);
  /// Adds what was counted elsewhere.
  void add(const RowMomentsSum& other);
  RowMoments result() const;

  void save(Archive& archive, const std::string& prefix) const;
  static RowMomentsSum load(const Archive& archive, const std::string& prefix, Index n_features);

private:
  void add_row(const double* row, double weight);
  void add_value(std::size_t j, double x, double weight, double share);
  void tell_gaps();

  RowMoments sums_; ///< `variance` holds sums of squares, `present` nothing while there is no gap
  bool has_gaps_ = false;
};

/// Whether one of the values is NaN, which stands for a missing one.
bool has_missing(std::span<const double> values);

} // namespace lacuna
