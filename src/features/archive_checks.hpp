#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

[[noreturn]] inline void fail_damaged(const std::string& name, const std::string& what) {
  throw Error(ErrorKind::data, "the model is damaged or from another version: '" + name + "' " + what);
}

/// The length of a stored vector, at least 1.
inline Index stored_length(const Archive& archive, const std::string& name) {
  const Tensor& tensor = archive.tensor(name);
  if (tensor.shape.size() != 1 || tensor.shape[0] < 1) fail_damaged(name, "has another shape than expected");
  return tensor.shape[0];
}

inline const std::vector<double>& finite(const std::vector<double>& values, const std::string& name) {
  for (const double value : values)
    if (!std::isfinite(value)) fail_damaged(name, "holds a value that is not a finite number");
  return values;
}

} // namespace lacuna
