#pragma once

#include <string>
#include <vector>

#include "experiments/reproduce.hpp"
#include "experiments/reproduce_run.hpp"
#include "lacuna/evaluation/reliability.hpp"

namespace lacuna {

/// One finished run, as its file keeps it.
struct FinishedRun {
  std::string toy; ///< empty for images
  std::string preset;
  std::string method;
  Evaluation evaluation;
  std::string text; ///< the run as metrics.json lists it
};

FinishedRun finished_run(const Subject& subject, Index repeat, const RunResult& result);
/// What an earlier run left behind; nothing when that is no run.
std::optional<FinishedRun> read_run(const std::string& text);

/// metrics.json: all runs, one per line.
std::string metrics_text(const std::vector<FinishedRun>& runs);

/// Mean and spread per toy, preset and method, in the order in which they first appear.
std::vector<ReproduceSummary> summarize(const std::vector<FinishedRun>& runs);

/// Reliability curves as CSV, the bins of all runs of a method pooled: error_rate is the sum of the
/// contributions of the strata. A bin without rows has no line.
std::string reliability_text(const std::vector<FinishedRun>& runs);

} // namespace lacuna
