#pragma once

#include <string>
#include <vector>

#include "conditional/labeled_rows.hpp"
#include "lacuna/core/archive.hpp"

namespace lacuna {

/// Mean and standard deviation of every number, so that neither a shift nor a scale of a column matters.
/// Categories stay the numbers they are.
struct ColumnScales {
  std::vector<double> mean;
  std::vector<double> scale; ///< 1 where all values are the same

  static ColumnScales fit(const DatasetView& data, const LabeledRows& labeled);

  /// NaN stays NaN.
  double standardised(std::size_t column, double value) const {
    return (value - mean[column]) / scale[column];
  }

  void save(Archive& archive, const std::string& prefix) const;
  /// Throws Error(data).
  static ColumnScales load(const Archive& archive, const std::string& prefix, Index n_features);
};

} // namespace lacuna
