// The kernel density estimate against plain sums (docs/math/kde.md).

#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "density/kde.hpp"
#include "density/own_families.hpp"
#include "math/special.hpp"
#include "tests/density/test_data.hpp"

namespace lacuna::kde_test {
namespace {

using testing::log_densities;
using testing::random_blobs;

std::shared_ptr<const Kde> fit(const Matrix& rows, const KdeOptions& options,
                               std::span<const double> weights = {}) {
  return std::dynamic_pointer_cast<const Kde>(KdeFamily(options).fit(WeightedRows(rows.view(), weights), {}));
}

double plain_log_sum(const KdeTree& tree, const double* query, double precision, Index left_out) {
  std::vector<double> terms;
  std::vector<double> x(static_cast<std::size_t>(tree.n_features()));
  for (Index i = 0; i < tree.n_points(); ++i) {
    if (i == left_out) continue;
    tree.point(i, x.data());
    double distance = 0.0;
    for (std::size_t j = 0; j < x.size(); ++j) distance += (x[j] - query[j]) * (x[j] - query[j]);
    terms.push_back(std::log(tree.weight(i)) - 0.5 * precision * distance);
  }
  return log_sum_exp(terms);
}

/// A tree of random points with random weights.
KdeTree random_tree(std::uint64_t seed, Index n, Index d, double distance) {
  const Matrix points = random_blobs(seed, n, d, 4, distance);
  RandomStream random(seed, RandomPurpose::simulation, 77);
  Matrix ordered(n, d);
  std::vector<double> weights;
  double total = 0.0;
  Index to = 0;
  for (const Index i : leaf_order(points)) {
    std::copy_n(points.row(i), d, ordered.row(to++));
    weights.push_back(seed % 3 == 0 ? 1.0 : random.gamma(0.3) + 1e-12);
    total += weights.back();
  }
  for (double& w : weights) w /= total;
  return {ordered, weights};
}

TEST(KdeTree, ManySumsAreThoseOfEach) {
  for (const Index n : {1, 65, 20000}) {
    const KdeTree tree = random_tree(3, n, 3, 2.0);
    const Matrix rows = random_blobs(4, 300, 3, 4, 2.0);
    std::vector<KdeTree::Question> questions;
    for (Index i = 0; i < rows.n_rows(); ++i)
      questions.push_back({rows.row(i), i % 2 == 0 ? 1.0 : 30.0,
                           i % 3 == 0 && n > 1 ? tree.nearest(rows.row(i)) : KdeTree::none});
    std::vector<double> together(questions.size());
    tree.log_sums(questions, 1e-4, together);
    KdeTree::Scratch scratch;
    for (std::size_t i = 0; i < questions.size(); ++i)
      EXPECT_EQ(together[i], tree.log_sum(questions[i].point, 1e-4, scratch, questions[i].precision,
                                          questions[i].left_out));
  }
}

TEST(KdeTree, StaysInsideItsBound) {
  double worst = 0.0;
  int n_approximate = 0;
  for (std::uint64_t problem = 0; problem < 120; ++problem) {
    RandomStream random(problem, RandomPurpose::simulation, 55);
    const auto n = static_cast<Index>(problem % 10 == 0 ? 1.0 + static_cast<double>(problem)
                                                        : std::exp(5.0 + 4.0 * random.uniform()));
    const auto d = static_cast<Index>(1 + random.uniform() * 7);
    const KdeTree tree = random_tree(problem, n, d, 10.0 * random.uniform());
    const double precision = std::exp(4.0 * random.uniform() - 1.0);
    const double tolerance = problem % 4 == 0 ? 0.0 : std::pow(10.0, -1.0 - 7.0 * random.uniform());
    KdeTree::Scratch scratch;
    std::vector<double> query(static_cast<std::size_t>(d));
    for (int q = 0; q < 30; ++q) {
      // Near the points, in the tails, and far from everything.
      const double reach = q % 3 == 0 ? 2.0 : (q % 3 == 1 ? 8.0 : 3000.0);
      for (double& x : query) x = reach * random.normal();
      const double expected = plain_log_sum(tree, query.data(), precision, KdeTree::none);
      const double found = tree.log_sum(query.data(), tolerance, scratch, precision);
      const double rounding = 1e-13 * (10.0 + std::abs(expected));
      const double error = std::abs(std::expm1(found - expected));
      ASSERT_LE(error, tolerance + rounding) << "problem " << problem << " query " << q;
      if (error > 10.0 * rounding) ++n_approximate;
      if (rounding < 0.01 * tolerance) worst = std::max(worst, error / tolerance);
    }
  }
  EXPECT_GT(n_approximate, 200) << "nothing was approximated, so nothing was tested";
  EXPECT_LE(worst, 1.01);
}

TEST(KdeTree, LeavesARowOut) {
  for (std::uint64_t problem = 0; problem < 30; ++problem) {
    RandomStream random(problem, RandomPurpose::simulation, 56);
    const auto n = static_cast<Index>(2 + std::exp(7.0 * random.uniform()));
    const KdeTree tree = random_tree(problem, n, 3, 5.0);
    KdeTree::Scratch scratch;
    double query[3];
    for (Index i = 0; i < n; i += 1 + n / 20) {
      tree.point(i, query);
      for (const double precision : {0.1, 1.0, 300.0})
        EXPECT_NEAR(tree.log_sum(query, 1e-6, scratch, precision, i),
                    plain_log_sum(tree, query, precision, i), 1.1e-6)
            << "problem " << problem << " row " << i;
    }
  }
}

TEST(KdeTree, FindsTheNearestPoint) {
  for (std::uint64_t problem = 0; problem < 40; ++problem) {
    RandomStream random(problem, RandomPurpose::simulation, 57);
    const auto n = static_cast<Index>(1 + std::exp(8.0 * random.uniform()));
    const auto d = static_cast<Index>(1 + random.uniform() * 9);
    const KdeTree tree = random_tree(problem, n, d, 10.0 * random.uniform());
    std::vector<double> query(static_cast<std::size_t>(d));
    std::vector<double> x(query.size());
    for (int q = 0; q < 20; ++q) {
      const auto distance = [&](Index i) {
        tree.point(i, x.data());
        double sum = 0.0;
        for (std::size_t j = 0; j < x.size(); ++j) sum += (x[j] - query[j]) * (x[j] - query[j]);
        return sum;
      };
      if (q % 2 == 0) tree.point(static_cast<Index>(random.uniform() * static_cast<double>(n)), query.data());
      if (q % 4 != 0)
        for (double& v : query) v += (q % 4 == 2 ? 1e-13 : 5.0) * random.normal();
      double least = distance(0);
      for (Index i = 1; i < n; ++i) least = std::min(least, distance(i));
      EXPECT_NEAR(distance(tree.nearest(query.data())), least, 1e-12 * least) << problem << " " << q;
    }
  }
}

TEST(KdeDensity, ARowOfTheFitCanBeLeftOut) {
  // Against the kernels of the other rows with the same bandwidth matrix. Some rows stand there twice, some
  // have weights, and one lies far from all others, where its own kernel is all there is.
  Matrix rows = random_blobs(4, 300, 8, 3, 2.0);
  std::copy_n(rows.row(0), 8, rows.row(1));
  std::copy_n(rows.row(2), 8, rows.row(3));
  for (Index j = 0; j < 8; ++j) rows(4, j) += 15.0;
  RandomStream random(4, RandomPurpose::simulation, 58);
  std::vector<double> weights = testing::random_weights(300, random);
  weights[2] = weights[3] = 1.0;
  KdeOptions options;
  options.kde_tolerance = 1e-8;
  const auto model = fit(rows, options, weights);
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::vector<double> shares;
  for (const double w : weights) shares.push_back(w / total);
  shares[10] = 0.0; // said not to be one of them
  std::vector<double> found(300);
  model->log_density_left_out(rows.view(), shares, found);
  const std::vector<double> with_all = log_densities(*model, rows);
  EXPECT_EQ(found[10], with_all[10]);
  const double one_kernel = with_all[4] - std::log(shares[4]);
  for (std::size_t i = 0; i < 300; ++i) {
    if (i == 10) continue;
    // p(x_i) is its own kernel and those of the others: the kernel at its centre is the same for all rows.
    const double own = shares[i] * std::exp(one_kernel);
    const double others = (std::exp(with_all[i]) - own) / (1.0 - shares[i]);
    if (others > 1e-4 * own) {
      EXPECT_NEAR(found[i], std::log(others), 2e-4) << i;
    }
    EXPECT_LT(found[i], with_all[i]) << i;
  }
  EXPECT_LT(found[4], with_all[4] - 20.0); // nothing but itself is there
  const auto alone = fit(random_blobs(5, 1, 2, 1, 0.0), options);
  const Matrix row = random_blobs(5, 1, 2, 1, 0.0);
  double value = 0.0;
  alone->log_density_left_out(row.view(), std::vector<double>{1.0}, {&value, 1});
  EXPECT_EQ(value, log_densities(*alone, row)[0]);
}

TEST(KdeDensity, IsTheSumOfItsKernels) {
  const Matrix rows = random_blobs(2, 200, 2, 3, 2.0);
  KdeOptions options;
  options.kde_tolerance = 0.0;
  options.kde_bandwidth = KdeBandwidth::scott;
  const auto model = fit(rows, options);
  EXPECT_NEAR(model->bandwidth_factor(), std::pow(200.0, -1.0 / 6.0), 1e-12);
  // H from the sample covariance, and the density from its definition.
  double mean[2] = {};
  double c[3] = {};
  for (Index i = 0; i < 200; ++i)
    for (Index j = 0; j < 2; ++j) mean[j] += rows(i, j) / 200.0;
  for (Index i = 0; i < 200; ++i) {
    const double a = rows(i, 0) - mean[0];
    const double b = rows(i, 1) - mean[1];
    c[0] += a * a / 199.0;
    c[1] += a * b / 199.0;
    c[2] += b * b / 199.0;
  }
  const double h2 = std::pow(200.0, -2.0 / 6.0);
  const double determinant = h2 * h2 * (c[0] * c[2] - c[1] * c[1]);
  const std::vector<double> found = log_densities(*model, rows);
  for (Index q = 0; q < 200; ++q) {
    double sum = 0.0;
    for (Index i = 0; i < 200; ++i) {
      const double a = rows(i, 0) - rows(q, 0);
      const double b = rows(i, 1) - rows(q, 1);
      const double quadratic = h2 * (c[2] * a * a - 2.0 * c[1] * a * b + c[0] * b * b) / determinant;
      sum += std::exp(-0.5 * quadratic) / 200.0;
    }
    EXPECT_NEAR(found[static_cast<std::size_t>(q)],
                std::log(sum) - std::log(2.0 * std::numbers::pi) - 0.5 * std::log(determinant), 1e-10);
  }
}

TEST(KdeFit, LikelihoodWidthIsTheBestOfAFineGrid) {
  for (const std::uint64_t seed : {1U, 2U, 3U}) {
    const Matrix rows = random_blobs(seed, 300, 2, 3, 3.0);
    const auto model = fit(rows, {});
    const KdeTree& tree = model->tree();
    const auto leave_one_out = [&](double width) {
      double sum = 0.0;
      double x[2];
      for (Index i = 0; i < tree.n_points(); ++i) {
        tree.point(i, x);
        sum += plain_log_sum(tree, x, 1.0 / (width * width), i) - std::log1p(-tree.weight(i));
      }
      return sum / static_cast<double>(tree.n_points()) - 2.0 * std::log(width);
    };
    double best = -1e300;
    double best_width = 0.0;
    for (double width = 0.5; width < 2.0; width *= 1.02)
      if (const double value = leave_one_out(width); value > best) {
        best = value;
        best_width = width;
      }
    EXPECT_NEAR(best_width, 1.0, 0.03) << "the tree is in units of the chosen width";
    EXPECT_GE(leave_one_out(1.0), best - 1e-5);
    // The summary says the likelihood itself: what the density adds to the tree's sums is the same for all
    // rows.
    double constant = 0.0;
    const std::vector<double> of_rows = log_densities(*model, rows);
    double x[2];
    for (Index i = 0; i < tree.n_points(); ++i) {
      tree.point(i, x);
      constant += (of_rows[static_cast<std::size_t>(i)] - plain_log_sum(tree, x, 1.0, KdeTree::none)) / 300.0;
    }
    EXPECT_NEAR(model->summary().objective, leave_one_out(1.0) + constant, 1e-3);
  }
}

// Without one row of three there are two left, which have a likelihood; without one of two there is a point.
TEST(KdeFit, ThreeRowsChooseAWidth) {
  EXPECT_GT(fit(Matrix(3, 1, {0.0, 1.0, 3.0}), {})->summary().n_iterations, 0);
  EXPECT_EQ(fit(Matrix(2, 1, {0.0, 1.0}), {})->summary().n_iterations, 0);
  EXPECT_EQ(fit(Matrix(4, 1, {0.0, 1.0, 1.0, 0.0}), {})->summary().n_iterations, 0);
}

/// Two rows with variance 2, averaged with the reference's 9 as if that came from D + 1 = 2 rows; Scott's
/// factor, because two rows cannot choose a width.
TEST(KdeFit, FewRowsBorrowVariance) {
  const Matrix rows(2, 1, {-1.0, 1.0});
  const std::vector<double> reference = {9.0};
  DensityFitContext context;
  context.reference_variance = reference;
  const auto density = KdeFamily(KdeOptions{}).fit(WeightedRows(rows.view()), context);
  const double variance = (2.0 * 2.0 + 2.0 * 9.0) / 4.0 * std::pow(2.0, -2.0 / 5.0);
  const double x = 0.0;
  double found = 0.0;
  density->log_density({&x, 1, 1}, {&found, 1});
  EXPECT_NEAR(found, -0.5 * (std::log(2.0 * std::numbers::pi * variance) + 1.0 / variance), 1e-9);
}

TEST(KdeFit, WeightsGiveTheEffectiveSampleSize) {
  const Matrix rows = random_blobs(4, 50, 1, 1, 1.0);
  std::vector<double> weights(50, 1.0);
  for (std::size_t i = 0; i < 25; ++i) weights[i] = 3.0;
  KdeOptions options;
  options.kde_bandwidth = KdeBandwidth::silverman;
  const double n = 100.0 * 100.0 / (25.0 * 9.0 + 25.0);
  const auto model = fit(rows, options, weights);
  EXPECT_NEAR(model->summary().measures.at("effective_sample_size"), n, 1e-9);
  EXPECT_NEAR(model->bandwidth_factor(), std::pow(n * 3.0 / 4.0, -0.2), 1e-12);
}

} // namespace
} // namespace lacuna::kde_test
