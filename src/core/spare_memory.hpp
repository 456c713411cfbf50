#pragma once

#include <cstddef>

#include "lacuna/core/version.hpp"

namespace LACUNA_API lacuna {

/// Memory that a library is about to take which does not survive being refused it: asked for before, and
/// given back at once. What others have asked for and not used up is counted in while they live, so that two
/// on two threads are not promised the same.
class SpareMemory {
public:
  /// Throws std::bad_alloc when the process may not have so much more.
  explicit SpareMemory(std::size_t n_bytes);
  ~SpareMemory();
  SpareMemory(const SpareMemory&) = delete;
  SpareMemory& operator=(const SpareMemory&) = delete;

private:
  std::size_t n_bytes_;
};

} // namespace lacuna
