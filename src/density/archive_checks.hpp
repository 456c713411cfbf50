#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// More features, components or rows than any model has; a damaged file may claim anything.
inline constexpr Index largest_saved_count = Index{1} << 40;
inline constexpr Index largest_saved_features = Index{1} << 24;

inline void require_saved(bool holds, const std::string& prefix, const std::string& what) {
  if (!holds) throw Error(ErrorKind::data, "the model is damaged: " + prefix + " has " + what);
}

inline bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

inline bool all_positive(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v > 0.0 && std::isfinite(v); });
}

} // namespace lacuna
