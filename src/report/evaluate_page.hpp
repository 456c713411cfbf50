#pragma once

#include <functional>
#include <string>

#include "lacuna/pipeline/workflows.hpp"
#include "report/page_rows.hpp"

namespace lacuna {

/// The page of one evaluated model. `rows` are the test rows with a label. Reads request.train_path.
std::string evaluation_page(const Model& model, const EvaluateRequest& request,
                            const EvaluateOutcome& outcome, const PageRows& rows, Observer& observer);

/// The page of predictions that another tool made.
std::string evaluation_page(const EvaluateRequest& request, const EvaluateOutcome& outcome);

/// A model's answers on the plane of its page: see PageMethod::score.
std::function<Scores(MatrixView)> plane_score(const Model& model, int threads);

/// The last part of a path, for titles.
std::string file_name(const std::string& path);

} // namespace lacuna
