#include "features/dense.hpp"

namespace lacuna {

extern const DenseKernels dense_plain;
#ifdef LACUNA_X86_KERNELS
extern const DenseKernels dense_avx2;
extern const DenseKernels dense_avx512;
#endif

const DenseKernels& dense_kernels() {
#ifdef LACUNA_X86_KERNELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return dense_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return dense_avx2;
#endif
  return dense_plain;
}

} // namespace lacuna
