#pragma once

#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace LACUNA_API lacuna {

/// The stratum of rows without one.
inline constexpr int no_stratum = -1;

/// What curves are made from: 20 bytes per row. The probabilities of all classes are not kept; what needs
/// them is gathered while rows are scored (ReliabilityAccumulator, ClasswiseAccumulator).
struct ScoredRows {
  std::vector<int> label;      ///< true class number
  std::vector<int> prediction; ///< class number
  std::vector<double> error_probability;
  std::vector<int> stratum;               ///< place in stratum_names, or no_stratum
  std::vector<std::string> stratum_names; ///< in the order of their first row

  Index n_rows() const { return static_cast<Index>(label.size()); }
  bool is_error(Index row) const {
    return label[static_cast<std::size_t>(row)] != prediction[static_cast<std::size_t>(row)];
  }
};

/// All rows that share one error probability. Curves are made from these groups, so that neither the order of
/// rows nor that of ties can matter.
struct ErrorGroup {
  double error_probability = 0.0;
  Index n = 0;
  Index n_errors = 0;
};

/// The groups of some rows, by rising error probability.
std::vector<ErrorGroup> error_groups(const ScoredRows& rows);

} // namespace lacuna
