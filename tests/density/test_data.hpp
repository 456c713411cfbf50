#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <vector>

#include <gtest/gtest.h>

#include "lacuna/core/matrix.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/density/families.hpp"

namespace lacuna::testing {

inline constexpr CovarianceType all_types[] = {CovarianceType::full, CovarianceType::tied,
                                               CovarianceType::diagonal, CovarianceType::spherical};

/// Rows from a few random Gaussian blobs.
inline Matrix random_blobs(std::uint64_t seed, Index n_rows, Index n_features, Index n_blobs,
                           double distance) {
  RandomStream random(seed, RandomPurpose::simulation);
  Matrix centers(n_blobs, n_features);
  Matrix spreads(n_blobs, n_features);
  for (double& c : centers.values()) c = distance * random.normal();
  for (double& s : spreads.values()) s = 0.3 + random.uniform();
  Matrix rows(n_rows, n_features);
  for (Index i = 0; i < n_rows; ++i) {
    const auto blob = static_cast<Index>(random.uniform() * static_cast<double>(n_blobs));
    double previous = 0.0; // correlates neighbouring features
    for (Index j = 0; j < n_features; ++j) {
      previous = spreads(blob, j) * random.normal() + 0.5 * previous;
      rows(i, j) = centers(blob, j) + previous;
    }
  }
  return rows;
}

inline std::vector<double> log_densities(const auto& density, const Matrix& rows) {
  std::vector<double> out(static_cast<std::size_t>(rows.n_rows()));
  density.log_density(rows.view(), out);
  return out;
}

/// Weights from 0 to 2, mean 1.
inline std::vector<double> random_weights(Index n_rows, RandomStream& random) {
  std::vector<double> weights;
  for (Index i = 0; i < n_rows; ++i) weights.push_back(2.0 * random.uniform());
  return weights;
}

/// 3 to 402 rows of 1 to 6 features; every fifth problem has weights.
struct RandomProblem {
  Matrix rows;
  std::vector<double> weights;

  RandomProblem(std::uint64_t number, RandomStream& random) {
    const auto n = static_cast<Index>(3 + random.uniform() * 400);
    const auto d = static_cast<Index>(1 + random.uniform() * 6);
    rows = random_blobs(number, n, d, 3, 3.0 * random.uniform());
    if (number % 5 == 0) weights = random_weights(n, random);
  }
};

/// Makes the last column one of three categories, and some cells of every column missing.
inline void add_categories_and_gaps(Matrix& rows, double missing, RandomStream& random) {
  for (Index i = 0; i < rows.n_rows(); ++i) {
    rows(i, rows.n_cols() - 1) = rows(i, 0) > 0.0 ? 1.0 : std::floor(3.0 * random.uniform());
    for (Index j = 0; j < rows.n_cols(); ++j)
      if (random.uniform() < missing) rows(i, j) = std::numeric_limits<double>::quiet_NaN();
  }
}

/// Every other row twice: as a weight, and as two rows.
struct RowsTwice {
  std::vector<double> weights; ///< of the rows as they were
  Matrix repeated;

  explicit RowsTwice(const Matrix& rows) {
    std::vector<double> values;
    for (Index i = 0; i < rows.n_rows(); ++i) {
      weights.push_back(i % 2 == 0 ? 2.0 : 1.0);
      for (int copy = 0; copy < static_cast<int>(weights.back()); ++copy)
        values.insert(values.end(), rows.row(i), rows.row(i) + rows.n_cols());
    }
    const auto n = static_cast<Index>(values.size()) / rows.n_cols();
    repeated = Matrix(n, rows.n_cols(), std::move(values));
  }
};

inline void expect_near(std::span<const double> a, std::span<const double> b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
}

/// The same objective, and the same density of each row.
inline void expect_same_fit(const auto& a, const auto& b, const Matrix& rows, double tolerance) {
  EXPECT_NEAR(a.summary().objective, b.summary().objective, tolerance);
  expect_near(log_densities(a, rows), log_densities(b, rows), tolerance);
}

/// What a fit maximises rises from iteration to iteration, but for the rounding of numbers as large as it, or
/// as `least`. Returns how many iterations there were to compare.
inline int expect_rising(std::span<const double> history, double least = 0.0) {
  for (std::size_t i = 1; i < history.size(); ++i)
    EXPECT_GE(history[i], history[i - 1] - 1e-10 * std::max(least, std::abs(history[i])))
        << "iteration " << i;
  return std::max(0, static_cast<int>(history.size()) - 1);
}

/// Fits so many random problems, each from its own stream, and expects every history to rise.
/// `history_of(problem, random)` fits one.
template <class HistoryOf>
void expect_rising_fits(std::uint64_t n_problems, std::uint64_t stream, HistoryOf history_of,
                        double least = 0.0) {
  int n_checked = 0;
  for (std::uint64_t problem = 0; problem < n_problems; ++problem) {
    RandomStream random(problem, RandomPurpose::simulation, stream);
    SCOPED_TRACE(problem);
    const std::vector<double> history = history_of(problem, random);
    n_checked += expect_rising(history, least);
  }
  EXPECT_GT(n_checked, 2000);
}

/// Every kind of mixture in turn, fitted until nothing moves.
inline VbMixtureOptions vb_options_of(std::uint64_t problem) {
  VbMixtureOptions options;
  options.covariance = all_types[problem % 4];
  options.weight_prior = problem / 4 % 2 == 0 ? WeightPrior::dirichlet : WeightPrior::stick_breaking;
  options.tolerance = 1e-9;
  return options;
}

/// The same options with a change to what both kinds of mixture have; others stay as they are.
template <class Change>
DensityOptions with_mixture(DensityOptions options, Change change) {
  if (auto* const vb = options.as<VbMixtureOptions>()) change(*vb);
  if (auto* const gmm = options.as<GmmOptions>()) change(*gmm);
  return options;
}

} // namespace lacuna::testing
