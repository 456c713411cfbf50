#pragma once

#include "lacuna/core/device.hpp"

namespace LACUNA_API lacuna {

/// Who computes long passes over rows: lacuna's own kernels, or libtorch's matrix products on a GPU or, for tests
/// without one, on the CPU.
enum class PassPlace { kernels, gpu, torch_on_cpu };

/// Names the place for this thread while it lives, and for the helpers of a Team meanwhile.
class PassesAt {
public:
  explicit PassesAt(PassPlace place);
  ~PassesAt();
  PassesAt(const PassesAt&) = delete;
  PassesAt& operator=(const PassesAt&) = delete;

  /// Of this thread; the kernels where nobody named another.
  static PassPlace place();

private:
  PassPlace outer_;
};

} // namespace lacuna
