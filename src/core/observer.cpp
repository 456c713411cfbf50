#include "lacuna/core/observer.hpp"

#include "lacuna/core/errors.hpp"

namespace lacuna {

Observer& silent_observer() {
  static Observer observer;
  return observer;
}

void stop_if_cancelled(const Observer& observer) {
  if (observer.cancelled()) throw Error(ErrorKind::interrupted, "interrupted");
}

} // namespace lacuna
