#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace lacuna {

/// Memory that begins with a line of the cache, so that no vector of the kernels lies across two.
template <typename Value>
struct AlignedAllocator {
  using value_type = Value;
  static constexpr std::align_val_t alignment{64};

  AlignedAllocator() = default;
  template <typename Other>
  explicit AlignedAllocator(const AlignedAllocator<Other>& /*other*/) {}

  Value* allocate(std::size_t n) { return static_cast<Value*>(::operator new(n * sizeof(Value), alignment)); }
  void deallocate(Value* values, std::size_t /*n*/) { ::operator delete(values, alignment); }
  friend bool operator==(const AlignedAllocator& /*a*/, const AlignedAllocator& /*b*/) { return true; }
};

using AlignedFloats = std::vector<float, AlignedAllocator<float>>;
using AlignedDoubles = std::vector<double, AlignedAllocator<double>>;

} // namespace lacuna
