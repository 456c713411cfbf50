#include <torch/torch.h>

#include "core/torch_library.hpp"

namespace lacuna {

namespace {

bool has_cuda() {
  try {
    return torch::cuda::is_available();
  } catch (const c10::Error&) {
    return false;
  }
}

} // namespace

} // namespace lacuna

extern "C" __attribute__((visibility("default"))) const lacuna::TorchFacts* lacuna_torch_facts() {
  static const lacuna::TorchFacts facts{lacuna::torch_library_version, lacuna::has_cuda()};
  return &facts;
}
