#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "conditional/class_prior.hpp"
#include "conditional/labeled_rows.hpp"
#include "conditional/mixing_weights.hpp"
#include "conditional/stack.hpp"
#include "core/index.hpp"
#include "core/parallel.hpp"
#include "data/folds.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

namespace {

/// The labels with one fold of them hidden.
struct Fold {
  std::vector<int> labels;        ///< of all rows
  std::vector<bool> seen;         ///< per class: whether a label is left
  std::vector<std::size_t> asked; ///< the rows whose labels are hidden, by their place among the labeled ones
};

/// `labeled`: at least the rows that have a label.
std::vector<bool> seen_classes(const DatasetView& data, std::span<const Index> labeled,
                               std::span<const int> labels) {
  std::vector<bool> seen(at(data.n_classes()), false);
  for (const Index i : labeled)
    if (labels[at(i)] != missing_label && data.weight(i) > 0.0)
      seen[static_cast<std::size_t>(labels[at(i)])] = true;
  return seen;
}

std::vector<Fold> make_folds(const DatasetView& data, std::span<const Index> labeled, Index n_folds,
                             std::uint64_t seed) {
  const std::vector<int> fold_of = deal_folds(data, n_folds, seed);
  std::vector<Fold> folds(at(n_folds));
  for (std::size_t f = 0; f < folds.size(); ++f) {
    folds[f].labels.assign(data.labels.begin(), data.labels.end());
    for (std::size_t i = 0; i < labeled.size(); ++i) {
      if (fold_of[at(labeled[i])] != static_cast<int>(f)) continue;
      folds[f].asked.push_back(i);
      folds[f].labels[at(labeled[i])] = missing_label;
    }
    folds[f].seen = seen_classes(data, labeled, folds[f].labels);
  }
  return folds;
}

ConditionalFitContext context_of(const ConditionalFitContext& context, std::size_t member, std::size_t fit) {
  constexpr std::uint64_t most_fits = 1U << 20U;
  return {derive_seed(context.seed, RandomPurpose::conditional, member * most_fits + fit), context.threads,
          context.observer};
}

/// A member may be the user's own, so what it fits is looked at.
std::shared_ptr<const Conditional> fit_member(const ConditionalFamily& member, const DatasetView& data,
                                              const ConditionalFitContext& context) {
  auto fitted = member.fit(data, context);
  if (fitted == nullptr || fitted->n_features() != data.n_features() ||
      fitted->n_classes() != data.n_classes())
    throw Error(ErrorKind::usage, "the fit of stack member '" + member.name() +
                                      "' gave nothing, or something for other features or classes");
  return fitted;
}

void require_finite(const ConditionalFamily& member, std::span<const double> answers) {
  if (!std::all_of(answers.begin(), answers.end(), [](double value) { return std::isfinite(value); }))
    throw Error(ErrorKind::usage,
                "stack member '" + member.name() +
                    "' gave a log probability that is not finite; the least is that of least_probability");
}

/// What a member that did not see the fold's labels says about its rows. Minus infinity marks a class that it
/// cannot know.
void ask(const ConditionalFamily& member, const DatasetView& data, std::span<const Index> labeled,
         const Fold& fold, const ConditionalFitContext& context, Matrix& scores) {
  DatasetView rest = data;
  rest.labels = fold.labels;
  const bool is_blank = std::find(fold.seen.begin(), fold.seen.end(), true) == fold.seen.end();
  const auto fitted = is_blank || fold.asked.empty() ? nullptr : fit_member(member, rest, context);
  constexpr std::size_t block_rows = 1024;
  for (std::size_t first = 0; first < fold.asked.size(); first += block_rows) {
    const auto block = std::span(fold.asked).subspan(first, std::min(block_rows, fold.asked.size() - first));
    Matrix rows(static_cast<Index>(block.size()), data.n_features());
    for (std::size_t i = 0; i < block.size(); ++i)
      std::copy_n(data.features.row(labeled[block[i]]), data.n_features(), rows.row(static_cast<Index>(i)));
    Matrix answers(rows.n_rows(), data.n_classes());
    if (fitted) fitted->log_probability(rows.view(), answers.values());
    require_finite(member, answers.values());
    for (std::size_t i = 0; i < block.size(); ++i)
      for (std::size_t y = 0; y < fold.seen.size(); ++y)
        scores.row(static_cast<Index>(block[i]))[y] =
            fold.seen[y] ? answers.row(static_cast<Index>(i))[y] : -std::numeric_limits<double>::infinity();
  }
}

/// Everything that is known about the labeled rows once all members were asked.
class StackJudge {
public:
  StackJudge(const DatasetView& data, const LabeledRows& labeled, const std::vector<Fold>& folds,
             StackRecipe& recipe, int threads)
      : recipe_(recipe), weights_(labeled.weights), threads_(threads) {
    for (const Index row : labeled.rows) labels_.push_back(data.labels[at(row)]);
    recipe.judged.assign(labeled.size(), false);
    for (const Fold& fold : folds)
      for (const std::size_t i : fold.asked)
        recipe.judged[i] = fold.seen[static_cast<std::size_t>(labels_[i])];
    for (std::size_t i = 0; i < weights_.size(); ++i)
      if (!recipe.judged[i]) weights_[i] = 0.0;
  }

  /// Finds a member's calibration from its scores, and applies it to them.
  void calibrate(std::size_t member) {
    Matrix& scores = recipe_.member_out_of_fold[member];
    recipe_.calibration[member] = fit_calibration({scores.view(), labels_, weights_}, threads_);
    for (Index i = 0; i < scores.n_rows(); ++i)
      recipe_.calibration[member].apply({scores.row(i), at(scores.n_cols())});
  }

  void mix() {
    const auto n_rows = static_cast<Index>(labels_.size());
    const std::size_t n_members = recipe_.members.size();
    Matrix likelihoods(n_rows, static_cast<Index>(n_members));
    for (Index i = 0; i < n_rows; ++i)
      for (std::size_t j = 0; j < n_members; ++j)
        likelihoods.row(i)[j] = std::exp(recipe_.member_out_of_fold[j](i, labels_[at(i)]));
    recipe_.weights = fit_mixing({likelihoods.view(), weights_});
    doubt_features(likelihoods);

    Matrix& stack = recipe_.out_of_fold;
    for (std::size_t j = 0; j < n_members; ++j) {
      const std::span<const double> member = recipe_.member_out_of_fold[j].values();
      for (std::size_t cell = 0; cell < member.size(); ++cell)
        stack.values()[cell] += recipe_.weights[j] * std::exp(member[cell]);
      recipe_.member_log_likelihood.push_back(
          mean_log([&](Index i) { return likelihoods(i, static_cast<Index>(j)); }));
    }
    // No calibration may lift a class that was not seen.
    for (double& p : stack.values())
      p = p > 2.0 * least_probability ? std::log(p) : -std::numeric_limits<double>::infinity();
    recipe_.mixed = fit_calibration({stack.view(), labels_, weights_}, threads_);
    for (Index i = 0; i < n_rows; ++i) recipe_.mixed.apply({stack.row(i), at(stack.n_cols())});
    for (double& p : stack.values()) p = std::exp(p);
    recipe_.log_likelihood = mean_log([&](Index i) { return stack(i, labels_[at(i)]); });
  }

private:
  /// Labels may have nothing to do with the features. Then the class prior is right, and members that are
  /// hardly better than it were lucky. A little is left to them: who knows hardly anything may still guess.
  void doubt_features(const Matrix& likelihoods) {
    const std::size_t n_members = recipe_.members.size();
    std::size_t prior = 0;
    while (prior < n_members && recipe_.members[prior]->name() != class_prior_name) ++prior;
    if (prior == n_members) return;
    double gain = 0.0;
    double total = 0.0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      const double* const row = likelihoods.row(static_cast<Index>(i));
      const double mixed = std::inner_product(row, row + n_members, recipe_.weights.begin(), 0.0);
      gain += weights_[i] * std::log(mixed / row[prior]);
      total += weights_[i];
    }
    constexpr Index n_numbers = 2; // that luck can choose: a slope, and whom to weigh
    constexpr double least_trusted = 0.02;
    const double trusted = std::max(least_trusted, probability_of_gain(gain, n_numbers, total));
    for (double& weight : recipe_.weights) weight *= trusted;
    recipe_.weights[prior] += 1.0 - trusted;
  }

  template <typename Likelihood>
  double mean_log(Likelihood likelihood) const {
    double sum = 0.0;
    double total = 0.0;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      sum += weights_[i] * std::log(likelihood(static_cast<Index>(i)));
      total += weights_[i];
    }
    return total > 0.0 ? sum / total : 0.0;
  }

  StackRecipe& recipe_;
  std::vector<int> labels_;
  std::vector<double> weights_; ///< 0 for a row that is not judged
  int threads_;
};

} // namespace

StackRecipe learn_stack(const DatasetView& data, ConditionalMembers members, Index n_folds,
                        const ConditionalFitContext& context) {
  const LabeledRows labeled = labeled_rows(data);
  const std::vector<Fold> folds = make_folds(data, labeled.rows, n_folds, context.seed);
  StackRecipe recipe;
  recipe.members = std::move(members);
  recipe.rows = labeled.rows;
  recipe.calibration.resize(recipe.members.size());
  recipe.out_of_fold = Matrix(static_cast<Index>(labeled.size()), data.n_classes());
  recipe.member_out_of_fold.assign(recipe.members.size(), recipe.out_of_fold);
  const auto n_members = static_cast<Index>(recipe.members.size());
  parallel_for(n_members * n_folds, context.threads, [&](Index task) {
    const std::size_t member = at(task / n_folds);
    const std::size_t fold = at(task % n_folds);
    ask(*recipe.members[member], data, labeled.rows, folds[fold], context_of(context, member, fold),
        recipe.member_out_of_fold[member]);
  });
  StackJudge judge(data, labeled, folds, recipe, context.threads);
  parallel_for(n_members, context.threads, [&](Index member) { judge.calibrate(at(member)); });
  judge.mix();
  return recipe;
}

std::shared_ptr<const Stack> fit_stack(const DatasetView& data, const StackRecipe& recipe,
                                       const ConditionalFitContext& context) {
  std::vector<std::size_t> used;
  for (std::size_t j = 0; j < recipe.members.size(); ++j)
    if (recipe.weights[j] >= least_member_weight) used.push_back(j);
  std::vector<Stack::Member> members(used.size());
  parallel_for(static_cast<Index>(used.size()), context.threads, [&](Index task) {
    const std::size_t j = used[at(task)];
    constexpr std::size_t whole = 1U << 19U; // the number of this fit, beyond those of the folds
    members[at(task)] = {recipe.members[j]->name(), recipe.weights[j], recipe.calibration[j],
                         fit_member(*recipe.members[j], data, context_of(context, j, whole))};
  });
  return std::make_shared<Stack>(data.n_features(), seen_classes(data, recipe.rows, data.labels),
                                 std::move(members), recipe.mixed);
}

} // namespace lacuna
