#include "conditional/mixing_weights.hpp"

#include <cmath>
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

TEST(Mixing, NeverFallsAndEndsAtTheMaximum) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Matrix likelihoods = random_likelihoods(50, 4, seed);
    std::vector<double> weights;
    for (int i = 0; i < 50; ++i) weights.push_back(0.5 + (i % 4));
    const MixedLikelihoods rows{likelihoods.view(), weights};
    const MixingFit fit = fit_mixing(rows);
    for (std::size_t step = 1; step < fit.history.size(); ++step)
      EXPECT_GE(fit.history[step], fit.history[step - 1] - 1e-10);
    const double best = mixing_objective(rows, fit.mixing);
    for (std::size_t from = 0; from < 4; ++from)
      for (std::size_t to = 0; to < 4; ++to) {
        if (from == to) continue;
        std::vector<double> moved = fit.mixing;
        const double step = 0.1 * moved[from];
        moved[from] -= step;
        moved[to] += step;
        EXPECT_LT(mixing_objective(rows, moved), best);
      }
  }
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
    return fit_mixing({likelihoods.view(), weights}).mixing[0];
  };
  EXPECT_EQ(first_weight(0), 0.5);
  const double few = first_weight(3);
  EXPECT_NEAR(0.6 / (0.5 + 0.2 * few) + 0.5 / few - 0.5 / (1.0 - few), 0.0, 1e-5);
  EXPECT_LT(few, 0.75);
  EXPECT_GT(first_weight(3000), 0.99);
}

} // namespace
} // namespace lacuna::testing
