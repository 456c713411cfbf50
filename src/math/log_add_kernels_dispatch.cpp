#include "math/log_add_kernels.hpp"

#include "math/instruction_sets.hpp"

namespace lacuna {

namespace plain {
extern const LogAddKernel log_add_kernel;
}
#ifdef LACUNA_X86_KERNELS
namespace avx2 {
extern const LogAddKernel log_add_kernel;
}
namespace avx512 {
extern const LogAddKernel log_add_kernel;
}
#endif

std::span<const LogAddKernel* const> log_add_kernels() {
#ifdef LACUNA_X86_KERNELS
  static constexpr const LogAddKernel* sets[] = {&plain::log_add_kernel, &avx2::log_add_kernel,
                                                 &avx512::log_add_kernel};
#else
  static constexpr const LogAddKernel* sets[] = {&plain::log_add_kernel};
#endif
  static const std::size_t n = n_runnable_sets();
  return {sets, n};
}

} // namespace lacuna
