#include "math/instruction_sets.hpp"

namespace lacuna {

std::size_t n_runnable_sets() {
#ifdef LACUNA_X86_KERNELS
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 1;
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") ? 3 : 2;
#else
  return 1;
#endif
}

} // namespace lacuna
