#include "learning/trust_curve.hpp"

#include <gtest/gtest.h>

#include "lacuna/learning/learner.hpp"
#include "tests/learning/test_data.hpp"

namespace lacuna {
namespace {

TEST(TrustCurve, FallsFromKappaToNothing) {
  // One line parts the classes everywhere, and labels are missing on one side: extrapolation is right.
  const Dataset data = testing::drawn_rows(900, 2, 1, [](RandomStream& random, Index, std::span<double> row) {
    testing::draw_normal(random, row);
    return row[0] > 0.8 ? missing_label : row[1] > 0.0 ? 1 : 0;
  });
  LearningOptions options;
  const FitResult fit = fit_classifier(data, options);
  const std::vector<TrustPoint> curve = trust_curve(fit.classifier);
  ASSERT_GT(curve.size(), 1U);
  EXPECT_EQ(curve.front().depth, 0.0);
  EXPECT_EQ(curve.back().kept, 0.0);
  for (std::size_t i = 1; i < curve.size(); ++i) {
    EXPECT_LE(curve[i].kept, curve[i - 1].kept);
    // Where no gap was as deep it fades, and is gone six below.
    EXPECT_TRUE(curve[i].kept == 0.0 || curve[i].depth < fit.summary.stack.deepest + 6.0 + 1e-9);
  }
  options.trust = TrustForm::none;
  EXPECT_LE(trust_curve(fit_classifier(data, options).classifier).size(), 1U);
  options.conditional = ConditionalForm::densities;
  EXPECT_TRUE(trust_curve(fit_classifier(data, options).classifier).empty());
}

} // namespace
} // namespace lacuna
