#include "experiments/reproduce_run.hpp"

#include <nlohmann/json.hpp>

#include "experiments/simulate.hpp"
#include "lacuna/learning/learner.hpp"
#include "lacuna/pipeline/workflows.hpp"
#include "pipeline/record.hpp"

namespace lacuna {

namespace {

using Json = nlohmann::ordered_json;

Evaluation evaluate(const Trial& trial, const Scores& scores) {
  ReliabilityAccumulator overall;
  std::map<std::string, ReliabilityAccumulator> strata;
  for (Index row = 0; row < trial.test.n_rows(); ++row) {
    const auto i = static_cast<std::size_t>(row);
    const std::span<const double> posterior(scores.posterior.row(row),
                                            static_cast<std::size_t>(scores.posterior.n_cols()));
    const int label = trial.test.labels[i];
    for (ReliabilityAccumulator* part : {&overall, &strata[stratum_name(trial.test_is_rare[i] != 0)]})
      part->add(label, scores.prediction[i], scores.error_probability[i], posterior);
  }
  Evaluation evaluation;
  evaluation.overall = overall.metrics();
  for (const auto& [name, part] : strata) evaluation.strata[name] = part.metrics();
  return evaluation;
}

std::string record_of(const LearningOptions& options, const Dataset& data, const FitSummary& summary) {
  FitRequest request;
  request.learning = options;
  request.classes = data.class_names;
  TrainingTable table;
  table.data.class_names = data.class_names;
  table.data.feature_names = data.feature_names;
  return make_record(request, table, summary);
}

RunResult judge(const Contender& contender, const Subject& subject, Index repeat, const Trial& trial,
                const LearningOptions& options, FitResult fit) {
  Scores scores = fit.classifier.score(trial.test.features.view(), options.threads);
  const std::string record = record_of(options, trial.train, fit.summary);
  Json run = Json::object();
  if (!subject.toy.empty()) run["toy"] = subject.toy;
  run["method"] = to_string(contender.method);
  run["preset"] = contender.preset;
  run["vae_seed"] = subject.vae_seed;
  run["repeat"] = repeat;
  run["metrics"] = Json::parse(metrics_document(evaluate(trial, scores), record));
  Json summary = Json::parse(record)["summary"];
  summary.erase("densities"); // a hundred lines that nobody compares
  run["fit"] = summary;
  return {std::move(fit.classifier), std::move(scores), run.dump()};
}

} // namespace

std::vector<RunResult> run_contenders(const ReproduceRequest& request,
                                      const std::vector<Contender>& contenders, const Subject& subject,
                                      Index repeat, std::uint64_t seed, const Trial& trial, int threads,
                                      Observer& observer) {
  LearningOptions options = learning_options(request, contenders.front());
  options.seed = seed;
  options.threads = threads;
  std::vector<Method> methods;
  for (const Contender& contender : contenders) methods.push_back(contender.method);
  std::vector<FitResult> fits = fit_classifiers(trial.train, options, methods, observer);
  std::vector<RunResult> results;
  for (std::size_t c = 0; c < contenders.size(); ++c) {
    options.method = contenders[c].method;
    results.push_back(judge(contenders[c], subject, repeat, trial, options, std::move(fits[c])));
  }
  return results;
}

} // namespace lacuna
