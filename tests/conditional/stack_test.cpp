#include "conditional/stack.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <set>

#include <gtest/gtest.h>

#include "core/index.hpp"
#include "data/folds.hpp"
#include "tests/conditional/test_data.hpp"

namespace lacuna::testing {
namespace {

TEST(Folds, AreEvenInEveryClass) {
  const Dataset data = mixed_table(500, 4, 1);
  const std::vector<int> folds = deal_folds(data, 4, 7);
  std::vector<std::vector<int>> counts(4, std::vector<int>(4));
  for (std::size_t i = 0; i < folds.size(); ++i) {
    EXPECT_EQ(folds[i] == -1, data.labels[i] == missing_label);
    if (folds[i] >= 0) ++counts[static_cast<std::size_t>(data.labels[i])][static_cast<std::size_t>(folds[i])];
  }
  for (const std::vector<int>& of_class : counts)
    EXPECT_LE(*std::max_element(of_class.begin(), of_class.end()),
              *std::min_element(of_class.begin(), of_class.end()) + 1);
}

/// Remembers what it was shown, and answers with certainty for rows whose label it saw: their first feature
/// is their number. Others get the second class.
class Memory : public ConditionalFamily {
public:
  class Fitted : public Conditional {
  public:
    Fitted(const DatasetView& data) : Conditional({"memory", data.n_features(), data.n_classes()}) {
      for (Index i = 0; i < data.n_rows(); ++i)
        if (data.is_labeled(i)) seen_.insert(data.features(i, 0));
    }
    void log_probability(MatrixView rows, std::span<double> out) const override {
      for (Index i = 0; i < rows.n_rows; ++i)
        for (Index y = 0; y < n_classes(); ++y) {
          const Index sure = seen_.contains(rows(i, 0)) ? 0 : 1;
          out[at(i * n_classes() + y)] =
              std::log(y == sure ? 0.9 : 0.1 / static_cast<double>(n_classes() - 1));
        }
    }

  private:
    void save_parts(Archive&, const std::string&) const override {}
    std::set<double> seen_;
  };
  std::string name() const override { return "memory"; }
  std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                         const ConditionalFitContext&) const override {
    return std::make_shared<Fitted>(data);
  }
};

TEST(Stack, NoMemberSeesTheLabelItIsAskedFor) {
  Dataset data = mixed_table(200, 3, 2);
  for (Index i = 0; i < data.n_rows(); ++i) data.features(i, 0) = static_cast<double>(i);
  const StackRecipe recipe = learn_stack(data, {std::make_shared<Memory>()}, 4, {.seed = 1});
  ASSERT_EQ(recipe.rows.size(), 100U);
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(recipe.rows[i], static_cast<Index>(2 * i));
  std::vector<double> unseen{std::log(0.05), std::log(0.9), std::log(0.05)};
  recipe.calibration[0].apply(unseen);
  recipe.mixed.apply(unseen);
  for (Index i = 0; i < 100; ++i)
    for (Index y = 0; y < 3; ++y) EXPECT_NEAR(recipe.out_of_fold(i, y), std::exp(unseen[at(y)]), 1e-12);
}

TEST(Stack, LearnsNothingFromNoise) {
  // 200 labels of each of two classes, 20 seeds. If no row's answer knows its label, the 8000 answers are
  // right as often as coins: .5 + .025 is 4.5 standard errors (1 in 10^5 runs; folds are stratified, which
  // makes it less). Members and calibrations that are hardly better than the prior do not count.
  double n_right = 0.0;
  double largest = 0.0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Dataset data = noise_table(400, 5, 2, seed);
    const StackRecipe recipe = learn_stack(data, all_members(), 4, {.seed = seed});
    for (Index i = 0; i < 400; ++i) {
      const int guess = recipe.out_of_fold(i, 1) > recipe.out_of_fold(i, 0) ? 1 : 0;
      n_right += guess == data.labels[at(i)] ? 1.0 : 0.0;
      largest += std::max(recipe.out_of_fold(i, 0), recipe.out_of_fold(i, 1));
    }
    EXPECT_GT(recipe.log_likelihood, std::log(0.5) - 0.01); // never much worse than knowing nothing
  }
  EXPECT_LT(n_right / 8000.0, 0.525);
  EXPECT_LT(largest / 8000.0, 0.505);
}

/// Classes around a circle, one label each in turn.
Dataset circle_table(Index n, int n_classes, std::uint64_t seed) {
  Dataset data = noise_table(n, 2, n_classes, seed);
  for (Index i = 0; i < n; ++i) {
    const double angle = 2.0 * std::numbers::pi * data.labels[at(i)] / n_classes;
    data.features(i, 0) += 0.9 * std::cos(angle);
    data.features(i, 1) += 0.9 * std::sin(angle);
  }
  return data;
}

TEST(Stack, FewLabelsOfManyClassesStillSpeak) {
  // Five labels of each of six classes, 20 seeds. The price of features does not grow with the classes, else
  // most of these tables would be taken for noise.
  double trusted = 0.0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Dataset data = circle_table(30, 6, seed);
    const ConditionalMembers members = {std::make_shared<LogisticFamily>(),
                                        std::make_shared<ClassPriorFamily>()};
    trusted += learn_stack(data, members, 5, {.seed = seed}).weights[0] / 20.0;
  }
  EXPECT_GT(trusted, 0.5);
}

TEST(Stack, WhoseFeaturesAreDoubtedStillGuessesByThem) {
  // One feature that is right a little more often than a coin, for 40 labels: no reason to announce much, but
  // a guess by it beats one by the shares of two equally frequent classes.
  double n_right = 0.0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto table = [](Index n, std::uint64_t key) {
      Dataset data = noise_table(n, 1, 2, key);
      for (Index i = 0; i < n; ++i) data.features(i, 0) += data.labels[at(i)] == 0 ? -0.5 : 0.5;
      return data;
    };
    const Dataset data = table(40, seed);
    const ConditionalMembers members = {std::make_shared<LogisticFamily>(),
                                        std::make_shared<ClassPriorFamily>()};
    const Dataset fresh = table(1000, 1000 + seed);
    const auto stack = fit_stack(data, learn_stack(data, members, 5, {.seed = seed}), {.seed = seed});
    EXPECT_EQ(stack->members().size(), 2U) << seed;
    const Matrix found = answers(*stack, fresh.features.view());
    for (Index i = 0; i < fresh.n_rows(); ++i)
      n_right += (found(i, 1) > found(i, 0) ? 1 : 0) == fresh.labels[at(i)] ? 1.0 : 0.0;
  }
  EXPECT_GT(n_right / 20000.0, 0.6); // the best rule: .69; a coin: .5
}

TEST(Stack, IsAtLeastAsLikelyAsItsMembers) {
  const Dataset data = mixed_table(1000, 3, 3);
  const StackRecipe recipe = learn_stack(data, all_members(), 4, {.seed = 1});
  ASSERT_EQ(recipe.member_log_likelihood.size(), 4U);
  double sum = 0.0;
  for (std::size_t j = 0; j < 4; ++j) {
    // The prior on the weights costs at most what half a row per member says.
    EXPECT_GT(recipe.log_likelihood, recipe.member_log_likelihood[j] - 0.01);
    sum += recipe.weights[j];
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_GT(recipe.log_likelihood, recipe.member_log_likelihood[3] + 0.1); // the class prior knows little
}

TEST(Stack, ThreadsChangeNoBit) {
  const Dataset data = mixed_table(300, 3, 4);
  const auto run = [&](int threads) {
    const ConditionalFitContext context{.seed = 5, .threads = threads};
    const StackRecipe recipe = learn_stack(data, all_members(), 4, context);
    const Matrix out = answers(*fit_stack(data, recipe, context), data.features.view());
    std::vector<double> bits(recipe.out_of_fold.values().begin(), recipe.out_of_fold.values().end());
    bits.insert(bits.end(), recipe.weights.begin(), recipe.weights.end());
    bits.insert(bits.end(), out.values().begin(), out.values().end());
    return bits;
  };
  const std::vector<double> one = run(1);
  EXPECT_EQ(one, run(2));
  EXPECT_EQ(one, run(5));
}

TEST(Stack, MixesItsCalibratedMembers) {
  const Dataset data = mixed_table(300, 3, 5);
  const StackRecipe recipe = learn_stack(data, all_members(), 4, {});
  const auto stack = fit_stack(data, recipe, {});
  Matrix out(data.n_rows(), 3);
  std::vector<Matrix> by_member;
  stack->log_probability(data.features.view(), out.values(), by_member);
  ASSERT_EQ(by_member.size(), stack->members().size());
  for (Index i = 0; i < data.n_rows(); ++i) {
    std::vector<double> mixed(3);
    for (Index y = 0; y < 3; ++y) {
      double sum = 0.0;
      for (std::size_t j = 0; j < by_member.size(); ++j)
        sum += stack->members()[j].weight * std::exp(by_member[j](i, y));
      mixed[at(y)] = std::log(sum);
    }
    stack->mixed().apply(mixed);
    for (Index y = 0; y < 3; ++y) EXPECT_NEAR(std::exp(out(i, y)), std::exp(mixed[at(y)]), 1e-12);
  }
  EXPECT_EQ(stack->members()[0].name, "logistic");
}

TEST(Stack, LeavesOutMembersThatCountForNothing) {
  const Dataset data = mixed_table(200, 3, 6);
  StackRecipe recipe = learn_stack(data, all_members(), 4, {});
  recipe.weights = {0.75, 0.25 - 0.0008, 0.0005, 0.0003};
  const auto stack = fit_stack(data, recipe, {});
  ASSERT_EQ(stack->members().size(), 2U);
  EXPECT_NEAR(stack->members()[0].weight + stack->members()[1].weight, 1.0, 1e-15);
}

TEST(Stack, KeepsItsRecipeThroughOtherLabels) {
  // A gap: the labels of a whole class are hidden. No slope, however flat, lifts it.
  const Dataset data = mixed_table(400, 3, 7);
  StackRecipe recipe = learn_stack(data, all_members(), 4, {});
  for (Calibration& calibration : recipe.calibration) calibration.slope = 0.05;
  Dataset gapped = data;
  for (int& label : gapped.labels)
    if (label == 1) label = missing_label;
  const Matrix logs = answers(*fit_stack(gapped, recipe, {}), data.features.view());
  for (Index i = 0; i < logs.n_rows(); ++i) EXPECT_NEAR(logs(i, 1), std::log(least_probability), 1e-9);
}

TEST(Stack, AClassOfOneRowIsNotJudged) {
  Dataset data = mixed_table(200, 3, 8);
  int n_left = 1;
  for (int& label : data.labels)
    if (label == 2 && n_left-- <= 0) label = missing_label;
  const StackRecipe recipe = learn_stack(data, all_members(), 4, {});
  for (std::size_t i = 0; i < recipe.rows.size(); ++i) {
    const bool is_single = data.labels[at(recipe.rows[i])] == 2;
    EXPECT_EQ(recipe.judged[i], !is_single);
    if (is_single) {
      EXPECT_LT(recipe.out_of_fold(static_cast<Index>(i), 2), 1e-11);
    }
  }
  for (const Calibration& calibration : recipe.calibration) EXPECT_GT(calibration.slope, 0.2);
}

TEST(Stack, TakesASingleLabel) {
  Dataset data = mixed_table(50, 2, 9);
  data.labels.assign(50, missing_label);
  data.labels[10] = 1;
  const StackRecipe recipe = learn_stack(data, all_members(), 4, {});
  // Nobody could be judged: all are alike, but for the doubt whether features matter.
  for (std::size_t j = 1; j < 3; ++j) EXPECT_NEAR(recipe.weights[0], recipe.weights[j], 1e-12);
  EXPECT_GT(recipe.weights[3], recipe.weights[0]);
  EXPECT_NEAR(answers(*fit_stack(data, recipe, {}), data.features.view())(0, 1), 0.0, 1e-9);
}

TEST(Stack, WeightsOfRowsMoveThoseOfMembers) {
  // The first member is right in the first half, the second in the second half.
  class Half : public ConditionalFamily {
  public:
    class Fitted : public Conditional {
    public:
      Fitted(const DatasetView& data, bool first)
          : Conditional({"half", data.n_features(), data.n_classes()}), first_(first) {}
      void log_probability(MatrixView rows, std::span<double> out) const override {
        for (Index i = 0; i < rows.n_rows; ++i) {
          const bool knows = (rows(i, 0) < 0.5) == first_;
          const double p = knows ? (rows(i, 1) > 0.0 ? 0.9 : 0.1) : 0.5;
          out[at(2 * i)] = std::log1p(-p);
          out[at(2 * i + 1)] = std::log(p);
        }
      }

    private:
      void save_parts(Archive&, const std::string&) const override {}
      bool first_;
    };
    explicit Half(bool first) : first_(first) {}
    std::string name() const override { return "half"; }
    std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                           const ConditionalFitContext&) const override {
      return std::make_shared<Fitted>(data, first_);
    }

  private:
    bool first_;
  };
  Dataset data;
  data.features = Matrix(400, 2);
  data.class_names = {"a", "b"};
  RandomStream random(1, RandomPurpose::simulation);
  for (Index i = 0; i < 400; ++i) {
    data.features(i, 0) = i < 200 ? 0.0 : 1.0;
    data.features(i, 1) = i % 2 == 0 ? -1.0 : 1.0;
    data.labels.push_back((random.uniform() < 0.9) == (i % 2 == 1) ? 1 : 0);
  }
  const ConditionalMembers members{std::make_shared<Half>(true), std::make_shared<Half>(false)};
  EXPECT_NEAR(learn_stack(data, members, 4, {}).weights[1], 0.5, 0.15);
  for (Index i = 0; i < 400; ++i) data.weights.push_back(i < 200 ? 0.1 : 1.9);
  EXPECT_GT(learn_stack(data, members, 4, {}).weights[1], 0.8);
}

} // namespace
} // namespace lacuna::testing
