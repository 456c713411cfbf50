#include "density/kde_kernels.hpp"

#include "math/instruction_sets.hpp"

namespace lacuna {

namespace plain {
extern const KdeKernels kde_kernels;
}
#ifdef LACUNA_X86_KERNELS
namespace avx2 {
extern const KdeKernels kde_kernels;
}
namespace avx512 {
extern const KdeKernels kde_kernels;
}
#endif

const KdeKernels& kde_kernels() {
#ifdef LACUNA_X86_KERNELS
  static constexpr const KdeKernels* sets[] = {&plain::kde_kernels, &avx2::kde_kernels, &avx512::kde_kernels};
#else
  static constexpr const KdeKernels* sets[] = {&plain::kde_kernels};
#endif
  static const KdeKernels& best = *sets[n_runnable_sets() - 1];
  return best;
}

} // namespace lacuna
