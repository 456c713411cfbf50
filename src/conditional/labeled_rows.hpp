#pragma once

#include <span>
#include <vector>

#include "lacuna/data/dataset.hpp"

namespace lacuna {

/// What a supervised family learns from: the labeled rows of positive weight, in the order of the table.
struct LabeledRows {
  std::vector<Index> rows;
  std::vector<double> weights;
  std::vector<int> classes;       ///< that have such a row, rising
  std::vector<std::size_t> place; ///< of each row's class among them
  double total_weight = 0.0;

  std::size_t size() const { return rows.size(); }
  /// The weight of each of `classes`.
  std::vector<double> class_weights() const;
};

/// Throws Error(data) when there is none.
LabeledRows labeled_rows(const DatasetView& data);

} // namespace lacuna
