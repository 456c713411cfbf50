#pragma once

#include <cstddef>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A row or column number as the standard containers take it.
inline std::size_t at(Index i) {
  return static_cast<std::size_t>(i);
}

} // namespace lacuna
