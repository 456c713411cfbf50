#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"
#include "lacuna/data/table.hpp"

namespace LACUNA_API lacuna {

/// A piece of a table of class probabilities.
struct ProbabilityBlock {
  Matrix probabilities;         ///< rows x classes
  std::vector<int> labels;      ///< class number or missing_label
  std::vector<int> predictions; ///< class number
  std::vector<double> error_probability;
  std::vector<std::string> strata; ///< empty unless a stratum column was asked for
};

/// Streams a table of class probabilities as `lacuna predict` or any other tool writes it:
/// - Columns "p_NAME", where there are any, hold the probability of class NAME, and all columns of other
///   names are ignored. Otherwise every column that is not named below is a class.
/// - "prediction" may name the predicted class, otherwise it is the most probable one, the first among
/// equals.
/// - "error_probability" may say how likely that is wrong, otherwise it is one minus its probability.
/// - "informative" and "log_ratio", which lacuna predict writes, are ignored.
/// A table without names (NPY, or no_header) holds the classes 0, 1, ... in the order of its columns. The
/// probabilities of a row add up to one within 1e-6.
class ProbabilityReader {
public:
  /// Labels are where the options say, or else in a column named "label". `classes` names the classes to be
  /// read and their order; empty: all. `watch` is as TableReader has it. Throws Error(data) or Error(usage).
  ProbabilityReader(const std::string& path, const TableOptions& options, const std::string& stratum,
                    const std::vector<std::string>& classes, const std::function<void(double)>& watch = {});
  ~ProbabilityReader();
  ProbabilityReader(ProbabilityReader&&) noexcept;
  ProbabilityReader& operator=(ProbabilityReader&&) noexcept;

  const std::vector<std::string>& class_names() const;
  /// Fills `block` with up to `max_rows` rows; false at the end of the table. Throws Error(data) that names
  /// row, column and value.
  bool next(ProbabilityBlock& block, Index max_rows);
  /// Share of the file read so far, 0 to 1, for progress.
  double position() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace lacuna
