#pragma once

#include <nlohmann/json_fwd.hpp>

#include "lacuna/evaluation/reliability.hpp"
#include "lacuna/pipeline/diagnose.hpp"
#include "lacuna/pipeline/evaluate.hpp"
#include "lacuna/pipeline/model.hpp"

namespace LACUNA_API lacuna {

// Parts that several JSON documents have in common.

nlohmann::ordered_json options_object(const FitRecord& record);
nlohmann::ordered_json summary_object(const FitRecord& record);
/// Version, seed and options of a model; null when there is none.
nlohmann::ordered_json model_object(const Model* model);
/// The named metrics and their bins, overall and by stratum.
nlohmann::ordered_json evaluation_object(const Evaluation& evaluation);
/// Everything a diagnosis holds.
nlohmann::ordered_json diagnosis_object(const Diagnosis& found);
/// What promises came to.
nlohmann::ordered_json promises_object(const PromiseCheck& promises);

} // namespace lacuna
