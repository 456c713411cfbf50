#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/data/table.hpp"
#include "lacuna/evaluation/reliability.hpp"
#include "lacuna/features/fit_features.hpp"
#include "lacuna/learning/learner.hpp"
#include "lacuna/pipeline/model.hpp"

namespace lacuna {

/// From a table with missing labels to a model.
struct FitRequest {
  std::string path;
  std::string label_column; ///< empty when table.labels_path is given
  std::vector<std::string> classes;
  TableOptions table;
  FeatureOptions features{{FeatureSpec{}}, {}}; ///< standardize, unless told otherwise
  LearningOptions learning;
};
struct FitOutcome {
  Model model;
  FitSummary summary;
  std::vector<std::string> notes;
};
FitOutcome fit_table(const FitRequest& request, Observer& observer);

/// Scores a table block by block and hands finished CSV text, header first, to `write`. Returns the number of
/// rows.
Index predict_table(const Model& model, const std::string& path, const TableOptions& table, int threads,
                    const std::function<void(std::string_view)>& write, Observer& observer);

/// Compares predictions with a table's labels; rows without a label are counted and skipped.
struct EvaluateRequest {
  std::string path;
  std::string label_column;
  std::string stratum_column; ///< may be empty
  TableOptions table;
  int threads = 0;
};
struct EvaluateOutcome {
  Evaluation evaluation;
  Index n_unlabeled = 0; ///< rows that were skipped
};
EvaluateOutcome evaluate_table(const Model& model, const EvaluateRequest& request, Observer& observer);

/// The documents the CLI writes with --json, and later tools read. The first is the model's record and how
/// long the fit took: the record itself holds no time, so that a seed has one model file.
std::string fit_json(const FitOutcome& outcome, double seconds);
std::string evaluation_json(const EvaluateOutcome& outcome, const Model& model);

} // namespace lacuna
