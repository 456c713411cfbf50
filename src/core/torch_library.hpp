#pragma once

#include <string>

#include "lacuna/core/device.hpp"

// The border between lacuna and liblacuna_torch.so, which computes with libtorch and is loaded only for that.
// The rooms that use it each have a header of what they ask it for; neither side links the other.
namespace lacuna {

/// What the library says of itself.
struct TorchFacts {
  int version;
  bool has_cuda; ///< a GPU can be used
};

/// Raised whenever a header changes that both sides share, or the meaning of one of them.
inline constexpr int torch_library_version = 4;

/// The name under which the library exports `const TorchFacts* lacuna_torch_facts()`.
inline constexpr const char* torch_facts_symbol = "lacuna_torch_facts";

/// Why there is no such library here, and what brings it; empty: there is one. The first call loads it.
const std::string& torch_problem();

/// Why no GPU can be used; empty: one can.
std::string gpu_problem();

/// Whether work happens on a GPU. auto_detect takes one that is there, cuda throws Error(usage) where none
/// is.
bool uses_gpu(Device device);

/// An address in the library. Throws Error(usage) where torch_problem() says why.
void* torch_symbol(const char* name);

/// What a room asks the library for: the struct whose address the function of that name returns.
template <class Plugin>
const Plugin& torch_plugin(const char* symbol) {
  return *reinterpret_cast<const Plugin* (*)()>(torch_symbol(symbol))();
}

} // namespace lacuna
