#pragma once

#include <atomic>

#include "lacuna/core/device.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/core/observer.hpp"

namespace LACUNA_API lacuna {

/// Who computes long passes over rows: lacuna's own kernels, or libtorch's matrix products on a GPU or, for
/// tests without one, on the CPU.
enum class PassPlace { kernels, gpu, torch_on_cpu };

/// Over fewer rows the kernels pass as fast as a GPU.
inline constexpr Index least_placed_rows = 10000;

/// So many travel to another place at a time.
inline constexpr Index rows_per_journey = 65536;

/// The place that a device means for so many rows. Where a GPU is asked for and none can be used, the
/// observer hears why, and the kernels do the work.
PassPlace place_on(Device device, Index n_rows, Observer& observer);

/// Names the place for this thread while it lives, and for the helpers of a Team meanwhile.
class PassesAt {
public:
  /// The observer hears, once, that memory ran out there.
  explicit PassesAt(PassPlace place, Observer& observer = silent_observer());
  /// What another thread's names.
  explicit PassesAt(const PassesAt* other);
  ~PassesAt();
  PassesAt(const PassesAt&) = delete;
  PassesAt& operator=(const PassesAt&) = delete;

  /// Of this thread; the kernels where nobody named another.
  static PassPlace place();
  /// That which named it; null where nobody did.
  static const PassesAt* named();
  /// Memory ran out there, and the kernels do what was asked for and what follows.
  static void note_no_memory(const Error& error);

private:
  const PassesAt* outer_;
  PassPlace place_ = PassPlace::kernels;
  Observer* observer_ = nullptr;
  mutable std::atomic<bool> is_noted_{false};
};

} // namespace lacuna
