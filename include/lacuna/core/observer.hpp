#pragma once

#include <string_view>

#include "lacuna/core/version.hpp"

namespace LACUNA_API lacuna {

/// How long work is watched and stopped from outside. The library itself never prints.
class Observer {
public:
  virtual ~Observer() = default;
  /// `done` of `total` steps of `stage` are finished. `total` 0 means: nobody knows how many there will be.
  /// Called from the thread that started the work.
  virtual void progress(std::string_view /*stage*/, double /*done*/, double /*total*/) {}
  /// Something the user should know although the work goes on. From any thread, and from several at once.
  virtual void warning(std::string_view /*text*/) {}
  /// What was decided on the user's behalf, where no record tells it.
  virtual void note(std::string_view /*text*/) {}
  /// True when the user asked to stop; asked often, from any thread.
  virtual bool cancelled() const { return false; }
};

/// An observer that watches nothing.
Observer& silent_observer();

/// Throws Error(interrupted) when the observer says so.
void stop_if_cancelled(const Observer& observer);

} // namespace lacuna
