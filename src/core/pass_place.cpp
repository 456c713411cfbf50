#include "core/pass_place.hpp"

#include <string>
#include <utility>

#include "core/torch_library.hpp"

namespace lacuna {

namespace {

thread_local PassPlace named = PassPlace::kernels;

} // namespace

PassPlace place_on(Device device, Index n_rows, Observer& observer) {
  if (device == Device::cuda)
    if (const std::string problem = gpu_problem(); !problem.empty()) {
      observer.warning("passes over rows run on the CPU: " + problem);
      return PassPlace::kernels;
    }
  return n_rows >= least_placed_rows && uses_gpu(device) ? PassPlace::gpu : PassPlace::kernels;
}

PassesAt::PassesAt(PassPlace place) : outer_(std::exchange(named, place)) {}

PassesAt::~PassesAt() {
  named = outer_;
}

PassPlace PassesAt::place() {
  return named;
}

} // namespace lacuna
