#include "learning/row_lot.hpp"

#include <algorithm>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace lacuna {

RandomStream row_lot(const double* row, Index n_features) {
  constexpr double gap = std::numeric_limits<double>::quiet_NaN();
  std::uint64_t key = 0;
  for (Index j = 0; j < n_features; ++j) {
    const double value = std::isnan(row[j]) ? gap : row[j] + 0.0; // -0 + 0 is 0
    key = derive_seed(key, RandomPurpose::row_lot, std::bit_cast<std::uint64_t>(value));
  }
  return {key, RandomPurpose::row_lot};
}

Index drawn_class(const double* row, Index n_features, Index guess, double outside_share, Index n_classes) {
  RandomStream lot = row_lot(row, n_features);
  if (lot.uniform() >= outside_share) return guess;
  return std::min(static_cast<Index>(lot.uniform() * static_cast<double>(n_classes)), n_classes - 1);
}

} // namespace lacuna
