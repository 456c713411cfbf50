#include "learning/block_scorer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/index.hpp"
#include "learning/row_lot.hpp"
#include "math/special.hpp"

namespace lacuna {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

std::vector<double> densities(const Density& density, MatrixView rows) {
  std::vector<double> out(at(rows.n_rows));
  density.log_density(rows, out);
  return out;
}

} // namespace

BlockScorer::BlockScorer(const GenerativeClassifier::Parts& parts, MatrixView rows, Index first,
                         Scores& scores)
    : parts_(parts), rows_(rows), n_classes_(static_cast<Index>(parts.class_names.size())), first_(first),
      scores_(scores), initial_(parts.initial, rows.n_rows),
      terms_(static_cast<Index>(parts.draws.size()), rows.n_rows), means_(at(rows.n_rows)),
      log_weight_(std::log(parts.informative_weight)), log_rest_(std::log1p(-parts.informative_weight)),
      log_classes_(std::log(static_cast<double>(n_classes_))),
      log_draws_(std::log(static_cast<double>(parts.draws.size()))) {
  initial_.evaluate(rows);
  for (const ClassModel& draw : parts.draws)
    draws_.emplace_back(draw, rows.n_rows, parts.shrinkage).evaluate(rows);
  if (parts.uninformative != nullptr) uninformative_ = densities(*parts.uninformative, rows);
  if (parts.initial_unlabeled != nullptr) unlabeled_ = densities(*parts.initial_unlabeled, rows);
  if (!parts.background) return;
  const double background = parts.background->weight();
  for (Index b = 0; b < rows.n_rows; ++b)
    background_.push_back(std::log(background) + parts.background->log_density(rows.row(b)));
  log_weight_ += std::log1p(-background);
  log_rest_ += std::log1p(-background);
}

void BlockScorer::score_rows(std::span<Anatomy> anatomy) {
  std::vector<Index> guesses(at(rows_.n_rows));
  const auto likeliest = [&](const double* posterior) {
    return std::max_element(posterior, posterior + n_classes_) - posterior;
  };
  // What is the same for every class decides nothing, and would round small differences away: the best class
  // is found before it is added. Where classes tie even so, it is the first of them.
  for (Index y = 0; y < n_classes_; ++y)
    parts_.posterior == PosteriorForm::joint ? set_joint_parts(y) : set_product_parts(y);
  for (Index b = 0; b < rows_.n_rows; ++b) guesses[at(b)] = likeliest(scores_.posterior.row(first_ + b));
  add_common_part();
  for (Index b = 0; b < rows_.n_rows; ++b)
    set_prediction(b, parts_.guesses_late ? likeliest(scores_.posterior.row(first_ + b)) : guesses[at(b)]);
  if (!anatomy.empty()) set_anatomy(anatomy);
}

void BlockScorer::add_common_part() {
  if (background_.empty() && (uninformative_.empty() || parts_.posterior != PosteriorForm::joint)) return;
  const std::span<double> posterior(scores_.posterior.row(first_), at(rows_.n_rows * n_classes_));
  const std::vector<double> of_class(posterior.begin(), posterior.end());
  std::vector<double> common;
  common.reserve(posterior.size());
  for (Index b = 0; b < rows_.n_rows; ++b) common.insert(common.end(), at(n_classes_), common_part(b));
  log_sum_exp(of_class, common, posterior);
}

/// For each row the log of the mean over draws of exp(value(draw, row)); valid until the next call.
template <class Value>
std::span<const double> BlockScorer::means_over_draws(const Value& value) {
  for (std::size_t draw = 0; draw < draws_.size(); ++draw)
    for (Index b = 0; b < rows_.n_rows; ++b) terms_(static_cast<Index>(draw), b) = value(draws_[draw], b);
  log_sum_exp_columns(terms_.view(), means_);
  for (double& mean : means_) mean -= log_draws_;
  return means_;
}

/// q(y) in product form.
double BlockScorer::class_probability(Index y) const {
  double probability = 0.0;
  for (const ClassEvidence& draw : draws_) probability += draw.probability(y);
  probability /= static_cast<double>(draws_.size());
  const double w = parts_.informative_weight;
  return w * probability + (1.0 - w) / static_cast<double>(n_classes_);
}

/// What q(x, y) owes to a class, as a log: in joint form w q(y|l=1) q(x|y,l=1), the first part of eq. 3.
void BlockScorer::set_joint_parts(Index y) {
  const std::span<const double> means =
      means_over_draws([&](const ClassEvidence& draw, Index b) { return draw.log_joint(y, b); });
  for (Index b = 0; b < rows_.n_rows; ++b) scores_.posterior(first_ + b, y) = log_weight_ + means[at(b)];
}

/// The same in product form, (w q(x|y,l=1) + (1-w) q(x|l=0)) (w q(y|l=1) + (1-w)/|Y|) (eq. 4): here no part
/// is common.
void BlockScorer::set_product_parts(Index y) {
  const double log_prior = std::log(class_probability(y));
  const std::span<const double> means =
      means_over_draws([&](const ClassEvidence& draw, Index b) { return draw.log_density(y, b); });
  for (Index b = 0; b < rows_.n_rows; ++b) {
    double part = log_weight_ + means[at(b)];
    if (!uninformative_.empty()) part = log_sum_exp(part, log_rest_ + uninformative_[at(b)]);
    scores_.posterior(first_ + b, y) = log_prior + part;
  }
}

/// log of what q(x, y) has in common for all classes y: in joint form (1-w)/|Y| q(x|l=0), the second part of
/// eq. 3, and in both forms the background (eq. 7).
double BlockScorer::common_part(Index b) const {
  double common = -infinity;
  if (!uninformative_.empty() && parts_.posterior == PosteriorForm::joint)
    common = log_rest_ - log_classes_ + uninformative_[at(b)];
  return background_.empty() ? common : log_sum_exp(common, background_[at(b)] - log_classes_);
}

double BlockScorer::background_weight(Index b) const {
  return background_.empty() ? -infinity : background_[at(b)];
}

/// log of the sum over classes of what speaks for no label (the numerator of eq. 6), in both forms.
double BlockScorer::outside_weight(Index b) const {
  const double uninformative = uninformative_.empty() ? -infinity : log_rest_ + uninformative_[at(b)];
  return log_sum_exp(uninformative, background_weight(b));
}

/// Normalises log values in place, and sets the prediction, its error probability and what is said of the
/// region.
void BlockScorer::set_prediction(Index b, Index guess) {
  const Index row = first_ + b;
  double* const posterior = scores_.posterior.row(row);
  const double largest = *std::max_element(posterior, posterior + n_classes_);
  // Divided by their sum below: the logarithm of that sum would be lost beside -1e200, far from all data.
  for (Index y = 0; y < n_classes_; ++y) posterior[y] = std::exp(posterior[y] - largest);
  const auto sum_of_others = [&](Index prediction) {
    double others = 0.0; // summed, because one minus a probability near one has few digits
    for (Index y = 0; y < n_classes_; ++y)
      if (y != prediction) others += posterior[y];
    return others;
  };
  const double total = posterior[guess] + sum_of_others(guess);
  const auto share = [&](double log_weight) { return std::exp(log_weight - largest) / total; };
  const Index prediction =
      parts_.ignorant == Ignorant::guess
          ? guess
          : drawn_class(rows_.row(b), rows_.n_cols, guess, share(outside_weight(b)), n_classes_);
  scores_.error_probability[at(row)] = sum_of_others(prediction) / total;
  scores_.prediction[at(row)] = static_cast<int>(prediction);
  for (Index y = 0; y < n_classes_; ++y) posterior[y] /= total;
  set_region(b, share(background_weight(b)));
}

double BlockScorer::log_ratio(Index b) const {
  return unlabeled_.empty() ? infinity : initial_.best_log_density(b) - unlabeled_[at(b)];
}

void BlockScorer::set_region(Index b, double background_share) {
  double ratio = log_ratio(b);
  // More likely unlike all rows than like some of them: then a ratio of two tails says nothing.
  if (background_share >= 0.5) ratio = -infinity;
  scores_.log_ratio[at(first_ + b)] = ratio;
  scores_.informative[at(first_ + b)] = ratio > parts_.kappa ? 1 : 0;
}

/// The cases of eq. 3, or of eq. 4 multiplied out: labels speak, w q(x, y|l=1); they do not, (1-w) q(x|l=0)
/// q(y); the background, uniform over classes. Each probability of the scores is divided among them, so that
/// they add up to it also where logarithms are huge and round.
void BlockScorer::set_anatomy(std::span<Anatomy> anatomy) {
  constexpr std::array sources{AnswerSource::inside, AnswerSource::unknown, AnswerSource::strange};
  const bool is_joint = parts_.posterior == PosteriorForm::joint;
  std::vector<std::array<AnswerPart, sources.size()>> sums(at(rows_.n_rows));
  for (Index y = 0; y < n_classes_; ++y) {
    const double log_prior = is_joint ? 0.0 : std::log(class_probability(y));
    const double log_of_unknown = is_joint ? -log_classes_ : log_prior;
    const std::span<const double> means = means_over_draws([&](const ClassEvidence& draw, Index b) {
      return is_joint ? draw.log_joint(y, b) : draw.log_density(y, b);
    });
    for (Index b = 0; b < rows_.n_rows; ++b) {
      const Index row = first_ + b;
      std::array cases{log_prior + log_weight_ + means[at(b)],
                       uninformative_.empty() ? -infinity
                                              : log_of_unknown + log_rest_ + uninformative_[at(b)],
                       background_weight(b) - log_classes_};
      const double largest = *std::ranges::max_element(cases);
      if (largest == -infinity) continue; // its probability is 0
      for (double& value : cases) value = std::exp(value - largest);
      const double total = std::accumulate(cases.begin(), cases.end(), 0.0);
      for (std::size_t c = 0; c < cases.size(); ++c) {
        const double share = scores_.posterior(row, y) * cases[c] / total;
        sums[at(b)][c].weight += share;
        if (y != scores_.prediction[at(row)]) sums[at(b)][c].error_probability += share;
      }
    }
  }
  for (Index b = 0; b < rows_.n_rows; ++b) {
    Anatomy& found = anatomy[at(b)];
    found.log_ratio = log_ratio(b);
    found.strangeness = sums[at(b)].back().weight;
    for (std::size_t c = 0; c < sources.size(); ++c)
      if (const AnswerPart& sum = sums[at(b)][c]; sum.weight > 0.0)
        found.parts.push_back({sources[c], sum.weight, sum.error_probability / sum.weight});
  }
}

} // namespace lacuna
