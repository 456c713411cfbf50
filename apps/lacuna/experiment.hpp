#pragma once

#include "console.hpp"
#include "output.hpp"

namespace lacuna::cli {

/// Runs an experiment, which makes its page only for a report that is wanted, and writes that.
template <class Request, class Outcome>
Outcome run_experiment(Request request, Outcome (*work)(const Request&, Observer&), Output& report) {
  request.wants_report = report.is_wanted();
  ConsoleObserver observer;
  Outcome outcome = work(request, observer);
  observer.finish();
  report.write(outcome.report);
  commit_together({&report});
  return outcome;
}

} // namespace lacuna::cli
