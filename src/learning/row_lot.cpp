#include "learning/row_lot.hpp"

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

} // namespace lacuna
