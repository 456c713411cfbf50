#include "lacuna/pipeline/compare.hpp"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"
#include "pipeline/judge.hpp"
#include "pipeline/plain_models.hpp"

namespace lacuna {

namespace {

/// Four fits of one table warn of the same things; once is enough.
class WarnOnce : public Observer {
public:
  explicit WarnOnce(Observer& observer) : observer_(observer) {}
  void progress(std::string_view stage, double done, double total) override {
    observer_.progress(stage, done, total);
  }
  void warning(std::string_view text) override {
    if (said_.insert(std::string(text)).second) observer_.warning(text);
  }
  void note(std::string_view text) override { observer_.note(text); }
  bool cancelled() const override { return observer_.cancelled(); }

private:
  Observer& observer_;
  std::set<std::string> said_;
};

} // namespace

const OptionTable<CompareRequest>& CompareRequest::table() {
  using O = CompareRequest;
  static const OptionTable<O> rows{
      option("test_labels", &O::test_labels, "FILE",
             "File with one label per row of TEST, when those of TRAIN come from " + mention("labels"))
          .in_group("Data"),
      option("stratum", &O::stratum, "COLUMN", "Also compare apart by the values of this column of TEST")
          .in_group("Data")};
  return rows;
}

std::vector<Method> all_methods() {
  return {Method::supervised, Method::mcar_sampling, Method::mcar_em, Method::mar};
}

Winner find_winner(const std::vector<Competitor>& competitors) {
  const auto best = [&](auto takes_part) -> const Competitor* {
    const Competitor* found = nullptr;
    for (const Competitor& each : competitors)
      if (takes_part(each) && (found == nullptr || each.brier_error < found->brier_error)) found = &each;
    return found;
  };
  const Competitor& first = *best([](const Competitor&) { return true; });
  const Competitor* const other =
      best([&](const Competitor& each) { return each.is_plain != first.is_plain; });
  Winner winner{first, fmt::format("{}{} wins: its brier_error of {:.4f} is the smallest",
                                   first.is_plain ? "The plain model " : "", first.name, first.brier_error)};
  if (other != nullptr)
    winner.words += fmt::format("; {}, the best {}, has {:.4f}", other->name,
                                other->is_plain ? "plain model" : "of lacuna's methods", other->brier_error);
  winner.words += ".";
  return winner;
}

Winner Comparison::winner() const {
  std::vector<Competitor> competitors;
  for (const ComparedMethod& method : methods)
    competitors.push_back({method.name, false, method.outcome.evaluation.overall.brier_error});
  for (const ComparedPlain& plain : plain_models)
    competitors.push_back({plain.name, true, plain.outcome.evaluation.overall.brier_error});
  return find_winner(competitors);
}

Comparison compare_methods(const CompareRequest& request, Observer& every_warning) {
  if (request.labels.empty() != request.test_labels.empty()) {
    ErrorParts parts;
    parts.option = "test_labels";
    parts.statement =
        "it goes with " + mention("labels") +
        ": either both tables have their labels in files of their own, or both in the same column";
    throw Error(ErrorKind::usage, std::move(parts));
  }
  WarnOnce observer(every_warning);
  const FitPlan plan(request);
  const TrainingTable table = plan.read(observer);
  // Opened before the fits, which may take long: the table may not be there, or lack a column.
  TableOptions test_options = request;
  test_options.labels = request.test_labels;
  auto test = std::make_unique<TableBlocks>(request.test, table.schema, test_options, table.data.class_names,
                                            ColumnsBeside{.stratum = request.stratum}, observer);
  std::vector<Model> models = plan.fit({all_methods(), table.data, table.schema, table.notes}, observer);
  const PlainModels plain = fit_plain_models(models.back(), table.data, request.threads, observer);

  std::vector<const Model*> contenders;
  for (const Model& model : models) contenders.push_back(&model);
  PromiseTally promises(models.back().classifier);
  ModelSource source(contenders, std::move(test), request.threads, plain.models, &promises);
  JudgeTask task;
  task.place = request.test;
  task.stratum = request.stratum;
  task.sampled = &models.back();
  std::vector<EvaluateOutcome> outcomes = judge(source, task, observer);
  outcomes[models.size() - 1].promises = promises.found();
  MemoryBlocks training(table.data.features.view(), table.data.labels);
  const auto train_rows = sample_training(models.back(), training, request.threads, observer);

  Comparison comparison;
  for (std::size_t m = 0; m < models.size(); ++m) {
    outcomes[m].train_rows = train_rows;
    comparison.methods.push_back(
        {models[m].record.option("method"), std::move(models[m]), std::move(outcomes[m])});
  }
  for (std::size_t p = 0; p < plain.models.size(); ++p)
    comparison.plain_models.push_back({plain.models[p].name, std::move(outcomes[models.size() + p])});
  comparison.left_out = plain.left_out;
  return comparison;
}

} // namespace lacuna
