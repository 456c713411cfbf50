#include "pipeline/judge.hpp"

#include <limits>

#include <fmt/format.h>

#include "core/index.hpp"
#include "lacuna/core/errors.hpp"
#include "pipeline/mapped_rows.hpp"

namespace lacuna {

namespace {

// More groups than this are hardly groups: the column was meant to be another one.
constexpr Index max_strata = 1000;

void add_row(Evaluator& evaluator, const ScoredRow& row, const Verdict& verdict, const JudgeTask& task) {
  if (row.stratum != nullptr && evaluator.n_strata() >= max_strata && !evaluator.has_stratum(*row.stratum)) {
    ErrorParts parts;
    parts.place = {.file = task.place, .row = 0, .line = 0, .column = task.stratum};
    parts.statement = fmt::format("there are more than {} different values", max_strata);
    parts.remedy = mention("stratum") + " wants a column with a few group names";
    throw Error(ErrorKind::data, std::move(parts));
  }
  evaluator.add(row.label, verdict.prediction, verdict.error_probability, verdict.probabilities, row.stratum);
}

std::unique_ptr<Calibrator> fit_calibrator(const JudgeTask& task, CalibrationOutcome& outcome,
                                           Observer& observer) {
  CalibrationSet rows(*task.calibrate, static_cast<Index>(task.calibration->class_names().size()));
  task.calibration->for_each(
      [&](const ScoredRow& row) {
        const Verdict& verdict = row.verdicts.front();
        rows.add(row.label, verdict.prediction, verdict.error_probability, verdict.probabilities);
      },
      observer);
  if (rows.n_rows() == 0) {
    ErrorParts parts;
    parts.place.file = task.calibration_place;
    parts.statement = "none of its rows has a label to calibrate on";
    throw Error(ErrorKind::data, std::move(parts));
  }
  std::unique_ptr<Calibrator> calibrator = rows.fit();
  outcome.method = *task.calibrate;
  outcome.n_rows = rows.n_rows();
  outcome.parameters = calibrator->parameters();
  return calibrator;
}

void require_labels(const Evaluator& evaluator, Index n_unlabeled, const JudgeTask& task) {
  if (evaluator.rows().n_rows() > 0) return;
  ErrorParts parts;
  parts.place.file = task.place;
  parts.statement = fmt::format("none of {} {} rows has a label, so there is nothing to compare with",
                                task.place.empty() ? "the" : "its", n_unlabeled);
  if (!task.place.empty()) parts.remedy = "see " + mention("label");
  throw Error(ErrorKind::data, std::move(parts));
}

std::shared_ptr<const RowSample> sample(RowSample::Kind kind, const Model& model, LabeledBlocks& blocks,
                                        int threads, PromiseTally* promises, Observer& observer) {
  const bool is_test = kind == RowSample::Kind::test;
  auto rows = std::make_shared<RowSample>(kind, model);
  blocks.for_each(
      [&](const LabeledBlock& block) {
        const MappedRows mapped(model, block.columns, {.first_row = block.first_row, .threads = threads});
        const Scores scores = model.classifier.score(mapped.features(), threads);
        if (promises != nullptr) promises->add(scores, block.labels);
        for (Index i = 0; i < block.columns.n_rows; ++i) {
          const int label = block.labels.empty() ? missing_label : block.labels[at(i)];
          const bool is_labeled = label != missing_label;
          if (is_test && !is_labeled) continue;
          rows->add(block.columns.row(i), mapped.features().row(i), label,
                    is_test || !is_labeled ? scores.log_ratio[at(i)]
                                           : std::numeric_limits<double>::quiet_NaN());
        }
      },
      observer);
  return rows;
}

} // namespace

std::vector<EvaluateOutcome> judge(ScoredSource& test, const JudgeTask& task, Observer& observer) {
  const std::vector<std::string> class_names = test.class_names();
  const auto n_classes = static_cast<Index>(class_names.size());
  std::optional<CalibrationOutcome> calibration;
  std::unique_ptr<Calibrator> calibrator;
  if (task.calibrate) calibrator = fit_calibrator(task, calibration.emplace(), observer);
  std::shared_ptr<RowSample> sampled;
  if (task.sampled != nullptr) sampled = std::make_shared<RowSample>(RowSample::Kind::test, *task.sampled);

  Evaluator before(n_classes);
  std::vector<Evaluator> evaluators(test.n_contenders(), Evaluator(n_classes));
  const Index n_unlabeled = test.for_each(
      [&](ScoredRow& row) {
        if (calibrator) {
          Verdict& verdict = row.verdicts.front();
          add_row(before, row, verdict, task);
          calibrator->apply(verdict.prediction, verdict.error_probability, verdict.probabilities);
        }
        for (std::size_t c = 0; c < evaluators.size(); ++c)
          add_row(evaluators[c], row, row.verdicts[c], task);
        if (sampled) sampled->add(row.columns, row.features, row.label, row.log_ratio);
      },
      observer);
  require_labels(evaluators.front(), n_unlabeled, task);
  if (calibration) calibration->before = before.evaluation();

  std::vector<EvaluateOutcome> outcomes;
  for (Evaluator& evaluator : evaluators) {
    EvaluateOutcome& outcome = outcomes.emplace_back();
    outcome.class_names = class_names;
    outcome.evaluation = evaluator.evaluation();
    outcome.diagnostics = evaluator.diagnostics(task.curve);
    outcome.rows = std::move(evaluator).rows();
    outcome.n_unlabeled = n_unlabeled;
    outcome.calibration = calibration;
    outcome.test_rows = sampled;
  }
  return outcomes;
}

std::shared_ptr<const RowSample> sample_training(const Model& model, LabeledBlocks& blocks, int threads,
                                                 Observer& observer) {
  return sample(RowSample::Kind::train, model, blocks, threads, nullptr, observer);
}

std::shared_ptr<const RowSample> sample_test(const Model& model, LabeledBlocks& blocks, int threads,
                                             PromiseTally& promises, Observer& observer) {
  return sample(RowSample::Kind::test, model, blocks, threads, &promises, observer);
}

} // namespace lacuna
