#include "experiments/reproduce_run.hpp"

#include "experiments/simulate.hpp"
#include "lacuna/pipeline/fit.hpp"
#include "pipeline/judge.hpp"

namespace lacuna {

std::vector<RunResult> run_contenders(const ReproduceRequest& request,
                                      const std::vector<Contender>& contenders, const Trial& trial,
                                      std::uint64_t seed, int threads, bool keeps_rows, Observer& observer) {
  FitRequest fit;
  static_cast<LearningOptions&>(fit) = learning_options(request, contenders.front());
  fit.seed = seed;
  fit.threads = threads;
  fit.classes = trial.train.class_names;
  FitTask task;
  for (const Contender& contender : contenders) task.methods.push_back(contender.method);
  task.data = trial.train;
  std::vector<Model> models = FitPlan(fit).fit(task, observer);

  std::vector<std::string> strata;
  for (const char is_rare : trial.test_is_rare) strata.push_back(stratum_name(is_rare != 0));
  std::vector<const Model*> judged;
  for (const Model& model : models) judged.push_back(&model);
  ModelSource test(
      judged, std::make_unique<MemoryBlocks>(trial.test.features.view(), trial.test.labels, strata), threads);
  JudgeTask judging;
  if (keeps_rows) judging.sampled = judged.back();
  std::vector<EvaluateOutcome> outcomes = judge(test, judging, observer);
  if (keeps_rows) {
    MemoryBlocks train(trial.train.features.view(), trial.train.labels);
    outcomes.back().train_rows = sample_training(*judged.back(), train, threads, observer);
  }
  std::vector<RunResult> results;
  for (std::size_t c = 0; c < contenders.size(); ++c)
    results.push_back({contenders[c], std::move(models[c]), std::move(outcomes[c])});
  return results;
}

} // namespace lacuna
