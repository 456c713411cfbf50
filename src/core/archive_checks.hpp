#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/errors.hpp"

// What every room asks of what it reads from an archive: a damaged file may claim anything.

namespace lacuna {

/// More features, components or rows than any model has.
inline constexpr Index largest_saved_count = Index{1} << 40;
inline constexpr Index largest_saved_features = Index{1} << 24;

[[noreturn]] inline void fail_damaged(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::data, "the model is damaged or from another version: '" + name + "' " + what);
}

inline void require_saved(bool holds, const std::string& prefix, const std::string& what) {
  if (!holds) throw Error(ErrorKind::data, "the model is damaged: " + prefix + " has " + what);
}

inline bool all_finite(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
}

inline bool all_positive(std::span<const double> values) {
  return std::all_of(values.begin(), values.end(), [](double v) { return v > 0.0 && std::isfinite(v); });
}

inline const std::vector<double>& finite(const std::vector<double>& values, const std::string& name) {
  if (!all_finite(values)) fail_damaged(name, "holds a value that is not a finite number");
  return values;
}

/// The length of a stored vector, at least 1.
inline Index stored_length(const Archive& archive, const std::string& name) {
  const Tensor& tensor = archive.tensor(name);
  if (tensor.shape.size() != 1 || tensor.shape[0] < 1) fail_damaged(name, "has another shape than expected");
  return tensor.shape[0];
}

} // namespace lacuna
