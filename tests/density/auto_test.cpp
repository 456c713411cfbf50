// As many components as the evidence favours (docs/math/vb-mixture.md, section 11).

#include <algorithm>
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "density/own_families.hpp"
#include "density/split_proposals.hpp"
#include "density/vb_mixture.hpp"
#include "tests/density/test_data.hpp"

namespace lacuna::auto_test {
namespace {

using testing::log_densities;
using testing::random_blobs;

VbMixtureOptions auto_options(WeightPrior prior = WeightPrior::dirichlet) {
  VbMixtureOptions options;
  options.components = std::nullopt;
  options.weight_prior = prior;
  return options;
}

std::shared_ptr<const VbMixture> fit(const Matrix& rows, const VbMixtureOptions& options,
                                     const DensityFitContext& context = {},
                                     std::span<const double> weights = {}) {
  return std::dynamic_pointer_cast<const VbMixture>(
      VbMixtureFamily(options).fit(WeightedRows(rows.view(), weights), context));
}

/// Blobs of unit spread on a lattice of four columns, ten standard deviations from their neighbours; the last
/// feature tells the rows of the lattice apart.
Matrix lattice(std::uint64_t seed, Index n_rows, Index n_features, Index n_blobs) {
  RandomStream random(seed, RandomPurpose::simulation);
  Matrix rows(n_rows, n_features);
  for (Index i = 0; i < n_rows; ++i) {
    const Index blob = i % n_blobs;
    for (Index j = 0; j < n_features; ++j) {
      const Index place = j == 0 ? blob % 4 : (j == 1 ? blob / 4 : 0);
      rows(i, j) = 10.0 * static_cast<double>(place) + random.normal();
    }
  }
  return rows;
}

/// With clusters ten standard deviations apart the chance that the evidence favours another number is far
/// below one in a million; what can go wrong is the search.
TEST(AutoCapacitySlow, FindsTheNumberOfSeparateBlobs) {
  for (const Index n_blobs : {1, 2, 3, 5, 8, 12})
    for (const Index d : {2, 3})
      for (const WeightPrior prior : {WeightPrior::dirichlet, WeightPrior::stick_breaking})
        for (std::uint64_t seed = 0; seed < 5; ++seed) {
          DensityFitContext context;
          context.seed = seed;
          const Matrix rows = lattice(seed, 100 * n_blobs + 100, d, n_blobs);
          const auto mixture = fit(rows, auto_options(prior), context);
          EXPECT_EQ(mixture->summary().n_components, n_blobs) << d << " features, seed " << seed;
          EXPECT_EQ(mixture->prior().n_components, n_blobs);
        }
}

Matrix ring(Index n_rows) {
  RandomStream random(9, RandomPurpose::simulation);
  Matrix rows(n_rows, 2);
  for (Index i = 0; i < n_rows; ++i) {
    const double angle = 6.283 * random.uniform();
    rows(i, 0) = 5.0 * std::cos(angle) + 0.3 * random.normal();
    rows(i, 1) = 5.0 * std::sin(angle) + 0.3 * random.normal();
  }
  return rows;
}

Matrix heavy_tails(Index n_rows) {
  RandomStream random(10, RandomPurpose::simulation);
  Matrix rows(n_rows, 2);
  for (double& v : rows.values()) v = std::exp(random.normal());
  return rows;
}

/// Numbers, a column of three categories, and gaps in all.
Matrix mixed() {
  Matrix rows = random_blobs(5, 800, 3, 4, 5.0);
  RandomStream random(5, RandomPurpose::simulation, 1);
  testing::add_categories_and_gaps(rows, 0.2, random);
  return rows;
}

struct Problem {
  const char* name;
  Matrix rows;
  std::vector<Index> levels;
  std::vector<double> weights;
};

std::vector<Problem> problems() {
  std::vector<double> weights;
  for (Index i = 0; i < 1000; ++i) weights.push_back(static_cast<double>(i % 3));
  return {{"lattice", lattice(3, 1000, 2, 9), {}, {}},
          {"one", lattice(4, 500, 2, 1), {}, {}},
          {"few", lattice(6, 60, 2, 5), {}, {}},
          {"blobs", random_blobs(7, 1000, 5, 10, 3.0), {}, {}},
          {"wide", random_blobs(8, 400, 8, 4, 2.0), {}, {}},
          {"ring", ring(1500), {}, {}},
          {"tails", heavy_tails(1500), {}, {}},
          {"mixed", mixed(), {0, 0, 3}, {}},
          {"weights", random_blobs(11, 1000, 3, 6, 3.0), {}, weights}};
}

TEST(AutoCapacitySlow, BoundNeverFallsAndEndsNoLowerThanThatOfSevenComponents) {
  for (const Problem& problem : problems())
    for (const CovarianceType type :
         {CovarianceType::full, CovarianceType::tied, CovarianceType::diagonal, CovarianceType::spherical})
      for (const WeightPrior prior : {WeightPrior::dirichlet, WeightPrior::stick_breaking}) {
        DensityFitContext context;
        context.levels = problem.levels;
        VbMixtureOptions options = auto_options(prior);
        options.covariance = type;
        const auto found = fit(problem.rows, options, context, problem.weights);
        options.components = 7;
        const auto seven = fit(problem.rows, options, context, problem.weights);
        const std::vector<double>& history = found->summary().history;
        for (std::size_t i = 1; i < history.size(); ++i)
          EXPECT_GE(history[i], history[i - 1] - 1e-9 * std::abs(history[i])) << problem.name;
        // At the end, components that the evidence favours by less than 0.1 nats may go.
        EXPECT_GE(found->summary().objective, seven->summary().objective - 0.1)
            << problem.name << ", covariance " << static_cast<int>(type) << ", prior "
            << static_cast<int>(prior);
      }
}

TEST(AutoCapacity, KeepsItsCapacityFromAWarmStartAndInASingleStep) {
  const Matrix rows = lattice(2, 600, 2, 9);
  const auto start = fit(rows, auto_options());
  DensityFitContext context;
  context.warm_start = start.get();
  for (const bool single : {false, true}) {
    context.single_step = single;
    const auto next = fit(rows, auto_options(), context);
    EXPECT_EQ(next->summary().n_components, 9);
    EXPECT_EQ(next->prior().n_components, start->prior().n_components);
    testing::expect_near(log_densities(*start, rows), log_densities(*next, rows), 0.05);
  }
}

TEST(AutoCapacity, OrderOfBlocksAndMemoryMakeNoDifference) {
  class Halves : public RowSource {
  public:
    explicit Halves(MatrixView rows) : rows_(rows) {}
    void rewind() override { at_ = 0; }
    std::optional<WeightedRows> next() override {
      if (at_ == rows_.n_rows) return std::nullopt;
      const Index first = std::exchange(at_, at_ == 0 ? rows_.n_rows / 2 : rows_.n_rows);
      return WeightedRows(rows_.middle_rows(first, at_ - first));
    }

  private:
    MatrixView rows_;
    Index at_ = 0;
  };
  const Matrix rows = random_blobs(12, 900, 3, 9, 4.0);
  Halves halves(rows.view());
  const auto whole = fit(rows, auto_options());
  const auto streamed = VbMixtureFamily(auto_options()).fit_blocks(halves, {});
  EXPECT_EQ(whole->summary().n_components, streamed->summary().n_components);
  EXPECT_NEAR(whole->summary().objective, streamed->summary().objective,
              1e-9 * std::abs(whole->summary().objective));
}

/// Two blobs that one component covers: the proposed cut goes between them, whatever else varies more.
TEST(SplitProposals, FindTwoClustersInTheMetricOfTheComponent) {
  RandomStream random(1, RandomPurpose::simulation);
  Matrix rows(400, 3);
  for (Index i = 0; i < 400; ++i) {
    rows(i, 0) = (i < 100 ? -3.0 : 3.0) + 0.3 * random.normal();
    rows(i, 1) = 100.0 * random.normal();
    rows(i, 2) = random.normal() + 0.01 * rows(i, 1);
  }
  VbMixtureOptions options;
  options.components = 1;
  const auto one = fit(rows, options);
  const WeightedRows all(rows.view());
  const MixtureTerms terms = make_terms(one->prior(), one->posterior(), DensityForm::expected_log);
  const MixtureMoments moments = collect_moments(all, one->frame(), terms, 1, silent_observer());
  const std::vector<SplitProposal> proposals = propose_splits(all, one->frame(), terms, moments);
  ASSERT_EQ(proposals.size(), 1U);
  const MixtureMoments& halves = proposals[0].halves;
  EXPECT_NEAR(std::min(halves.zeroth[0], halves.zeroth[1]), 100.0, 1e-9);
  EXPECT_NEAR(std::max(halves.zeroth[0], halves.zeroth[1]), 300.0, 1e-9);
  EXPECT_GT(proposals[0].score, 0.0);
  // Both halves together are the component.
  const MixtureMoments split = split_component(moments, proposals[0]);
  ASSERT_EQ(split.n_components(), 2);
  const MixtureMoments merged = merge_components(split, 1, 0);
  EXPECT_NEAR(merged.zeroth[0], moments.zeroth[0], 1e-9);
  for (std::size_t i = 0; i < merged.second.values().size(); ++i)
    EXPECT_NEAR(merged.second.values()[i], moments.second.values()[i], 1e-9 * 400.0);
}

TEST(AutoCapacity, ExtremeRowsGiveFiniteAnswers) {
  for (const Matrix& rows : {Matrix(1, 2), Matrix(50, 2), random_blobs(1, 3, 4, 1, 1.0)}) {
    const auto mixture = fit(rows, auto_options());
    for (const double v : log_densities(*mixture, rows)) EXPECT_TRUE(std::isfinite(v));
  }
}

} // namespace
} // namespace lacuna::auto_test
