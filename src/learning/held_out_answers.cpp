#include "learning/held_out_answers.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "lacuna/core/random.hpp"
#include "math/special.hpp"

namespace lacuna {

namespace {

/// A model's file holds at most so many; more change a bound by less than a hundredth.
constexpr std::size_t most_held_out_rows = 20000;

/// The most errors among n rows that still show a rate below `risk`; -1: none would.
Index most_errors(Index n, const RiskRequest& request) {
  Index low = -1;
  Index high = n;
  while (high - low > 1) {
    const Index middle = low + (high - low) / 2;
    (binomial_at_most(middle, n, request.risk) <= 1.0 - request.confidence ? low : high) = middle;
  }
  return low;
}

struct TestedRow {
  double error_probability = 0.0;
  bool is_wrong = false;
};

} // namespace

HeldOutAnswers::HeldOutAnswers(const std::vector<Row>& rows) {
  std::vector<std::size_t> order;
  const std::size_t n = std::min(rows.size(), most_held_out_rows);
  for (std::size_t i = 0; i < n; ++i) order.push_back(i * rows.size() / n); // spread over the table
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return rows[a].true_probability > rows[b].true_probability;
  });
  for (const std::size_t i : order) {
    const Row& row = rows[i];
    if (!(row.weight > 0.0)) continue;
    scores_.push_back(1.0 - row.true_probability);
    error_probabilities_.push_back(row.error_probability);
    wrong_.push_back(row.is_wrong ? 1.0 : 0.0);
    log_weights_.push_back(-row.log_share);
    user_weights_.push_back(row.weight);
    lots_.push_back(RandomStream(0, RandomPurpose::accepted_sample, i).uniform());
  }
  add_up();
}

void HeldOutAnswers::add_up() {
  if (scores_.empty()) return;
  largest_log_weight_ = *std::max_element(log_weights_.begin(), log_weights_.end());
  double sum = 0.0;
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    sum += user_weights_[i] * std::exp(log_weights_[i] - largest_log_weight_);
    weights_up_to_.push_back(sum);
  }
}

double HeldOutAnswers::set_threshold(double log_share, const SetRequest& request) const {
  if (scores_.empty()) return std::numeric_limits<double>::infinity();
  const double own = std::exp(-log_share - largest_log_weight_);
  const double total = weights_up_to_.back() + own;
  const double squared = request.odds * request.odds;
  // The least t with cum(t) (1 - c) >= c g^2 (total - cum(t)).
  const double needed =
      total * request.coverage * squared / (1.0 - request.coverage + request.coverage * squared);
  const auto found = std::lower_bound(weights_up_to_.begin(), weights_up_to_.end(), needed);
  if (found == weights_up_to_.end()) return std::numeric_limits<double>::infinity();
  return scores_[at(found - weights_up_to_.begin())];
}

Acceptance HeldOutAnswers::acceptance(const RiskRequest& request) const {
  constexpr double scarcest = 0.02; // of the target, where labels are scarcest, is never answered
  Acceptance result;
  if (scores_.empty()) return result;
  // The target's quantile of the weights: beyond it rejection would leave next to nothing.
  std::vector<std::size_t> by_weight(scores_.size());
  std::iota(by_weight.begin(), by_weight.end(), std::size_t{0});
  std::stable_sort(by_weight.begin(), by_weight.end(),
                   [&](std::size_t a, std::size_t b) { return log_weights_[a] < log_weights_[b]; });
  double largest = log_weights_[by_weight.back()];
  double beyond = 0.0;
  for (auto it = by_weight.rbegin(); it != by_weight.rend(); ++it) {
    beyond += user_weights_[*it] * std::exp(log_weights_[*it] - largest_log_weight_);
    if (beyond > scarcest * weights_up_to_.back()) {
      largest = log_weights_[*it];
      break;
    }
  }
  result.least_log_share = -largest;
  const double most_user_weight = *std::max_element(user_weights_.begin(), user_weights_.end());
  std::vector<TestedRow> sample;
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    if (log_weights_[i] > largest) continue;
    const double kept = std::exp(log_weights_[i] - largest) * user_weights_[i] / most_user_weight;
    if (lots_[i] < kept) sample.push_back({error_probabilities_[i], wrong_[i] > 0.0});
  }
  std::stable_sort(sample.begin(), sample.end(), [](const TestedRow& a, const TestedRow& b) {
    return a.error_probability < b.error_probability;
  });
  // Tests in a fixed order, whose start and steps depend on features alone.
  constexpr Index n_steps = 100;
  std::vector<Index> ends;
  const auto n = static_cast<Index>(sample.size());
  for (Index step = 1; step <= n_steps; ++step) {
    Index end = step * n / n_steps;
    while (end > 0 && end < n && sample[at(end)].error_probability == sample[at(end - 1)].error_probability)
      ++end;
    if (end > 0 && (ends.empty() || end > ends.back())) ends.push_back(end);
  }
  std::vector<double> announced(sample.size() + 1);
  std::vector<Index> wrong(sample.size() + 1);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    announced[i + 1] = announced[i] + sample[i].error_probability;
    wrong[i + 1] = wrong[i] + (sample[i].is_wrong ? 1 : 0);
  }
  std::size_t start = 0;
  double best_power = -1.0;
  for (std::size_t k = 0; k < ends.size(); ++k) {
    const Index end = ends[k];
    const double power =
        binomial_at_most(most_errors(end, request), end, announced[at(end)] / static_cast<double>(end));
    if (power > best_power) {
      best_power = power;
      start = k;
    }
  }
  for (std::size_t k = start; k < ends.size(); ++k) {
    const Index end = ends[k];
    if (wrong[at(end)] > most_errors(end, request)) break;
    result.threshold = sample[at(end - 1)].error_probability;
    result.n_tested = end;
    result.n_wrong = wrong[at(end)];
  }
  return result;
}

void HeldOutAnswers::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "n_rows", static_cast<double>(scores_.size()));
  if (scores_.empty()) return;
  archive.put(prefix + "score", scores_);
  archive.put(prefix + "error_probability", error_probabilities_);
  archive.put(prefix + "wrong", wrong_);
  archive.put(prefix + "log_weight", log_weights_);
  archive.put(prefix + "user_weight", user_weights_);
  archive.put(prefix + "lot", lots_);
}

std::optional<HeldOutAnswers> HeldOutAnswers::load(const Archive& archive, const std::string& prefix) {
  if (!archive.has(prefix + "n_rows")) return {};
  HeldOutAnswers answers;
  const Index n = archive.integer(prefix + "n_rows", 0, static_cast<Index>(most_held_out_rows));
  if (n == 0) return answers;
  answers.scores_ = archive.vector(prefix + "score", n);
  answers.error_probabilities_ = archive.vector(prefix + "error_probability", n);
  answers.wrong_ = archive.vector(prefix + "wrong", n);
  answers.log_weights_ = finite(archive.vector(prefix + "log_weight", n), prefix + "log_weight");
  answers.user_weights_ = archive.vector(prefix + "user_weight", n);
  answers.lots_ = archive.vector(prefix + "lot", n);
  const auto all_shares = [](const std::vector<double>& values) {
    return std::all_of(values.begin(), values.end(), [](double v) { return v >= 0.0 && v <= 1.0; });
  };
  require_saved(all_shares(answers.scores_) && all_shares(answers.error_probabilities_) &&
                    all_shares(answers.wrong_) && all_shares(answers.lots_) &&
                    std::is_sorted(answers.scores_.begin(), answers.scores_.end()),
                prefix, "answers that no fit gives");
  require_saved(all_weights(answers.user_weights_), prefix, "a weight that no row has");
  answers.add_up();
  return answers;
}

} // namespace lacuna
