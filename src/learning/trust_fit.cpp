#include "learning/trust_fit.hpp"

#include <algorithm>
#include <cmath>

#include "core/index.hpp"
#include "core/parallel.hpp"
#include "lacuna/core/random.hpp"
#include "learning/cross_fit.hpp"
#include "learning/ratio_model.hpp"
#include "learning/stacked_model.hpp"

namespace lacuna {

namespace {

/// Where every kind of gap is judged alone, there must be more of each.
constexpr Index episodes_of(TrustForm form) {
  return form == TrustForm::worst ? 48 : 24;
}
constexpr std::size_t most_asked_rows = 150; ///< of an episode
/// The stack of an episode learns from no more: so few answers cannot tell what further labels would do.
constexpr std::size_t most_learned_labels = 10000;

/// The hidden rows of one episode and what was said about them; their `episode` is still to be set.
std::vector<HiddenRow> ask_episode(const TrustFit& fit, const Episode& episode, std::uint64_t seed) {
  const DatasetView& data = fit.fitter.data();
  const std::vector<Index>& labeled = fit.recipe.rows;
  std::vector<int> labels(data.labels.begin(), data.labels.end());
  std::vector<Index> hidden;
  for (std::size_t i = 0; i < labeled.size(); ++i) {
    if (episode.hidden[i] == 0) continue;
    labels[at(labeled[i])] = missing_label;
    hidden.push_back(labeled[i]);
  }
  DatasetView rest = data;
  rest.labels = labels;
  const std::vector<int> learned = labels_by_lot(rest, most_learned_labels, seed);
  DatasetView learned_rest = data;
  learned_rest.labels = learned;
  const auto stack = fit_stack(learned_rest, fit.recipe, {seed, fit.threads, &fit.fitter.observer()});
  const auto share = fit.share_fit.fit(episode.hidden, &fit.share);
  const auto distance = fit.distance_fit.fit(episode.hidden);
  const RatioModel ratio = fit.labeling != nullptr
                               ? RatioModel(fit.labeling->fit_hidden(labels, seed))
                               : RatioModel(fit.densities.fit_labeled(rest, seed), fit.initial.unlabeled);

  const std::size_t step = (hidden.size() + most_asked_rows - 1) / most_asked_rows;
  std::vector<Index> asked;
  for (std::size_t i = 0; i < hidden.size(); i += step) asked.push_back(hidden[i]);
  const Matrix rows = gather_rows(data, asked);
  const StackAnswers answers(*stack, rows.view());
  const std::vector<double> log_shares = share->ask(rows.view()).log_share;
  const std::vector<double> ratios = ratio.log_ratios(rows.view(), log_shares);
  const std::size_t n_classes = at(data.n_classes());
  std::vector<HiddenRow> result;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    std::vector<double> p(n_classes);
    for (std::size_t y = 0; y < n_classes; ++y) p[y] = std::exp(answers.log_p[i * n_classes + y]);
    HiddenRow row = HiddenRow::of(p, at(data.labels[at(asked[i])]));
    row.kind = episode.kind;
    row.outside = outside_share(ratios[i], fit.kappa);
    row.signals = Signals::of(fit.kappa - ratios[i], distance->of(rows.row(static_cast<Index>(i))),
                              log_shares[i], answers.disagreement[i]);
    result.push_back(row);
  }
  return result;
}

GapRecord record_of(const Episode& episode, const std::vector<HiddenRow>& rows, Index n_classes) {
  GapRecord record;
  record.kind = to_string(episode.kind);
  record.n_rows = std::count(episode.hidden.begin(), episode.hidden.end(), 1);
  std::vector<double> outside;
  for (const HiddenRow& row : rows) {
    record.announced += row.error_probability / static_cast<double>(rows.size());
    record.made += (row.is_wrong ? 1.0 : 0.0) / static_cast<double>(rows.size());
    record.depth += 3.0 * row.signals.depth / static_cast<double>(rows.size());
    outside.push_back(row.true_probability);
  }
  record.worth = worth(outside, n_classes);
  return record;
}

} // namespace

std::vector<HiddenRow> hide_and_ask(const TrustFit& fit, std::vector<GapRecord>& gaps) {
  const DatasetView& data = fit.fitter.data();
  const std::uint64_t seed = derive_seed(fit.seed, RandomPurpose::episode);
  const EpisodeRows labeled{data, fit.recipe.rows, fit.distance_fit.labeled_points(), fit.recipe.out_of_fold,
                            fit.distance_fit.groups(seed)};
  const std::vector<Episode> episodes = make_episodes(labeled, episodes_of(fit.form), seed);
  std::vector<std::vector<HiddenRow>> asked(episodes.size());
  parallel_for(static_cast<Index>(episodes.size()), fit.threads, [&](Index e) {
    stop_if_cancelled(fit.fitter.observer());
    asked[at(e)] = ask_episode(fit, episodes[at(e)],
                               derive_seed(seed, RandomPurpose::episode, static_cast<std::uint64_t>(e) + 1));
  });
  std::vector<HiddenRow> rows;
  for (std::size_t e = 0; e < episodes.size(); ++e) {
    gaps.push_back(record_of(episodes[e], asked[e], data.n_classes()));
    for (HiddenRow& row : asked[e]) {
      row.episode = static_cast<int>(e);
      rows.push_back(row);
    }
  }
  return rows;
}

std::vector<Trust> fit_trust(const std::vector<HiddenRow>& rows, TrustForm form, Index n_classes,
                             Index n_labeled) {
  std::vector<Trust> trust = {Trust::fit(rows, n_classes, n_labeled)};
  if (form != TrustForm::worst) return trust;
  for (std::size_t kind = 0; kind < n_gap_kinds; ++kind) {
    std::vector<HiddenRow> of_kind;
    for (const HiddenRow& row : rows)
      if (row.episode == HiddenRow::own_row || row.kind == static_cast<GapKind>(kind)) of_kind.push_back(row);
    Trust one = Trust::fit(of_kind, n_classes, n_labeled);
    if (!one.is_none()) trust.push_back(one); // else the kind was not seen often enough to say anything
  }
  return trust;
}

} // namespace lacuna
