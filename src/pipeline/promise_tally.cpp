#include "pipeline/promise_tally.hpp"

#include "core/index.hpp"

namespace lacuna {

PromiseTally::PromiseTally(const GenerativeClassifier& classifier) : classifier_(classifier) {
  if (!keeps_held_out_answers(classifier)) return;
  PromiseCheck& check = found_.emplace();
  acceptance_ = acceptance(classifier, {check.risk, check.confidence});
  for (PromiseCheck::Rows* rows : {&check.inside, &check.outside})
    rows->n_of_size.resize(at(classifier.n_classes()) + 1);
}

void PromiseTally::add(const Scores& scores, std::span<const int> labels) {
  if (!found_) return;
  const std::size_t n_classes = at(classifier_.n_classes());
  const std::vector<char> sets = prediction_sets(classifier_, scores, {.coverage = found_->coverage});
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] == missing_label) continue;
    PromiseCheck::Rows& rows = scores.informative[i] != 0 ? found_->inside : found_->outside;
    const std::span<const char> set = std::span(sets).subspan(i * n_classes, n_classes);
    std::size_t size = 0;
    for (const char is_in : set) size += is_in != 0 ? 1 : 0;
    ++rows.n;
    ++rows.n_of_size[size];
    rows.n_covered += set[at(labels[i])] != 0 ? 1 : 0;
    if (!acceptance_.accepts(scores, i)) continue;
    ++rows.n_answered;
    rows.n_wrong += scores.prediction[i] != labels[i] ? 1 : 0;
  }
}

} // namespace lacuna
