#include "density/kernels.hpp"

#include "math/instruction_sets.hpp"

namespace lacuna {

namespace plain {
extern const Kernels kernels;
}
#ifdef LACUNA_X86_KERNELS
namespace avx2 {
extern const Kernels kernels;
}
namespace avx512 {
extern const Kernels kernels;
}
#endif

std::span<const Kernels* const> available_kernels() {
#ifdef LACUNA_X86_KERNELS
  static constexpr const Kernels* sets[] = {&plain::kernels, &avx2::kernels, &avx512::kernels};
#else
  static constexpr const Kernels* sets[] = {&plain::kernels};
#endif
  return std::span(sets).first(n_runnable_sets());
}

const Kernels& kernels() {
  static const Kernels& best = *available_kernels().back();
  return best;
}

} // namespace lacuna
