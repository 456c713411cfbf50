#pragma once

#include <string>
#include <vector>

#include "lacuna/pipeline/workflows.hpp"

namespace lacuna {

/// The record of a fit that its model carries: JSON of everything that decided it and what came of it, free
/// of times, paths and thread counts, so that the same seed gives the same bytes.
std::string make_record(const FitRequest& request, const TrainingTable& table, const FitSummary& summary);

/// The document of `lacuna evaluate --json`, for a model of which only the record is at hand.
std::string evaluation_json(const EvaluateOutcome& outcome, const std::string& model_record);

} // namespace lacuna
