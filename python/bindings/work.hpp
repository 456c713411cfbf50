#pragma once

#include <functional>

#include <pybind11/pybind11.h>

#include "lacuna/core/observer.hpp"

namespace lacuna::python {

/// Runs long work on a thread of its own, without the GIL, while the calling thread waits: it looks for
/// signals, so that Ctrl-C cancels the work within a moment, and calls `progress(stage, done, total)` (None:
/// nobody watches). Warnings of the work become Python's, each once. Called with the GIL held; what the work
/// throws, or a signal handler, comes out here after the work has stopped.
void run_work(const pybind11::object& progress, const std::function<void(Observer&)>& work);

/// Held while the user's Python code runs on a thread of such work, whose observer this is: Ctrl-C reaches
/// the code then. Made and let go of with the GIL held.
class PythonRun {
public:
  explicit PythonRun(const Observer* work);
  ~PythonRun();
  PythonRun(const PythonRun&) = delete;
  PythonRun& operator=(const PythonRun&) = delete;

private:
  unsigned long id_;
};

} // namespace lacuna::python
