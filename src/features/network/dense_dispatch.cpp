#include "features/network/dense.hpp"

#include "math/instruction_sets.hpp"

namespace lacuna {

namespace plain {
extern const DenseKernels dense_kernels;
}
#ifdef LACUNA_X86_KERNELS
namespace avx2 {
extern const DenseKernels dense_kernels;
}
namespace avx512 {
extern const DenseKernels dense_kernels;
}
#endif

std::span<const DenseKernels* const> available_dense_kernels() {
#ifdef LACUNA_X86_KERNELS
  static constexpr const DenseKernels* sets[] = {&plain::dense_kernels, &avx2::dense_kernels,
                                                 &avx512::dense_kernels};
#else
  static constexpr const DenseKernels* sets[] = {&plain::dense_kernels};
#endif
  return std::span(sets).first(n_runnable_sets());
}

const DenseKernels& dense_kernels() {
  static const DenseKernels& best = *available_dense_kernels().back();
  return best;
}

} // namespace lacuna
