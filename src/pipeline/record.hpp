#pragma once

#include <string>
#include <vector>

#include "lacuna/pipeline/workflows.hpp"

namespace lacuna {

/// The record of a fit that its model carries: JSON of everything that decided it and what came of it, free
/// of times, paths and thread counts, so that the same seed gives the same bytes.
std::string make_record(const FitRequest& request, const TrainingTable& table, const FitSummary& summary);

/// The metrics part of what `lacuna evaluate --json` writes, for runs of which many are kept.
std::string metrics_document(const Evaluation& evaluation, const std::string& model_record);

} // namespace lacuna
