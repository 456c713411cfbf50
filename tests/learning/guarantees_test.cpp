// What is promised beyond the error probability: sets of classes and answers with a bounded risk, in a world
// whose shares of labels are known, and on a fitted model.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "core/index.hpp"
#include "experiments/toys.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/learning/learner.hpp"
#include "learning/held_out_answers.hpp"
#include "tests/expect_error.hpp"

namespace lacuna::guarantees_test {
namespace {

using test::expect_error;
using Row = HeldOutAnswers::Row;

constexpr double infinity = std::numeric_limits<double>::infinity();

// A world in which x is uniform on (0, 1), two classes, and labels are common where errors are rare. The
// model announces too little.
double share_of_labels(double x) {
  return 0.05 + 0.9 * x;
}
double announced_error(double x) {
  return 0.4 * (1.0 - x);
}
double true_error(double x) {
  return 0.5 * (1.0 - x);
}

std::vector<Row> labeled_rows(std::uint64_t seed, std::size_t n, bool knows_shares = true) {
  RandomStream random(seed, RandomPurpose::simulation);
  std::vector<Row> rows;
  while (rows.size() < n) {
    const double x = random.uniform();
    if (random.uniform() > share_of_labels(x)) continue;
    Row row;
    row.error_probability = announced_error(x);
    row.is_wrong = random.uniform() < true_error(x);
    row.true_probability = row.is_wrong ? announced_error(x) : 1.0 - announced_error(x);
    row.log_share = knows_shares ? std::log(share_of_labels(x) / 0.5) : 0.0;
    rows.push_back(row);
  }
  return rows;
}

/// The mean over all x, by the midpoint rule.
template <class Value>
double mean_over_target(const Value& value) {
  constexpr int n = 400;
  double sum = 0.0;
  for (int i = 0; i < n; ++i) sum += value((i + 0.5) / n);
  return sum / n;
}

double coverage_of(const HeldOutAnswers& answers, const SetRequest& request, bool knows_shares = true) {
  return mean_over_target([&](double x) {
    const double log_share = knows_shares ? std::log(share_of_labels(x) / 0.5) : 0.0;
    const double threshold = answers.set_threshold(log_share, request);
    return (announced_error(x) <= threshold ? 1.0 - true_error(x) : 0.0) +
           (1.0 - announced_error(x) <= threshold ? true_error(x) : 0.0);
  });
}

TEST(SetThreshold, CoversAsPromisedWhereSharesAreKnown) {
  constexpr int n_runs = 500;
  for (const double coverage : {0.8, 0.9}) {
    double sum = 0.0;
    double squares = 0.0;
    double plain = 0.0;
    for (int run = 0; run < n_runs; ++run) {
      const double covered = coverage_of(HeldOutAnswers(labeled_rows(1 + run, 200)), {coverage});
      sum += covered;
      squares += covered * covered;
      plain += coverage_of(HeldOutAnswers(labeled_rows(1 + run, 200, false)), {coverage}, false) / n_runs;
    }
    const double mean = sum / n_runs;
    const double error = std::sqrt((squares / n_runs - mean * mean) / n_runs);
    // A false alarm has a chance of 3e-7 (five standard errors).
    EXPECT_GT(mean, coverage - 5.0 * error);
    EXPECT_LT(mean, coverage + 0.03);
    if (coverage == 0.8) {
      EXPECT_LT(plain, 0.75) << "without weights rows with few labels are forgotten";
    }
  }
}

TEST(SetThreshold, IsThatOfItsDefinition) {
  const std::vector<Row> rows = labeled_rows(7, 61);
  const HeldOutAnswers answers(rows);
  for (const double odds : {1.0, 1.5, 4.0})
    for (const double coverage : {0.1, 0.5, 0.8, 0.95})
      for (const double log_share : {-6.0, -1.0, 0.3}) {
        // The least score at which the worst weights within the odds still cover.
        double least = infinity;
        for (const Row& candidate : rows) {
          const double t = 1.0 - candidate.true_probability;
          double below = 0.0;
          double above = odds * std::exp(-log_share);
          for (const Row& row : rows) {
            const double weight = std::exp(-row.log_share);
            (1.0 - row.true_probability <= t ? below : above) +=
                1.0 - row.true_probability <= t ? weight / odds : weight * odds;
          }
          if (below >= coverage * (below + above) * (1.0 + 1e-12)) least = std::min(least, t);
        }
        EXPECT_EQ(answers.set_threshold(log_share, {coverage, odds}), least) << odds << ' ' << coverage;
      }
}

TEST(SetThreshold, CountsAWeightOfTwoAsTwoRows) {
  std::vector<Row> once = labeled_rows(3, 50);
  std::vector<Row> twice = once;
  once[4].weight = 2.0;
  twice.push_back(once[4]);
  twice.back().weight = 1.0;
  for (const double coverage : {0.3, 0.8, 0.9})
    EXPECT_EQ(HeldOutAnswers(once).set_threshold(0.1, {coverage}),
              HeldOutAnswers(twice).set_threshold(0.1, {coverage}));
}

TEST(SetThreshold, HasAllClassesWhereLabelsAreTooScarceToPromise) {
  const HeldOutAnswers answers(labeled_rows(5, 100));
  EXPECT_LT(answers.set_threshold(0.0, {0.9}), 1.0);
  EXPECT_EQ(answers.set_threshold(-20.0, {0.9}), infinity);
  EXPECT_EQ(answers.set_threshold(-1e6, {0.9}), infinity);
  EXPECT_EQ(HeldOutAnswers(labeled_rows(5, 8)).set_threshold(0.0, {0.9}), infinity) << "8 rows show no 90 %";
}

/// The share of wrong ones among the accepted rows of the target, and how many are accepted.
struct Accepted {
  double risk = 0.0;
  double share = 0.0;
};

Accepted accepted_of(const Acceptance& rule) {
  const auto is_accepted = [&](double x) {
    return announced_error(x) <= rule.threshold && std::log(share_of_labels(x) / 0.5) >= rule.least_log_share
               ? 1.0
               : 0.0;
  };
  const double share = mean_over_target(is_accepted);
  if (share == 0.0) return {};
  return {mean_over_target([&](double x) { return is_accepted(x) * true_error(x); }) / share, share};
}

TEST(Acceptance, KeepsTheRiskAsOftenAsItSays) {
  constexpr int n_runs = 400;
  const RiskRequest request{0.1, 0.9};
  int n_violated = 0;
  double answered = 0.0;
  for (int run = 0; run < n_runs; ++run) {
    const Accepted accepted = accepted_of(HeldOutAnswers(labeled_rows(1 + run, 4000)).acceptance(request));
    n_violated += accepted.risk > request.risk ? 1 : 0;
    answered += accepted.share / n_runs;
  }
  // Of 400 runs a tenth, 40, may fail; more than 70 have a chance of 1e-6.
  EXPECT_LE(n_violated, 70);
  EXPECT_GT(answered, 0.2) << "the best rule answers four tenths";
}

TEST(Acceptance, AnswersNothingWhereNothingIsShown) {
  std::vector<Row> rows = labeled_rows(2, 300);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i].is_wrong = i % 2 == 0;
  EXPECT_LT(HeldOutAnswers(rows).acceptance({0.05, 0.95}).threshold, 0.0);
  EXPECT_LT(HeldOutAnswers(labeled_rows(2, 10)).acceptance({0.05, 0.95}).threshold, 0.0);
  EXPECT_LT(HeldOutAnswers().acceptance({0.05, 0.95}).threshold, 0.0);
}

TEST(Acceptance, AnswersMoreAtALargerRisk) {
  const HeldOutAnswers answers(labeled_rows(11, 2000));
  double last = -1.0;
  for (const double risk : {0.02, 0.05, 0.1, 0.2, 0.4}) {
    const Acceptance rule = answers.acceptance({risk, 0.95});
    EXPECT_GE(rule.threshold, last);
    EXPECT_LE(static_cast<double>(rule.n_wrong), risk * static_cast<double>(rule.n_tested));
    last = rule.threshold;
  }
  EXPECT_GT(last, 0.3);
}

TEST(HeldOutAnswers, AreTheSameFromAnArchive) {
  const HeldOutAnswers answers(labeled_rows(1, 300));
  Archive archive;
  answers.save(archive, "x/");
  const HeldOutAnswers read = HeldOutAnswers::load(archive, "x/").value();
  EXPECT_EQ(read.set_threshold(0.2, {0.9, 1.5}), answers.set_threshold(0.2, {0.9, 1.5}));
  EXPECT_EQ(read.acceptance({0.1, 0.9}).threshold, answers.acceptance({0.1, 0.9}).threshold);
  EXPECT_FALSE(HeldOutAnswers::load(Archive(), "x/"));
  Archive of_none;
  HeldOutAnswers().save(of_none, "x/");
  EXPECT_EQ(HeldOutAnswers::load(of_none, "x/").value().set_threshold(0.0, {0.9}), infinity);

  const auto damaged = [&](const std::string& name, double value) {
    Archive other = archive;
    std::vector<double> values = other.tensor("x/" + name).values;
    values[1] = value;
    other.put("x/" + name, values);
    expect_error(ErrorKind::data, {"damaged"}, [&] { HeldOutAnswers::load(other, "x/"); });
  };
  for (const char* name : {"score", "error_probability", "wrong", "log_weight", "user_weight", "lot"})
    for (const double value : {-1.0, std::nan(""), infinity})
      if (std::string(name) != "log_weight" || value != -1.0) damaged(name, value);
}

TEST(WorstErrorProbability, FlipsThePredictionWhereItSays) {
  EXPECT_EQ(worst_error_probability(0.2, 1.0), 0.2);
  EXPECT_NEAR(worst_error_probability(0.2, 4.0), 0.5, 1e-15);
  EXPECT_EQ(worst_error_probability(0.0, 100.0), 0.0);
  EXPECT_EQ(worst_error_probability(1.0, 3.0), 1.0);
  // Two classes: at the odds that flip, the worst error probability is a half.
  const std::vector<double> p = {0.15, 0.85};
  EXPECT_NEAR(worst_error_probability(0.15, odds_that_flip(p, 1)), 0.5, 1e-15);
  EXPECT_EQ(odds_that_flip(std::vector{1.0, 0.0}, 0), infinity);
  EXPECT_NEAR(odds_that_flip(std::vector{0.5, 0.3, 0.2}, 0), 5.0 / 3.0, 1e-15);
}

LearningOptions stacked() {
  LearningOptions options;
  options.conditional = ConditionalForm::stack;
  options.threads = 2;
  return options;
}

TEST(Guarantees, HaveAllClassesAndAcceptNothingOutside) {
  const Dataset data = make_toy("quadrants", 0).train;
  const GenerativeClassifier classifier = fit_classifier(data, stacked()).classifier;
  const Scores scores = classifier.score(data.features.view(), 2);
  const std::vector<char> sets = prediction_sets(classifier, scores, {0.9});
  const std::vector<char> wider = prediction_sets(classifier, scores, {0.9, 3.0});
  const Acceptance rule = acceptance(classifier, {0.05, 0.95});
  const std::size_t n_classes = at(classifier.n_classes());
  Index n_accepted = 0;
  Index n_single = 0;
  for (std::size_t i = 0; i < scores.prediction.size(); ++i) {
    const auto begin = sets.begin() + static_cast<std::ptrdiff_t>(i * n_classes);
    const auto size = std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(n_classes), 0);
    ASSERT_EQ(sets[i * n_classes + at(scores.prediction[i])], 1);
    if (scores.informative[i] == 0) {
      ASSERT_EQ(size, static_cast<int>(n_classes));
      ASSERT_FALSE(rule.accepts(scores, i));
    }
    for (std::size_t y = 0; y < n_classes; ++y)
      ASSERT_GE(wider[i * n_classes + y], sets[i * n_classes + y]) << "more doubt, larger sets";
    n_accepted += rule.accepts(scores, i) ? 1 : 0;
    n_single += size == 1 ? 1 : 0;
  }
  EXPECT_GT(n_accepted, 400);
  EXPECT_GT(n_single, 400);
}

TEST(Guarantees, AreOfNothingWhereNoLabeledRowLiesInside) {
  LearningOptions options = stacked();
  options.kappa = 100.0;
  const Dataset data = make_toy("quadrants", 0).train;
  const GenerativeClassifier classifier = fit_classifier(data, options).classifier;
  const Scores scores = classifier.score(data.features.view(), 2);
  const std::vector<char> sets = prediction_sets(classifier, scores, {0.9});
  EXPECT_EQ(std::count(sets.begin(), sets.end(), char{1}), static_cast<Index>(sets.size()));
  EXPECT_LT(acceptance(classifier, {}).threshold, 0.0);
}

TEST(Guarantees, AreOfModelsThatHeldLabelsOut) {
  LearningOptions options = stacked();
  options.conditional = ConditionalForm::densities;
  const Dataset data = make_toy("quadrants", 0).train;
  const GenerativeClassifier classifier = fit_classifier(data, options).classifier;
  const Scores scores = classifier.score(data.features.view(), 1);
  expect_error(ErrorKind::usage, {"no held-out answers"},
               [&] { prediction_sets(classifier, scores, {0.9}); });
  expect_error(ErrorKind::usage, {"no held-out answers"}, [&] { acceptance(classifier, {}); });
}

TEST(Guarantees, AreAskedForWithinLimits) {
  const Dataset data = make_toy("quadrants", 0).train;
  const GenerativeClassifier classifier = fit_classifier(data, stacked()).classifier;
  const Scores scores = classifier.score(data.features.view(), 1);
  for (const double coverage : {0.0, 1.0, -0.5, std::nan("")})
    expect_error(ErrorKind::usage, {"sets"}, [&] { prediction_sets(classifier, scores, {coverage}); });
  for (const double odds : {0.5, infinity, std::nan("")})
    expect_error(ErrorKind::usage, {"sensitivity"}, [&] {
      prediction_sets(classifier, scores, {0.9, odds});
    });
  expect_error(ErrorKind::usage, {"risk"}, [&] { acceptance(classifier, {0.0, 0.95}); });
  expect_error(ErrorKind::usage, {"confidence"}, [&] { acceptance(classifier, {0.05, 1.0}); });
}

} // namespace
} // namespace lacuna::guarantees_test
