#pragma once

#include <cstddef>

#include "lacuna/core/version.hpp"

namespace LACUNA_API lacuna {

/// How many of the instruction sets that kernels are compiled for (math/simd.hpp) may run here, counted in
/// the order plain, AVX2, AVX-512: those of this processor, up to the one that LACUNA_INSTRUCTION_SET names
/// (plain, avx2 or avx512). Throws Error(usage) when it names no set, or one that the processor does not
/// have.
std::size_t n_runnable_sets();

} // namespace lacuna
