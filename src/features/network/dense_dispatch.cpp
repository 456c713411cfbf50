#include "features/network/dense.hpp"

namespace lacuna {

extern const DenseKernels dense_plain;
#ifdef LACUNA_X86_KERNELS
extern const DenseKernels dense_avx2;
extern const DenseKernels dense_avx512;
#endif

DenseKernelList runnable_dense_kernels() {
  DenseKernelList list{};
#ifdef LACUNA_X86_KERNELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    list.sets[list.n_sets++] = &dense_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) list.sets[list.n_sets++] = &dense_avx2;
#endif
  list.sets[list.n_sets++] = &dense_plain;
  return list;
}

const DenseKernels& dense_kernels() {
  static const DenseKernels& best = *runnable_dense_kernels().sets[0];
  return best;
}

} // namespace lacuna
