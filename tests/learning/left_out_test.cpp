// A row of the fit is compared with densities that do not contain it, as fresh rows are
// (docs/math/classifier.md, section 2).

#include <algorithm>
#include <atomic>

#include <gtest/gtest.h>

#include "core/index.hpp"
#include "learning/density_member.hpp"
#include "learning/shared_models.hpp"
#include "tests/learning/test_data.hpp"

namespace lacuna::left_out_test {
namespace {

/// The same everywhere; what a row of the fit adds at its own place would hide that it is inside.
class Selfish : public Density {
public:
  Selfish() : Density({"selfish", 2, {}}) {}
  void log_density(MatrixView /*rows*/, std::span<double> out) const override {
    std::fill(out.begin(), out.end(), 0.0);
  }
  void log_density_left_out(MatrixView /*rows*/, std::span<const double> shares,
                            std::span<double> out) const override {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = shares[i] > 0.0 ? -1.0 : 0.0;
  }
  void sample(RandomStream&, std::span<double>) const override {}

private:
  void save_parts(Archive&, const std::string&) const override {}
};

class SelfishFamily : public DensityFamily {
public:
  std::shared_ptr<const Density> fit(const WeightedRows& rows, const DensityFitContext&) const override {
    most_rows = std::max<Index>(most_rows, rows.size());
    return std::make_shared<Selfish>();
  }
  mutable std::atomic<Index> most_rows = 0;
};

LearningOptions by_densities(ConditionalForm conditional) {
  LearningOptions options;
  options.conditional = conditional;
  options.region = Region::densities;
  options.trust = TrustForm::none;
  options.kappa = 0.5;
  options.draws = Index{2};
  return options;
}

TEST(LeftOut, AllTrainingRowsAreInside) {
  const Dataset data = testing::two_classes(60, 20, 0);
  const SelfishFamily family;
  for (const ConditionalForm conditional : {ConditionalForm::densities, ConditionalForm::stack}) {
    const FitSummary summary = fit_classifier(data, by_densities(conditional), family).summary;
    EXPECT_EQ(summary.informative_share, 1.0) << to_string(conditional);
    EXPECT_EQ(summary.informative_weight, 1.0) << to_string(conditional);
  }
}

TEST(LeftOut, AMemberOfAStackLearnsFromThem) {
  const Dataset data = testing::two_classes(60, 20, 0);
  const SelfishFamily family;
  const LearningOptions options = by_densities(ConditionalForm::stack);
  SharedModels shared(data, options, family, silent_observer());
  const DensityMember member(shared.fitter(), shared.initial(), 0);
  family.most_rows = 0;
  member.fit(data, {0, 1, &silent_observer()});
  EXPECT_EQ(family.most_rows, 10 + 40); // its own rows and a half of every unlabeled one
}

} // namespace
} // namespace lacuna::left_out_test
