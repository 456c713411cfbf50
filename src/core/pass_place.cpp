#include "core/pass_place.hpp"

#include <string>
#include <utility>

#include "core/torch_library.hpp"

namespace lacuna {

namespace {

thread_local const PassesAt* named_here = nullptr;

} // namespace

PassPlace place_on(Device device, Index n_rows, Observer& observer) {
  if (device == Device::cuda)
    if (const std::string problem = gpu_problem(); !problem.empty()) {
      observer.warning("passes over rows run on the CPU: " + problem);
      return PassPlace::kernels;
    }
  return n_rows >= least_placed_rows && uses_gpu(device) ? PassPlace::gpu : PassPlace::kernels;
}

PassesAt::PassesAt(PassPlace place, Observer& observer)
    : outer_(std::exchange(named_here, this)), place_(place), observer_(&observer) {}

PassesAt::PassesAt(const PassesAt* other) : outer_(std::exchange(named_here, other)) {}

PassesAt::~PassesAt() {
  named_here = outer_;
}

PassPlace PassesAt::place() {
  return named_here != nullptr && !named_here->is_noted_ ? named_here->place_ : PassPlace::kernels;
}

const PassesAt* PassesAt::named() {
  return named_here;
}

void PassesAt::note_no_memory(const Error& error) {
  if (named_here == nullptr || named_here->is_noted_.exchange(true)) return;
  named_here->observer_->warning(
      std::string("the GPU has not the memory for passes over rows, which from here on run on the CPU: ") +
      error.what());
}

} // namespace lacuna
