#pragma once

#include <string>
#include <vector>

#include "experiments/reproduce.hpp"

namespace lacuna {

/// metrics.json: all runs, one per line.
std::string metrics_text(const std::vector<std::string>& runs);

/// Mean and spread per toy, preset and method, in the order in which they first appear.
std::vector<ReproduceSummary> summarize(const std::vector<std::string>& runs);

/// Reliability curves as CSV, the bins of all runs of a method pooled: error_rate is the sum of the
/// contributions of the strata. A bin without rows has no line.
std::string reliability_text(const std::vector<std::string>& runs);

} // namespace lacuna
