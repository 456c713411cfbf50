#include "math/instruction_sets.hpp"

#include <algorithm>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>

#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

constexpr std::string_view names[] = {"plain", "avx2", "avx512"};

std::size_t n_sets_of_this_processor() {
#ifdef LACUNA_X86_KERNELS
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return 1;
  const bool has_avx512 = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                          __builtin_cpu_supports("avx512bw");
  return has_avx512 ? 3 : 2;
#else
  return 1;
#endif
}

} // namespace

std::size_t n_runnable_sets() {
  const auto own = std::span(names).first(n_sets_of_this_processor());
  const char* asked = std::getenv("LACUNA_INSTRUCTION_SET");
  if (asked == nullptr || *asked == '\0') return own.size();
  const auto found = std::find(own.begin(), own.end(), std::string_view(asked));
  if (found == own.end()) {
    std::string known;
    for (const std::string_view name : own) known += (known.empty() ? "" : ", ") + std::string(name);
    throw Error(ErrorKind::usage, "LACUNA_INSTRUCTION_SET is '" + std::string(asked).substr(0, 40) +
                                      "'; this processor runs: " + known);
  }
  return static_cast<std::size_t>(found - own.begin()) + 1;
}

} // namespace lacuna
