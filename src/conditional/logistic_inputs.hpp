#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "conditional/column_scales.hpp"
#include "conditional/labeled_rows.hpp"
#include "lacuna/core/archive.hpp"

namespace lacuna {

/// What a logistic regression sees of a row: numbers, standardised and clipped, with one input more where a
/// column has gaps, and an input for every category, of which at most one per column is switched on.
class LogisticInputs {
public:
  static LogisticInputs fit(const DatasetView& data, const LabeledRows& labeled);

  std::size_t size() const { return n_inputs_; }
  /// The first inputs, which have values; the others are switches.
  std::size_t n_values() const { return n_values_; }
  std::size_t n_categorical() const { return n_categorical_; }

  /// `values` has n_values entries. `switches` has n_categorical entries: the input that each column of
  /// categories switches on, or `none` for a category that is missing or was never seen.
  void read(const double* row, std::span<double> values, std::span<std::int32_t> switches) const;
  static constexpr std::int32_t none = -1;

  void save(Archive& archive, const std::string& prefix) const;
  /// Throws Error(data).
  static LogisticInputs load(const Archive& archive, const std::string& prefix, Index n_features);

private:
  LogisticInputs(ColumnScales scales, std::vector<Index> levels, std::vector<bool> has_gaps);

  ColumnScales scales_;
  std::vector<Index> levels_;  ///< per column: 0 for a number
  std::vector<bool> has_gaps_; ///< per column: whether a missing number has an input of its own
  std::size_t n_values_ = 0;
  std::size_t n_categorical_ = 0;
  std::size_t n_inputs_ = 0;
};

} // namespace lacuna
