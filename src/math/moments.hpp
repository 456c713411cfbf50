#pragma once

#include <span>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// Total weight, weighted mean and weighted variance (divided by the total weight) of every feature. A NaN is
/// a missing value: its row does not count for that feature.
struct RowMoments {
  double weight = 0.0;
  std::vector<double> present; ///< per feature: the weight of the rows that have a value
  std::vector<double> mean;
  std::vector<double> variance; ///< infinite where its square root is finite but beyond 1e154
  std::vector<double> range;    ///< largest less smallest value
};

/// One pass, centred: no digits cancel however far the data lie from zero.
RowMoments row_moments(const WeightedRows& rows);

/// The same for rows that come in blocks. Where a block ends changes no bit.
class RowMomentsSum {
public:
  explicit RowMomentsSum(Index n_features);
  void add(const WeightedRows& rows);
  RowMoments result() const;

private:
  void add_row(const double* row, double weight);
  void add_value(std::size_t j, double x, double weight, double share);

  RowMoments sums_; ///< `variance` holds sums of squares
  std::vector<double> low_;
  std::vector<double> high_;
  bool has_gaps_ = false;
};

/// Whether one of the values is NaN, which stands for a missing one.
bool has_missing(std::span<const double> values);

} // namespace lacuna
