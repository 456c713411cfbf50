#pragma once

#include <cstddef>

namespace lacuna {

/// How many of the instruction sets that kernels are compiled for (math/simd.hpp) this processor runs,
/// counted in the order plain, AVX2, AVX-512.
std::size_t n_runnable_sets();

} // namespace lacuna
