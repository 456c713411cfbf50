#include "learning/nearest_kernels.hpp"

#include "math/instruction_sets.hpp"

namespace lacuna {

namespace plain {
extern const NearestKernel nearest_kernel;
}
#ifdef LACUNA_X86_KERNELS
namespace avx2 {
extern const NearestKernel nearest_kernel;
}
namespace avx512 {
extern const NearestKernel nearest_kernel;
}
#endif

std::span<const NearestKernel* const> nearest_kernels() {
#ifdef LACUNA_X86_KERNELS
  static constexpr const NearestKernel* sets[] = {&plain::nearest_kernel, &avx2::nearest_kernel,
                                                  &avx512::nearest_kernel};
#else
  static constexpr const NearestKernel* sets[] = {&plain::nearest_kernel};
#endif
  static const std::size_t n = n_runnable_sets();
  return {sets, n};
}

} // namespace lacuna
