#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "lacuna/evaluation/scored_rows.hpp"

namespace lacuna {

/// The lower edge of one of `n_bins` equal parts of [0, 1].
inline double equal_width_edge(Index bin, Index n_bins) {
  return static_cast<double>(bin) / static_cast<double>(n_bins);
}

/// The part that holds a probability: an edge belongs to the part above it, 1 to the last. What is a rounding
/// error below an edge is on it: where all classes are equally likely q_e = 1 - 1/|Y| is an edge, and such
/// rows belong together.
inline Index equal_width_bin(double probability, Index n_bins) {
  constexpr double rounding = 1e-12;
  return std::min(static_cast<Index>((probability + rounding) * static_cast<double>(n_bins)), n_bins - 1);
}

/// Cuts rows that are sorted into groups into parts of about equal size; a group is never cut.
class EqualMassCuts {
public:
  explicit EqualMassCuts(std::span<const ErrorGroup> groups);
  /// The first group of each part that is not empty, for `n_bins` parts (equation 1 of
  /// docs/math/evaluation.md).
  std::vector<Index> first_groups(Index n_bins) const;
  Index n_rows() const { return n_rows_; }

private:
  std::vector<Index> twice_middle_; ///< of each group: twice the rank of its middle row
  Index n_rows_ = 0;
};

} // namespace lacuna
