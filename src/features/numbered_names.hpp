#pragma once

#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// "pc1", "pc2", ...: names of the outputs of a map that mixes its inputs.
inline std::vector<std::string> numbered_names(const std::string& prefix, Index n) {
  std::vector<std::string> names;
  for (Index k = 1; k <= n; ++k) names.push_back(prefix + std::to_string(k));
  return names;
}

} // namespace lacuna
