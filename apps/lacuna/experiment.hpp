#pragma once

#include "console.hpp"
#include "output.hpp"

namespace lacuna::cli {

/// Runs an experiment, which makes its page only for a report that is wanted. A page in a file appears
/// together with the files of the experiment.
template <class Request, class Outcome>
Outcome run_experiment(Request request, Outcome (*work)(const Request&, Observer&), Output& report) {
  request.wants_report = report.is_wanted();
  request.page = report.file();
  ConsoleObserver observer;
  Outcome outcome = work(request, observer);
  observer.finish();
  if (report.is_stdout()) report.write(outcome.report);
  return outcome;
}

} // namespace lacuna::cli
