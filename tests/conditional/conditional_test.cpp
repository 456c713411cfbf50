// What holds for every family, and for a stack of them.
#include "lacuna/conditional/conditional.hpp"

#include <map>

#include <gtest/gtest.h>

#include "core/index.hpp"
#include "tests/conditional/test_data.hpp"
#include "tests/expect_error.hpp"

namespace lacuna::testing {
namespace {

using test::expect_error;

/// A stack that learns its recipe from the data it is fitted to.
class StackFamily : public ConditionalFamily {
public:
  std::string name() const override { return "stack"; }
  std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                         const ConditionalFitContext& context) const override {
    return fit_stack(data, learn_stack(data, all_members(), 3, context), context);
  }
};

std::map<std::string, std::shared_ptr<const ConditionalFamily>> families() {
  return {{"logistic", std::make_shared<LogisticFamily>()},
          {"boosting", std::make_shared<BoostingFamily>(30)},
          {"forest", std::make_shared<ForestFamily>()},
          {"class_prior", std::make_shared<ClassPriorFamily>()},
          {"stack", std::make_shared<StackFamily>()}};
}

class EveryConditional : public ::testing::TestWithParam<std::string> {
protected:
  std::shared_ptr<const Conditional> fit(const DatasetView& data) const {
    return families().at(GetParam())->fit(data, {.seed = 1});
  }
};

void expect_probabilities(const Matrix& logs) {
  for (Index i = 0; i < logs.n_rows(); ++i) {
    double sum = 0.0;
    for (Index y = 0; y < logs.n_cols(); ++y) {
      EXPECT_TRUE(std::isfinite(logs(i, y)));
      EXPECT_GE(logs(i, y), std::log(least_probability) - 1e-9);
      sum += std::exp(logs(i, y));
    }
    EXPECT_NEAR(sum, 1.0, 1e-12);
  }
}

TEST_P(EveryConditional, GivesProbabilities) {
  for (const int n_classes : {2, 4}) {
    const Dataset data = mixed_table(300, n_classes, 1);
    const auto fitted = fit(data);
    EXPECT_EQ(fitted->n_features(), 5);
    EXPECT_EQ(fitted->n_classes(), n_classes);
    expect_probabilities(answers(*fitted, data.features.view()));
  }
}

TEST_P(EveryConditional, StaysFiniteFarAwayAndWithoutValues) {
  const auto fitted = fit(mixed_table(300, 3, 2));
  const Matrix rows(4, 5, {1e100,  -1e100, 1e100, 4, 39,  gap, gap, gap, gap, gap, //
                           -1e100, 0,      gap,   0, gap, 1e9, 1e9, 1e9, 0,   0});
  expect_probabilities(answers(*fitted, rows.view()));
}

TEST_P(EveryConditional, GivesAClassWithoutLabelsTheLeast) {
  Dataset data = mixed_table(300, 4, 3);
  for (int& label : data.labels)
    if (label == 2) label = missing_label;
  const Matrix logs = answers(*fit(data), data.features.view());
  for (Index i = 0; i < logs.n_rows(); ++i) EXPECT_NEAR(logs(i, 2), std::log(least_probability), 1e-9);
}

TEST_P(EveryConditional, IsSureOfTheOnlyClass) {
  Dataset data = mixed_table(60, 3, 4);
  for (int& label : data.labels)
    if (label != missing_label) label = 1;
  const Matrix logs = answers(*fit(data), data.features.view());
  for (Index i = 0; i < logs.n_rows(); ++i) EXPECT_NEAR(logs(i, 1), 0.0, 1e-9);
}

TEST_P(EveryConditional, ComesBackFromAnArchive) {
  const Dataset data = mixed_table(300, 3, 5);
  const auto fitted = fit(data);
  Archive archive;
  fitted->save(archive, "here/");
  const auto loaded = load_conditional(archive, "here/");
  EXPECT_EQ(loaded->family(), fitted->family());
  const Matrix before = answers(*fitted, data.features.view());
  const Matrix after = answers(*loaded, data.features.view());
  EXPECT_EQ(std::vector(before.values().begin(), before.values().end()),
            std::vector(after.values().begin(), after.values().end()));
}

/// Every tensor of the archive in turn is lost, misshapen, or has one of its values changed. What loads all
/// the same must answer with probabilities.
TEST_P(EveryConditional, RefusesADamagedArchive) {
  const Dataset data = mixed_table(120, 3, 6);
  Archive archive;
  fit(data)->save(archive, "");
  const auto load = [&](const std::string& name, const Tensor& tensor) {
    Archive damaged = archive;
    damaged.put(name, tensor);
    SCOPED_TRACE(name);
    try {
      expect_probabilities(answers(*load_conditional(damaged, ""), data.features.view().middle_rows(0, 20)));
    } catch (const Error& error) {
      EXPECT_EQ(static_cast<int>(error.kind()), static_cast<int>(ErrorKind::data)) << error.what();
    }
  };
  for (const auto& [name, tensor] : archive.tensors()) {
    Archive lost;
    for (const auto& [other, text] : archive.texts()) lost.put_text(other, text);
    for (const auto& [other, kept] : archive.tensors())
      if (other != name) lost.put(other, kept);
    expect_error(ErrorKind::data, {name}, [&] { load_conditional(lost, ""); });
    Archive misshapen = archive;
    misshapen.put(name, Matrix(2, 3));
    expect_error(ErrorKind::data, {name}, [&] { load_conditional(misshapen, ""); });
    const std::size_t size = tensor.values.size();
    for (const std::size_t place : {std::size_t{0}, size / 2, size - 1})
      for (const double value : {gap, -1.0, 0.0, 0.5, 1.0, 3.0, 1e9, 1e308, -1e308}) {
        if (place >= size) continue;
        Tensor changed = tensor;
        changed.values[place] = value;
        load(name, changed);
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Families, EveryConditional,
                         ::testing::Values("logistic", "boosting", "forest", "class_prior", "stack"),
                         [](const auto& test) { return test.param; });

class EveryMember : public EveryConditional {};

TEST_P(EveryMember, TakesWeightTwoForTheRowTwice) {
  // Few distinct values: among many, XGBoost's bins depend on ties.
  Dataset data = mixed_table(400, 3, 7);
  for (Index i = 0; i < data.n_rows(); ++i)
    for (Index j = 0; j < 3; ++j) data.features(i, j) = std::round(2.0 * data.features(i, j));
  const auto [twice, weighted] = doubled(data);
  EXPECT_LT(largest_difference(answers(*fit(twice), data.features.view()),
                               answers(*fit(weighted), data.features.view())),
            2e-5);
}

TEST_P(EveryMember, TakesWeightZeroForNoRow) {
  const Dataset all = mixed_table(300, 3, 8);
  Dataset weighted = all;
  Dataset hidden = all;
  for (std::size_t i = 0; i < all.labels.size(); ++i) {
    weighted.weights.push_back(i % 3 == 0 ? 0.0 : 1.0);
    if (i % 3 == 0) hidden.labels[i] = missing_label;
  }
  EXPECT_EQ(largest_difference(answers(*fit(weighted), all.features.view()),
                               answers(*fit(hidden), all.features.view())),
            0.0);
}

TEST_P(EveryMember, ForgetsShiftAndScaleOfNumbers) {
  const Dataset data = mixed_table(300, 3, 9);
  Dataset moved = data;
  for (Index i = 0; i < data.n_rows(); ++i)
    for (Index j = 0; j < 3; ++j) moved.features(i, j) = 4096.0 * data.features(i, j) - 1048576.0;
  // The shift costs digits: cells differ in the last bits of a float, and few of them cross a threshold.
  const Matrix here = answers(*fit(data), data.features.view());
  const Matrix there = answers(*fit(moved), moved.features.view());
  double sum = 0.0;
  for (std::size_t i = 0; i < here.values().size(); ++i)
    sum += std::abs(std::exp(here.values()[i]) - std::exp(there.values()[i]));
  EXPECT_LT(sum / static_cast<double>(here.values().size()), 1e-3);
}

TEST_P(EveryMember, NeedsALabel) {
  Dataset data = mixed_table(20, 2, 10);
  data.labels.assign(data.labels.size(), missing_label);
  expect_error(ErrorKind::data, {"label"}, [&] { fit(data); });
}

TEST_P(EveryMember, StopsWhenAsked) {
  class Impatient : public Observer {
    bool cancelled() const override { return true; }
  };
  if (GetParam() == "class_prior") return; // it is done before anyone could ask
  Impatient observer;
  expect_error(ErrorKind::interrupted, {}, [&] {
    families().at(GetParam())->fit(mixed_table(300, 3, 11), {.seed = 1, .observer = &observer});
  });
}

INSTANTIATE_TEST_SUITE_P(Families, EveryMember,
                         ::testing::Values("logistic", "boosting", "forest", "class_prior"),
                         [](const auto& test) { return test.param; });

TEST(ClassPrior, IsTheWeightedShareOfTheLabels) {
  Dataset data;
  data.features = Matrix(4, 1, {1, 2, 3, 4});
  data.class_names = {"a", "b", "c"};
  data.labels = {0, 0, 1, missing_label};
  data.weights = {1.0, 2.5, 1.0, 9.0};
  // Any shares, half a row more for each class that has one, or equal ones: by the likelihoods of both.
  constexpr double pi = 3.14159265358979323846;
  const double any = std::tgamma(4.0) * std::tgamma(1.5) / (pi * std::tgamma(5.5));
  const double equal = std::pow(0.5, 4.5) / (std::pow(0.5, 4.5) + any);
  const Matrix logs = answers(*ClassPriorFamily().fit(data, {}), data.features.view());
  for (Index i = 0; i < 4; ++i) {
    EXPECT_NEAR(std::exp(logs(i, 0)), 0.5 * equal + (1.0 - equal) * 4.0 / 5.5, 1e-11);
    EXPECT_NEAR(std::exp(logs(i, 1)), 0.5 * equal + (1.0 - equal) * 1.5 / 5.5, 1e-11);
  }
}

TEST(ClassPrior, DoubtsSmallDifferences) {
  const auto share_of_first = [](Index n, Index n_first) {
    Dataset data;
    data.features = Matrix(n, 1);
    data.class_names = {"a", "b"};
    for (Index i = 0; i < n; ++i) data.labels.push_back(i < n_first ? 0 : 1);
    return std::exp(answers(*ClassPriorFamily().fit(data, {}), data.features.view())(0, 0));
  };
  EXPECT_NEAR(share_of_first(200, 107), 0.5, 0.005);  // one standard error from one half
  EXPECT_NEAR(share_of_first(200, 150), 0.75, 0.003); // seven
  EXPECT_NEAR(share_of_first(20000, 10700), 0.535, 1e-4);
}

/// A user's own: always the first class, as far as it may.
class First : public Conditional {
public:
  explicit First(ConditionalFacts facts) : Conditional(std::move(facts)) {}
  void log_probability(MatrixView rows, std::span<double> out) const override {
    for (Index i = 0; i < rows.n_rows * n_classes(); ++i)
      out[at(i)] =
          i % n_classes() == 0 ? std::log(0.9) : std::log(0.1 / static_cast<double>(n_classes() - 1));
  }

private:
  void save_parts(Archive& archive, const std::string& prefix) const override {
    archive.put(prefix + "x", 1.0);
  }
};

TEST(Conditional, KnowsTheUsersOwn) {
  const ConditionalLoader loader = [](const Archive&, const std::string&, ConditionalFacts facts) {
    return std::make_shared<First>(std::move(facts));
  };
  Archive archive;
  First({"own first", 2, 3}).save(archive, "p/");
  expect_error(ErrorKind::data, {"own first", "logistic"}, [&] { load_conditional(archive, "p/"); });
  register_conditional({"own first", loader});
  EXPECT_EQ(load_conditional(archive, "p/")->n_classes(), 3);
  expect_error(ErrorKind::usage, {"own first", "already"}, [&] {
    register_conditional({"own first", loader});
  });
  expect_error(ErrorKind::usage, {"logistic"}, [&] { register_conditional({"logistic", loader}); });
  expect_error(ErrorKind::usage, {"name"}, [&] { register_conditional({"", loader}); });
  expect_error(ErrorKind::usage, {"loads"}, [&] { register_conditional({"x", {}}); });
}

} // namespace
} // namespace lacuna::testing
