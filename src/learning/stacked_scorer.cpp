#include "learning/stacked_scorer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/index.hpp"
#include "learning/row_lot.hpp"

namespace lacuna {

namespace {

/// How likely a row is unlike all rows that were seen.
double background_share(const GenerativeClassifier::Parts& parts, const double* row, double log_density) {
  if (!parts.background) return 0.0;
  const double odds = parts.background->log_odds(row, log_density) - parts.stacked->usual_strangeness;
  return std::max(1.0 / (1.0 + std::exp(-odds)), parts.stacked->ranges.strangeness(row));
}

/// All but p[y]: one minus a probability near one has few digits.
double sum_of_others(std::span<const double> p, std::size_t y) {
  return std::accumulate(p.begin(), p.begin() + static_cast<std::ptrdiff_t>(y), 0.0) +
         std::accumulate(p.begin() + static_cast<std::ptrdiff_t>(y) + 1, p.end(), 0.0);
}

/// How an answer is made up: answer_row and the background, case by case.
std::vector<AnswerPart> answer_parts(const StackedModel& model, const StackedRow& row,
                                     const StackedAnswer& answer, double strange, std::size_t prediction) {
  const std::size_t n_classes = row.log_p.size();
  std::vector<double> p(n_classes);
  std::transform(row.log_p.begin(), row.log_p.end(), p.begin(), [](double log_p) { return std::exp(log_p); });
  std::vector<double> unknown(n_classes);
  for (std::size_t y = 0; y < n_classes; ++y) unknown[y] = model.hardly_labeled.probability(y);
  std::vector<double> kept = p;
  model.hardly_labeled.extrapolate(answer.believed, kept);
  for (std::size_t y = 0; y < n_classes; ++y) kept[y] -= (1.0 - answer.trust) * unknown[y];
  const double seen = 1.0 - strange;
  const double rest = 1.0 / static_cast<double>(n_classes);
  std::vector<AnswerPart> parts{
      {AnswerSource::inside, seen * (1.0 - answer.outside), sum_of_others(p, prediction)},
      {AnswerSource::extrapolated, seen * answer.outside * answer.trust,
       answer.trust > 0.0 ? sum_of_others(kept, prediction) / answer.trust : 0.0},
      {AnswerSource::unknown, seen * answer.outside * (1.0 - answer.trust),
       sum_of_others(unknown, prediction)},
      {AnswerSource::strange, strange, 1.0 - rest}};
  std::erase_if(parts, [](const AnswerPart& part) { return part.weight == 0.0; });
  return parts;
}

} // namespace

std::size_t best_class(std::span<const double> posterior, std::span<const double> log_p) {
  std::size_t best = 0;
  for (std::size_t y = 1; y < posterior.size(); ++y)
    if (posterior[y] != posterior[best] ? posterior[y] > posterior[best] : log_p[y] > log_p[best]) best = y;
  return best;
}

StackedAnswer answer_row(const StackedModel& model, double kappa, const StackedRow& row,
                         std::span<double> posterior) {
  for (std::size_t y = 0; y < posterior.size(); ++y) posterior[y] = std::exp(row.log_p[y]);
  StackedAnswer answer;
  answer.outside = outside_share(row.log_ratio, kappa);
  if (answer.outside == 0.0) return answer;
  const double largest = *std::max_element(posterior.begin(), posterior.end());
  const Signals signals = Signals::of(kappa - row.log_ratio, row.distance, row.log_share, row.disagreement);
  double trust = model.trust.empty() ? 0.0 : 1.0;
  for (const Trust& one : model.trust)
    trust = std::min(trust, one.of(largest, signals, static_cast<Index>(posterior.size())));
  std::vector<double> extrapolated(posterior.begin(), posterior.end());
  answer.believed = trust;
  answer.trust = model.hardly_labeled.extrapolate(trust, extrapolated);
  for (std::size_t y = 0; y < posterior.size(); ++y)
    posterior[y] += answer.outside * (extrapolated[y] - posterior[y]);
  return answer;
}

void score_stacked(const GenerativeClassifier::Parts& parts, MatrixView rows, Index first, Scores& scores,
                   std::span<Anatomy> anatomy) {
  const StackedModel& model = *parts.stacked;
  const std::size_t n_classes = parts.class_names.size();
  const StackAnswers stack(*model.conditional, rows);
  const LabelShare::Answers share = model.share->ask(rows);
  const std::vector<double> ratios = model.ratio.log_ratios(rows, share.log_share);
  for (std::size_t b = 0; b < at(rows.n_rows); ++b) {
    const std::size_t row = at(first) + b;
    const double* const features = rows.row(static_cast<Index>(b));
    StackedRow known{std::span(stack.log_p).subspan(b * n_classes, n_classes), ratios[b],
                     stack.disagreement[b], share.log_share[b], 0.0};
    // The distance costs most, and decides nothing inside.
    constexpr double deep_inside = 1e-3;
    if (!model.trust.empty() && outside_share(ratios[b], parts.kappa) > deep_inside)
      known.distance = model.distance->of(features);
    const std::span<double> posterior{scores.posterior.row(first + static_cast<Index>(b)), n_classes};
    const StackedAnswer answer = answer_row(model, parts.kappa, known, posterior);
    // What is the same for every class decides nothing, and would round small differences away.
    auto prediction = static_cast<Index>(best_class(posterior, known.log_p));
    const double strange = background_share(parts, features, share.log_density[b]);
    for (double& p : posterior) p = (1.0 - strange) * p + strange / static_cast<double>(n_classes);
    const double by_lot = strange + (1.0 - strange) * answer.outside * (1.0 - answer.trust);
    if (parts.ignorant == Ignorant::random)
      prediction = drawn_class(features, rows.n_cols, prediction, by_lot, static_cast<Index>(n_classes));
    double others = 0.0; // summed, because one minus a probability near one has few digits
    for (std::size_t y = 0; y < n_classes; ++y)
      if (y != static_cast<std::size_t>(prediction)) others += posterior[y];
    const double total = others + posterior[static_cast<std::size_t>(prediction)];
    for (double& p : posterior) p /= total;
    scores.prediction[row] = static_cast<int>(prediction);
    scores.error_probability[row] = others / total;
    // More likely unlike all rows than like some of them: then a ratio of two tails says nothing.
    scores.log_ratio[row] = strange >= 0.5 ? -std::numeric_limits<double>::infinity() : ratios[b];
    scores.informative[row] = scores.log_ratio[row] > parts.kappa ? 1 : 0;
    scores.log_share[row] = share.log_share[b];
    if (anatomy.empty()) continue;
    anatomy[b] = {.log_ratio = ratios[b],
                  .strangeness = strange,
                  .outside = answer.outside,
                  .trust = answer.outside > 0.0 ? answer.trust : Anatomy::none,
                  .distance = model.distance->of(features),
                  .log_share = known.log_share,
                  .disagreement = known.disagreement,
                  .parts = answer_parts(model, known, answer, strange, static_cast<std::size_t>(prediction))};
  }
}

} // namespace lacuna
