#include "pipeline/promises.hpp"

#include "core/index.hpp"

namespace lacuna {

PromiseMaker::PromiseMaker(const GenerativeClassifier& classifier, const PredictOptions& options)
    : classifier_(classifier), options_(options.promises) {
  if (options_.risk) acceptance_ = acceptance(classifier, {*options_.risk, options_.confidence});
  of({}); // what cannot be promised is told before the table is read
}

Promises PromiseMaker::of(const Scores& scores) const {
  Promises promises;
  const std::size_t n_rows = scores.prediction.size();
  if (options_.sensitivity)
    for (std::size_t i = 0; i < n_rows; ++i) {
      promises.worst_error_probability.push_back(
          worst_error_probability(scores.error_probability[i], *options_.sensitivity));
      promises.flip_odds.push_back(
          odds_that_flip({scores.posterior.row(static_cast<Index>(i)), at(scores.posterior.n_cols())},
                         scores.prediction[i]));
    }
  if (options_.sets)
    promises.sets =
        prediction_sets(classifier_, scores, {*options_.sets, options_.sensitivity.value_or(1.0)});
  if (acceptance_)
    for (std::size_t i = 0; i < n_rows; ++i)
      promises.accepted.push_back(acceptance_->accepts(scores, i) ? 1 : 0);
  return promises;
}

} // namespace lacuna
