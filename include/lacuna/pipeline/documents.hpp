#pragma once

#include <string>
#include <vector>

#include "lacuna/pipeline/compare.hpp"
#include "lacuna/pipeline/diagnose.hpp"
#include "lacuna/pipeline/evaluate.hpp"
#include "lacuna/pipeline/explain.hpp"
#include "lacuna/pipeline/model.hpp"

namespace LACUNA_API lacuna {

// The JSON documents that the tool writes and others read. Everything before this border is typed.

/// A model's record.
std::string model_json(const Model& model);
/// A model's record and how long the fit took: the record itself holds no time.
std::string fit_json(const Model& model, double seconds);
/// `model` is null for predictions of which none is at hand.
std::string evaluation_json(const EvaluateOutcome& outcome, const Model* model);
/// For each method and each plain model the document of evaluation_json, and who has the smallest
/// brier_error.
std::string comparison_json(const Comparison& comparison);
/// Everything a diagnosis holds; a number that nobody knows is null.
std::string diagnosis_json(const Diagnosis& found);
/// The same for an explanation; rows are numbered from 1, as people count them.
std::string explanation_json(const Explanation& found);

} // namespace lacuna
