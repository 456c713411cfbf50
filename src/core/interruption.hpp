#pragma once

#include "lacuna/core/observer.hpp"

namespace LACUNA_API lacuna {

/// Names an observer that steps ask which are long but are given none, such as the factorisation of a large
/// matrix: those on this thread while it lives, and those on the helpers of a Team meanwhile.
class Interruptible {
public:
  explicit Interruptible(const Observer* observer);
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

  /// Of this thread; null when there is none.
  static const Observer* observer();

private:
  const Observer* outer_;
};

/// Throws Error(interrupted) when that observer says so.
void stop_if_asked();

} // namespace lacuna
