#include "density/kde_kernels.hpp"

namespace lacuna {

extern const KdeKernels kde_kernels_plain;
#ifdef LACUNA_X86_KERNELS
extern const KdeKernels kde_kernels_avx2;
extern const KdeKernels kde_kernels_avx512;
#endif

namespace {

const KdeKernels& best_kernels() {
#ifdef LACUNA_X86_KERNELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")) return kde_kernels_avx512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return kde_kernels_avx2;
#endif
  return kde_kernels_plain;
}

} // namespace

const KdeKernels& kde_kernels() {
  static const KdeKernels& best = best_kernels();
  return best;
}

} // namespace lacuna
