#include "core/interruption.hpp"

#include <utility>

namespace lacuna {

namespace {

thread_local const Observer* asked = nullptr;

} // namespace

Interruptible::Interruptible(const Observer* observer) : outer_(std::exchange(asked, observer)) {}

Interruptible::~Interruptible() {
  asked = outer_;
}

const Observer* Interruptible::observer() {
  return asked;
}

void stop_if_asked() {
  if (asked != nullptr) stop_if_cancelled(*asked);
}

} // namespace lacuna
