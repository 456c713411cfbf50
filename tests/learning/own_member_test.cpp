// Members of the user's own in a stack: they are fitted and judged like the others, in folds and in gaps.

#include <array>
#include <atomic>
#include <cmath>

#include <gtest/gtest.h>

#include "tests/expect_error.hpp"
#include "tests/learning/test_data.hpp"

namespace lacuna::own_member_test {
namespace {

using test::expect_error;

/// Knows nothing but the sign of x1 x2, which no straight line and no single Gaussian does.
class Sign : public Conditional {
public:
  Sign(Index n_features, Index n_classes, double sure)
      : Conditional({"sign", n_features, n_classes}), sure_(sure) {}
  void log_probability(MatrixView rows, std::span<double> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) {
      const double* const row = rows.row(static_cast<Index>(i) / 2);
      out[i] = std::log((row[0] * row[1] > 0.0) == (i % 2 == 1) ? sure_ : 1.0 - sure_);
    }
  }

private:
  void save_parts(Archive& archive, const std::string& prefix) const override {
    archive.put(prefix + "sure", sure_);
  }
  double sure_;
};

struct Calls {
  std::atomic<int> n_fits = 0;
  std::atomic<int> n_whole = 0; ///< fits that saw all labels
};

class SignFamily : public ConditionalFamily {
public:
  explicit SignFamily(double sure, Index n_labeled = 0, Calls* calls = nullptr)
      : sure_(sure), n_labeled_(n_labeled), calls_(calls) {}
  std::string name() const override { return "sign"; }
  std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                         const ConditionalFitContext& context) const override {
    EXPECT_EQ(context.threads, 1);
    if (calls_ != nullptr) {
      ++calls_->n_fits;
      Index n_labeled = 0;
      for (const int label : data.labels) n_labeled += label == missing_label ? 0 : 1;
      EXPECT_GT(n_labeled, 0);
      if (n_labeled == n_labeled_) ++calls_->n_whole;
    }
    return std::make_shared<Sign>(data.n_features(), data.n_classes(), sure_);
  }

private:
  double sure_;
  Index n_labeled_;
  Calls* calls_;
};

/// The class is the sign of x1 x2, but for one row in ten; the first `n_labeled` rows have labels.
Dataset signs(Index n, Index n_labeled) {
  return testing::drawn_rows(n, 2, 1, [&](RandomStream& random, Index i, std::span<double> row) {
    testing::draw_normal(random, row);
    const bool is_noise = random.uniform() < 0.1;
    return i >= n_labeled ? missing_label : static_cast<int>((row[0] * row[1] > 0.0) != is_noise);
  });
}

LearningOptions with(ConditionalMembers members) {
  LearningOptions options;
  options.conditional = ConditionalForm::stack;
  options.density = VbMixtureOptions{.components = 1};
  options.draws = Index{1};
  options.threads = 1;
  options.members = std::move(members);
  return options;
}

TEST(OwnMember, ThatIsRightHasMostOfTheWeight) {
  const FitResult fit = fit_classifier(signs(400, 100), with({std::make_shared<SignFamily>(0.7)}));
  const MemberRecord& own = fit.summary.stack.members.back();
  EXPECT_EQ(own.name, "sign");
  EXPECT_GT(own.weight, 0.6);
  // A rule that is right in nine of ten rows is calibrated to say so, whatever it said itself.
  EXPECT_NEAR(own.log_likelihood, 0.9 * std::log(0.9) + 0.1 * std::log(0.1), 0.1);
}

TEST(OwnMember, ThatKnowsNothingChangesLittle) {
  const Dataset data = testing::two_classes(400, 100, 0);
  const FitResult without = fit_classifier(data, with({}));
  const FitResult fit = fit_classifier(data, with({std::make_shared<SignFamily>(0.9)}));
  ASSERT_EQ(fit.summary.stack.members.size(), without.summary.stack.members.size() + 1);
  EXPECT_LT(fit.summary.stack.members.back().weight, 0.1);
  // The others have the folds and seeds that they have without it.
  for (std::size_t j = 0; j < without.summary.stack.members.size(); ++j)
    EXPECT_EQ(fit.summary.stack.members[j].log_likelihood, without.summary.stack.members[j].log_likelihood);
}

TEST(OwnMember, IsFittedInFoldsInTheEndAndInGapsOnTwoThreads) {
  const Dataset data = signs(300, 90);
  Calls one;
  LearningOptions options = with({std::make_shared<SignFamily>(0.8, 90, &one)});
  const FitResult fit = fit_classifier(data, options);
  EXPECT_EQ(one.n_whole.load(), 1);
  EXPECT_EQ(one.n_fits.load(), options.folds + 1 + static_cast<int>(fit.summary.stack.gaps.size()));
  EXPECT_GT(fit.summary.stack.gaps.size(), 0U);

  Calls two;
  options.members = {std::make_shared<SignFamily>(0.8, 90, &two)};
  options.threads = 2;
  const FitResult again = fit_classifier(data, options);
  EXPECT_EQ(one.n_fits.load(), two.n_fits.load());
  EXPECT_EQ(fit.classifier.score(data.features.view(), 1).error_probability,
            again.classifier.score(data.features.view(), 2).error_probability);
}

TEST(OwnMember, ComesBackFromAnArchiveOnceItIsRegistered) {
  const Dataset data = signs(300, 90);
  const FitResult fit = fit_classifier(data, with({std::make_shared<SignFamily>(0.8)}));
  Archive archive;
  fit.classifier.save(archive, "m/");
  expect_error(ErrorKind::data, {"sign"}, [&] { GenerativeClassifier::load(archive, "m/"); });
  register_conditional({"sign",
                        [](const Archive& saved, const std::string& prefix,
                           const ConditionalFacts& facts) -> std::shared_ptr<const Conditional> {
                          return std::make_shared<Sign>(facts.n_features, facts.n_classes,
                                                        saved.number(prefix + "sure"));
                        }});
  EXPECT_EQ(GenerativeClassifier::load(archive, "m/").score(data.features.view(), 1).error_probability,
            fit.classifier.score(data.features.view(), 1).error_probability);
}

TEST(OwnMember, SeveralMethodsTakeItToo) {
  const FitResult alone = fit_classifier(signs(300, 90), with({std::make_shared<SignFamily>(0.8)}));
  const auto fits = fit_classifiers(signs(300, 90), with({std::make_shared<SignFamily>(0.8)}),
                                    std::array{Method::supervised, Method::mar});
  EXPECT_TRUE(fits[0].summary.stack.members.empty());
  EXPECT_EQ(fits[1].summary.stack.log_likelihood, alone.summary.stack.log_likelihood);
}

/// Fits what it is given.
class Given : public ConditionalFamily {
public:
  explicit Given(std::shared_ptr<const Conditional> fitted) : fitted_(std::move(fitted)) {}
  std::string name() const override { return "given"; }
  std::shared_ptr<const Conditional> fit(const DatasetView& /*data*/,
                                         const ConditionalFitContext& /*context*/) const override {
    return fitted_;
  }

private:
  std::shared_ptr<const Conditional> fitted_;
};

TEST(OwnMember, ThatIsBrokenIsNamed) {
  const Dataset data = signs(200, 60);
  const auto expect_broken = [&](ConditionalMembers members, const std::vector<std::string>& words) {
    expect_error(ErrorKind::usage, words, [&] { fit_classifier(data, with(std::move(members))); });
  };
  expect_broken({std::make_shared<Given>(nullptr)}, {"'given'", "gave nothing"});
  expect_broken({std::make_shared<Given>(std::make_shared<Sign>(2, 3, 0.8))}, {"'given'", "other"});
  expect_broken({std::make_shared<Given>(std::make_shared<Sign>(3, 2, 0.8))}, {"'given'", "other"});
  expect_broken({std::make_shared<SignFamily>(1.0)}, {"'sign'", "not finite"});
  expect_broken({nullptr}, {"members", "null"});
  LearningOptions options = with({std::make_shared<SignFamily>(0.8)});
  options.conditional = ConditionalForm::densities;
  expect_error(ErrorKind::usage, {"conditional", "stack"}, [&] { fit_classifier(data, options); });
}

} // namespace
} // namespace lacuna::own_member_test
