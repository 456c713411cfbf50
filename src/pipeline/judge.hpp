#pragma once

#include <memory>
#include <vector>

#include "lacuna/pipeline/evaluate.hpp"
#include "pipeline/row_sample.hpp"
#include "pipeline/scored_source.hpp"

namespace LACUNA_API lacuna {

/// How scored rows are judged.
struct JudgeTask {
  CurveOptions curve;
  std::string place;                               ///< what errors call the rows: a file, or nothing
  std::string stratum;                             ///< what errors call the column of strata
  std::optional<CalibrationMethod> calibrate = {}; ///< with rows of `calibration`
  std::unique_ptr<ScoredSource> calibration = {};
  std::string calibration_place = {};
  const Model* sampled = nullptr; ///< keep rows for a report, with columns and features of this model
};

/// The one workflow behind all evaluations: an outcome per contender. Throws Error(data) when no row has a
/// label, and for more strata than anybody means.
std::vector<EvaluateOutcome> judge(ScoredSource& test, const JudgeTask& task, Observer& observer);

/// The rows a model was fitted to, for a report, with the log ratio of those without a label; labeled rows
/// have none, for they made it.
std::shared_ptr<const RowSample> sample_training(const Model& model, LabeledBlocks& blocks, int threads,
                                                 Observer& observer);
/// Test rows with a label, for a report; counts on them what the model's promises come to.
std::shared_ptr<const RowSample> sample_test(const Model& model, LabeledBlocks& blocks, int threads,
                                             PromiseTally& promises, Observer& observer);

} // namespace lacuna
