#include "learning/labeling_test.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <span>
#include <utility>

#include "conditional/forest.hpp"
#include "conditional/logistic.hpp"
#include "core/index.hpp"
#include "core/parallel.hpp"
#include "data/folds.hpp"
#include "data/large_table.hpp"
#include "lacuna/core/random.hpp"
#include "learning/cross_fit.hpp"

namespace lacuna {

namespace {

constexpr Index n_test_blocks = 5;
constexpr Index most_rows_per_side = 5000;
constexpr Index n_permutations = 9999;
/// Cells that are shuffled and asked about in all: wide tables are asked with fewer rows.
constexpr Index most_shuffled_cells = 100'000;
constexpr Index most_shuffled_rows = 2000;
constexpr Index fewest_shuffled_rows = 200;

/// At most so many labeled or unlabeled rows, by lot, in the order of the table.
std::vector<Index> draw_rows(const DatasetView& data, bool are_labeled, std::uint64_t seed) {
  std::vector<std::pair<std::uint64_t, Index>> keyed;
  for (Index i = 0; i < data.n_rows(); ++i)
    if (data.weight(i) > 0.0 && data.is_labeled(i) == are_labeled)
      keyed.emplace_back(draw_key(seed, data.number(i)), i);
  if (static_cast<Index>(keyed.size()) > most_rows_per_side) {
    std::nth_element(keyed.begin(), keyed.begin() + most_rows_per_side, keyed.end());
    keyed.resize(at(most_rows_per_side));
  }
  std::vector<Index> rows;
  for (const auto& [key, row] : keyed) rows.push_back(row);
  std::sort(rows.begin(), rows.end());
  return rows;
}

using Classifiers = std::vector<std::shared_ptr<const Conditional>>;

/// The log odds of being labeled, summed over the classifiers.
std::vector<double> scores_of(const Classifiers& classifiers, MatrixView rows) {
  std::vector<double> scores(at(rows.n_rows), 0.0);
  std::vector<double> answers(2 * at(rows.n_rows));
  for (const auto& classifier : classifiers) {
    classifier->log_probability(rows, answers);
    for (std::size_t i = 0; i < scores.size(); ++i) scores[i] += answers[2 * i + 1] - answers[2 * i];
  }
  return scores;
}

/// Later rows, judged by classifiers of the rows before them.
struct TestBlock {
  std::vector<Index> rows;
  std::vector<char> is_labeled;
  std::vector<std::uint64_t> lots; ///< which of equal scores comes first
  Classifiers classifiers;

  Index n_labeled() const { return std::count(is_labeled.begin(), is_labeled.end(), char{1}); }
  Index n_unlabeled() const { return static_cast<Index>(rows.size()) - n_labeled(); }
  /// Of its AUC in the mean of all blocks: the inverse variance that it has where labels are given by lot.
  double weight() const {
    const auto labeled = static_cast<double>(n_labeled());
    const auto unlabeled = static_cast<double>(n_unlabeled());
    return labeled * unlabeled / (labeled + unlabeled + 1.0);
  }
  /// The AUC of labeled rows whose ranks, from 0, have this sum.
  double auc(double rank_sum) const {
    const auto labeled = static_cast<double>(n_labeled());
    return (rank_sum - 0.5 * labeled * (labeled - 1.0)) / (labeled * static_cast<double>(n_unlabeled()));
  }
};

/// The sum of the ranks of the labeled rows.
double rank_sum(std::span<const double> scores, std::span<const char> is_labeled,
                std::span<const std::uint64_t> lots) {
  std::vector<std::size_t> order(scores.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return scores[a] != scores[b] ? scores[a] < scores[b] : lots[a] < lots[b];
  });
  double sum = 0.0;
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    if (is_labeled[order[rank]] != 0) sum += static_cast<double>(rank);
  return sum;
}

/// The sum of `count` different ranks below `n`, by lot.
double drawn_rank_sum(Index n, Index count, RandomStream& stream, std::vector<Index>& ranks) {
  ranks.resize(at(n));
  std::iota(ranks.begin(), ranks.end(), Index{0});
  double sum = 0.0;
  for (Index i = 0; i < count; ++i) {
    const auto other = i + static_cast<Index>(stream.uniform() * static_cast<double>(n - i));
    std::swap(ranks[at(i)], ranks[at(other)]);
    sum += static_cast<double>(ranks[at(i)]);
  }
  return sum;
}

class LabelingTester {
public:
  LabelingTester(const DatasetView& data, std::uint64_t seed, int threads, Observer& observer)
      : view_(data), seed_(derive_seed(seed, RandomPurpose::labeling_test)), threads_(threads),
        observer_(observer), labels_(at(data.n_rows()), missing_label) {
    const std::vector<Index> labeled = draw_rows(data, true, seed_);
    const std::vector<Index> unlabeled = draw_rows(data, false, seed_);
    result_.n_labeled = static_cast<Index>(labeled.size());
    result_.n_unlabeled = static_cast<Index>(unlabeled.size());
    for (const Index row : labeled) labels_[at(row)] = 1;
    for (const Index row : unlabeled) labels_[at(row)] = 0;
    view_.class_names = {"unlabeled", "labeled"};
    view_.labels = labels_;
    view_.weights = {};
  }

  LabelingTest run() {
    if (std::min(result_.n_labeled, result_.n_unlabeled) < n_test_blocks) return result_;
    deal_blocks();
    fit_classifiers();
    double mean = 0.0;
    double total = 0.0;
    std::vector<double> sums(blocks_.size());
    parallel_for(static_cast<Index>(blocks_.size()), threads_, [&](Index b) {
      const TestBlock& block = blocks_[at(b)];
      sums[at(b)] = rank_sum(scores_of(block.classifiers, gather_rows(view_, block.rows).view()),
                             block.is_labeled, block.lots);
    });
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      mean += blocks_[b].weight() * blocks_[b].auc(sums[b]);
      total += blocks_[b].weight();
    }
    result_.auc = mean / total;
    permute(mean);
    if (result_.p_value <= driver_level) shuffle_columns(total);
    return result_;
  }

private:
  /// The first block is only learned from.
  void deal_blocks() {
    fold_ = deal_folds(view_, n_test_blocks, seed_);
    blocks_.resize(at(n_test_blocks - 1));
    for (Index i = 0; i < view_.n_rows(); ++i) {
      if (fold_[at(i)] < 1) continue;
      TestBlock& block = blocks_[at(fold_[at(i)] - 1)];
      block.rows.push_back(i);
      block.is_labeled.push_back(labels_[at(i)] == 1 ? 1 : 0);
      block.lots.push_back(
          derive_seed(seed_, RandomPurpose::row_lot, static_cast<std::uint64_t>(view_.number(i))));
    }
  }

  void fit_classifiers() {
    const std::array<std::shared_ptr<const ConditionalFamily>, 2> families{std::make_shared<LogisticFamily>(),
                                                                           std::make_shared<ForestFamily>()};
    for (TestBlock& block : blocks_) block.classifiers.resize(families.size());
    const auto n_families = static_cast<Index>(families.size());
    // The longest first.
    const auto n_tasks = static_cast<Index>(blocks_.size()) * n_families;
    parallel_for(n_tasks, threads_, [&](Index task) {
      const Index b = static_cast<Index>(blocks_.size()) - 1 - task / n_families;
      std::vector<int> labels = labels_;
      for (std::size_t i = 0; i < labels.size(); ++i)
        if (fold_[i] > static_cast<int>(b)) labels[i] = missing_label;
      DatasetView before = view_;
      before.labels = labels;
      blocks_[at(b)].classifiers[at(task % n_families)] = families[at(task % n_families)]->fit(
          before,
          {derive_seed(seed_, RandomPurpose::conditional, static_cast<std::uint64_t>(b)), 1, &observer_});
    });
  }

  /// Where labels are given by lot, every set of as many ranks is as likely in each block, whatever came
  /// before it.
  void permute(double mean) {
    constexpr Index per_task = 500;
    std::vector<Index> at_least(at((n_permutations + per_task - 1) / per_task), 0);
    parallel_for(static_cast<Index>(at_least.size()), threads_, [&](Index task) {
      std::vector<Index> ranks;
      for (Index p = task * per_task; p < std::min((task + 1) * per_task, n_permutations); ++p) {
        RandomStream stream(seed_, RandomPurpose::labeling_test, static_cast<std::uint64_t>(p));
        double drawn = 0.0;
        for (const TestBlock& block : blocks_)
          drawn += block.weight() * block.auc(drawn_rank_sum(static_cast<Index>(block.rows.size()),
                                                             block.n_labeled(), stream, ranks));
        at_least[at(task)] += drawn >= mean ? 1 : 0;
      }
    });
    const Index n = std::accumulate(at_least.begin(), at_least.end(), Index{0});
    result_.n_permutations = n_permutations;
    result_.p_value = static_cast<double>(1 + n) / static_cast<double>(1 + n_permutations);
  }

  void shuffle_columns(double total) {
    const Index n_columns = view_.n_features();
    const Index n_rows =
        std::clamp(most_shuffled_cells / n_columns, fewest_shuffled_rows, most_shuffled_rows) /
        static_cast<Index>(blocks_.size());
    result_.importance.assign(at(n_columns), 0.0);
    for (const TestBlock& block : blocks_) {
      const TestBlock some = thinned(block, n_rows);
      const Matrix rows = gather_rows(view_, some.rows);
      const auto auc = [&](MatrixView asked) {
        return some.auc(rank_sum(scores_of(block.classifiers, asked), some.is_labeled, some.lots));
      };
      const double whole = auc(rows.view());
      parallel_for(n_columns, threads_, [&](Index column) {
        Matrix shuffled = rows;
        RandomStream stream(seed_, RandomPurpose::resampling, static_cast<std::uint64_t>(column));
        for (Index i = rows.n_rows() - 1; i > 0; --i)
          std::swap(shuffled(i, column),
                    shuffled(static_cast<Index>(stream.uniform() * static_cast<double>(i + 1)), column));
        result_.importance[at(column)] += block.weight() / total * (whole - auc(shuffled.view()));
      });
    }
  }

  /// About `n` of the rows, with labeled and unlabeled ones in the shares that they have.
  static TestBlock thinned(const TestBlock& block, Index n) {
    TestBlock some;
    const Index step = std::max<Index>(1, static_cast<Index>(block.rows.size()) / n);
    std::array<Index, 2> seen{};
    for (std::size_t i = 0; i < block.rows.size(); ++i) {
      if (seen[at(block.is_labeled[i])]++ % step != 0) continue;
      some.rows.push_back(block.rows[i]);
      some.is_labeled.push_back(block.is_labeled[i]);
      some.lots.push_back(block.lots[i]);
    }
    return some;
  }

  DatasetView view_;
  std::uint64_t seed_;
  int threads_;
  Observer& observer_;
  std::vector<int> labels_; ///< 1: labeled, 0: not, missing_label: takes no part
  std::vector<int> fold_;
  std::vector<TestBlock> blocks_;
  LabelingTest result_;
};

} // namespace

LabelingTest test_labeling(const DatasetView& data, std::uint64_t seed, int threads, Observer& observer) {
  return LabelingTester(data, seed, threads, observer).run();
}

} // namespace lacuna
