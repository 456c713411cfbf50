#include "conditional/tree_kernels.hpp"

#include "math/instruction_sets.hpp"

namespace lacuna {

namespace plain {
extern const TreeKernels tree_kernels;
}
#ifdef LACUNA_X86_KERNELS
namespace avx2 {
extern const TreeKernels tree_kernels;
}
namespace avx512 {
extern const TreeKernels tree_kernels;
}
#endif

const TreeKernels& tree_kernels() {
#ifdef LACUNA_X86_KERNELS
  static constexpr const TreeKernels* sets[] = {&plain::tree_kernels, &avx2::tree_kernels,
                                                &avx512::tree_kernels};
#else
  static constexpr const TreeKernels* sets[] = {&plain::tree_kernels};
#endif
  static const TreeKernels& best = *sets[n_runnable_sets() - 1];
  return best;
}

} // namespace lacuna
