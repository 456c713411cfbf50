#include "density/kernels.hpp"

#include <vector>

namespace lacuna {

extern const Kernels kernels_plain;
#ifdef LACUNA_X86_KERNELS
extern const Kernels kernels_avx2;
extern const Kernels kernels_avx512;
#endif

namespace {

/// Plain first, widest last.
std::vector<const Kernels*> find_kernels() {
  std::vector<const Kernels*> found = {&kernels_plain};
#ifdef LACUNA_X86_KERNELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) found.push_back(&kernels_avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq"))
    found.push_back(&kernels_avx512);
#endif
  return found;
}

} // namespace

std::span<const Kernels* const> available_kernels() {
  static const std::vector<const Kernels*> list = find_kernels();
  return list;
}

const Kernels& kernels() {
  return *available_kernels().back();
}

} // namespace lacuna
