#include "conditional/mixing_weights.hpp"

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "core/index.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna::testing {
namespace {

Matrix random_likelihoods(Index n, Index n_members, std::uint64_t seed) {
  Matrix likelihoods(n, n_members);
  RandomStream random(seed, RandomPurpose::simulation);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n_members; ++j)
      likelihoods(i, j) = std::pow(random.uniform(), 1.0 + static_cast<double>(j));
  return likelihoods;
}

TEST(Mixing, EndsAtTheMaximum) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Matrix likelihoods = random_likelihoods(50, 4, seed);
    std::vector<double> weights;
    for (int i = 0; i < 50; ++i) weights.push_back(0.5 + (i % 4));
    const MixedLikelihoods rows{likelihoods.view(), weights};
    const std::vector<double> mixing = fit_mixing(rows);
    EXPECT_NEAR(std::accumulate(mixing.begin(), mixing.end(), 0.0), 1.0, 1e-12);
    const double best = mixing_objective(rows, mixing);
    for (std::size_t from = 0; from < 4; ++from)
      for (std::size_t to = 0; to < 4; ++to) {
        if (from == to) continue;
        std::vector<double> moved = mixing;
        const double step = 0.01 * moved[from];
        moved[from] -= step;
        moved[to] += step;
        EXPECT_LT(mixing_objective(rows, moved), best);
      }
  }
}

TEST(Mixing, IsWhereStepsOfEmLeaveIt) {
  // Won rows over all rows are the weights themselves at the maximum: EM, written here again, stays there.
  const Index n = 400;
  const Matrix likelihoods = random_likelihoods(n, 5, 3);
  const std::vector<double> weights(at(n), 1.0);
  const std::vector<double> mixing = fit_mixing({likelihoods.view(), weights});
  std::vector<double> won(5, 0.5);
  for (Index i = 0; i < n; ++i) {
    double sum = 0.0;
    for (std::size_t j = 0; j < 5; ++j) sum += mixing[j] * likelihoods.row(i)[j];
    for (std::size_t j = 0; j < 5; ++j) won[j] += mixing[j] * likelihoods.row(i)[j] / sum;
  }
  for (std::size_t j = 0; j < 5; ++j) EXPECT_NEAR(won[j] / (static_cast<double>(n) + 2.5), mixing[j], 1e-6);
}

TEST(Mixing, FewRowsDoNotChooseByLuck) {
  // The first member is better in three rows out of three, and would get all weight by likelihood alone; with
  // 3000 such rows it may have it. With three the objective is level where 3 (.7 - .5) / (.5 + .2 pi) + .5 /
  // pi
  // - .5 / (1 - pi) = 0.
  const auto first_weight = [](Index n) {
    Matrix likelihoods(n, 2);
    for (Index i = 0; i < n; ++i) {
      likelihoods(i, 0) = 0.7;
      likelihoods(i, 1) = 0.5;
    }
    const std::vector<double> weights(at(n), 1.0);
    return fit_mixing({likelihoods.view(), weights})[0];
  };
  EXPECT_EQ(first_weight(0), 0.5);
  const double few = first_weight(3);
  EXPECT_NEAR(0.6 / (0.5 + 0.2 * few) + 0.5 / few - 0.5 / (1.0 - few), 0.0, 1e-5);
  EXPECT_LT(few, 0.75);
  EXPECT_GT(first_weight(3000), 0.99);
}

} // namespace
} // namespace lacuna::testing
