#include "lacuna/learning/guarantees.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include <fmt/format.h>

#include "core/index.hpp"
#include "lacuna/core/errors.hpp"
#include "learning/stacked_model.hpp"

namespace lacuna {

namespace {

const HeldOutAnswers& held_out_answers(const GenerativeClassifier& classifier) {
  if (keeps_held_out_answers(classifier)) return *classifier.parts().stacked->held_out;
  ErrorParts parts;
  parts.statement = "the model keeps no held-out answers, so it can promise nothing";
  parts.remedy = "fit it anew with " + mention("conditional") + " stack";
  throw Error(ErrorKind::usage, parts);
}

void require_share(OptionChecks& checks, const std::string& option, double value) {
  checks.require(value > 0.0 && value < 1.0, option, fmt::format("{}", value), "a number between 0 and 1");
}

} // namespace

bool keeps_held_out_answers(const GenerativeClassifier& classifier) {
  const StackedModel* const stacked = classifier.parts().stacked.get();
  return stacked != nullptr && stacked->held_out.has_value();
}

double worst_error_probability(double error_probability, double odds) {
  return odds * error_probability / (1.0 - error_probability + odds * error_probability);
}

double odds_that_flip(std::span<const double> posterior, int prediction) {
  double second = 0.0;
  for (std::size_t y = 0; y < posterior.size(); ++y)
    if (y != at(prediction)) second = std::max(second, posterior[y]);
  return posterior[at(prediction)] / second;
}

std::vector<char> prediction_sets(const GenerativeClassifier& classifier, const Scores& scores,
                                  const SetRequest& request) {
  const HeldOutAnswers& held_out = held_out_answers(classifier);
  OptionChecks checks;
  require_share(checks, "sets", request.coverage);
  checks.require(request.odds >= 1.0 && std::isfinite(request.odds), "sensitivity",
                 fmt::format("{}", request.odds), "a number of at least 1");
  checks.throw_if_any();
  const std::size_t n_classes = at(classifier.n_classes());
  std::vector<char> sets(scores.prediction.size() * n_classes, 1);
  for (std::size_t i = 0; i < scores.prediction.size(); ++i) {
    if (scores.informative[i] == 0) continue;
    const double threshold = held_out.set_threshold(scores.log_share[i], request);
    const double* const posterior = scores.posterior.row(static_cast<Index>(i));
    for (std::size_t y = 0; y < n_classes; ++y)
      sets[i * n_classes + y] = 1.0 - posterior[y] <= threshold ? 1 : 0;
    sets[i * n_classes + at(scores.prediction[i])] = 1;
  }
  return sets;
}

bool Acceptance::accepts(const Scores& scores, std::size_t i) const {
  return scores.informative[i] != 0 && scores.error_probability[i] <= threshold &&
         scores.log_share[i] >= least_log_share;
}

Acceptance acceptance(const GenerativeClassifier& classifier, const RiskRequest& request) {
  OptionChecks checks;
  require_share(checks, "risk", request.risk);
  require_share(checks, "confidence", request.confidence);
  checks.throw_if_any();
  return held_out_answers(classifier).acceptance(request);
}

} // namespace lacuna
