// mcar-em: an EM around the densities' own fits, which climb one bound together (docs/math/classifier.md,
// section 7).

#include <array>
#include <limits>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "lacuna/learning/learner.hpp"
#include "tests/learning/test_data.hpp"

namespace lacuna::em_test {
namespace {

/// Three classes that overlap in `d` features, few of their rows labeled, a share of the values missing.
Dataset overlapping_classes(std::uint64_t seed, Index n, Index labeled, Index d, double missing) {
  Dataset data;
  data.features = Matrix(n, d);
  data.class_names = {"a", "b", "c"};
  RandomStream random(seed, RandomPurpose::simulation);
  for (Index j = 0; j < d; ++j) data.feature_names.push_back("x" + std::to_string(j));
  for (Index i = 0; i < n; ++i) {
    const auto y = static_cast<double>(i % 3);
    for (Index j = 0; j < d; ++j) {
      data.features(i, j) = (j == 0 ? 1.5 * y : 0.0) + (1.0 + 0.4 * y) * random.normal();
      if (random.uniform() < missing) data.features(i, j) = std::numeric_limits<double>::quiet_NaN();
    }
    data.labels.push_back(i < labeled ? static_cast<int>(i % 3) : missing_label);
  }
  return data;
}

/// Shares of rows below a millionth are left out, which can cost about as much per row.
void expect_rising(const std::vector<double>& history, const std::string& what) {
  ASSERT_GT(history.size(), 5U) << what;
  for (std::size_t i = 1; i < history.size(); ++i)
    EXPECT_GE(history[i], history[i - 1] - 1e-6) << what << ", round " << i;
  EXPECT_GT(history.back(), history.front()) << what;
}

LearningOptions many_rounds(DensityOptions density) {
  LearningOptions options;
  options.method = Method::mcar_em;
  options.max_em_iterations = 40;
  options.em_tolerance = 0.0;
  options.density = std::move(density);
  return options;
}

TEST(LabelEm, TheBoundNeverFalls) {
  for (std::uint64_t problem = 0; problem < 24; ++problem) {
    VbMixtureOptions vb;
    vb.components = 1 + static_cast<Index>(problem % 5);
    vb.covariance = std::array{CovarianceType::full, CovarianceType::tied, CovarianceType::diagonal,
                               CovarianceType::spherical}[problem % 4];
    vb.weight_prior = problem % 3 == 0 ? WeightPrior::stick_breaking : WeightPrior::dirichlet;
    const Dataset data =
        overlapping_classes(problem, 400, 18 + static_cast<Index>(problem),
                            1 + static_cast<Index>(problem % 6), problem % 2 == 0 ? 0.0 : 0.2);
    const FitResult fit = fit_classifier(data, many_rounds(vb));
    expect_rising(fit.summary.em_history, "problem " + std::to_string(problem));
  }
}

TEST(LabelEm, TheLikelihoodNeverFalls) {
  for (std::uint64_t problem = 0; problem < 8; ++problem) {
    GmmOptions gmm;
    gmm.components = 1 + static_cast<Index>(problem % 3);
    const Dataset data = overlapping_classes(problem, 400, 30, 1 + static_cast<Index>(problem % 4), 0.0);
    const FitResult fit = fit_classifier(data, many_rounds(gmm));
    expect_rising(fit.summary.em_history, "problem " + std::to_string(problem));
  }
}

} // namespace
} // namespace lacuna::em_test
