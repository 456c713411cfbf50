// The family dp-gmm: its conjugate parts against closed forms, and what it promises as a density
// (docs/math/dp-gmm.md). What every family promises is in density_families_test.cpp.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include <gtest/gtest.h>

#include "density/dp_mixture.hpp"
#include "density/dp_pairs.hpp"
#include "density/gmm.hpp"
#include "density/own_families.hpp"
#include "lacuna/core/errors.hpp"
#include "tests/density/test_data.hpp"
#include "tests/expect_error.hpp"

namespace lacuna::dp_mixture_test {
namespace {

using test::expect_error;
using testing::log_densities;
using testing::random_blobs;

DpMixtureOptions short_chain() {
  DpMixtureOptions options;
  options.dp_iterations = 120;
  options.dp_burn_in = 60;
  options.dp_draws = 10;
  return options;
}

std::shared_ptr<const Density> fit(const Matrix& rows, const DpMixtureOptions& options,
                                   std::span<const double> weights = {}, std::uint64_t seed = 0) {
  DensityFitContext context;
  context.seed = seed;
  context.threads = 1;
  return DpMixtureFamily(options).fit(WeightedRows(rows.view(), weights), context);
}

RowStatistics statistics(const Matrix& rows) {
  const auto d = static_cast<std::size_t>(rows.n_cols());
  RowStatistics result(std::vector<double>(rows.row(0), rows.row(0) + d));
  for (Index i = 0; i < rows.n_rows(); ++i) result.add({rows.row(i), d}, 1.0);
  return result;
}

NormalInverseWishart base_of(Index d) {
  return make_base(static_cast<std::size_t>(d), 0.4, static_cast<double>(d) + 2.0, 0.3);
}

TEST(DpConjugate, EvidenceIsTheChainOfPredictives) {
  for (const Index d : {1, 2, 5}) {
    const Matrix rows = random_blobs(3, 30, d, 2, 1.0);
    const auto size = static_cast<std::size_t>(d);
    const NormalInverseWishart base = base_of(d);
    RowStatistics so_far(std::vector<double>(size, 0.1));
    NormalInverseWishart current = base;
    double chain = 0.0;
    for (Index i = 0; i < rows.n_rows(); ++i) {
      chain += StudentPredictive(current).log_density(current, {rows.row(i), size});
      so_far.add({rows.row(i), size}, 1.0);
      current = update(base, so_far);
    }
    EXPECT_NEAR(log_evidence(base, current), chain, 1e-9 * std::abs(chain)) << d;
  }
}

// Bayes: prior times likelihood over evidence is the posterior, at any parameters.
TEST(DpConjugate, DensitiesObeyBayes) {
  for (const Index d : {1, 2, 4}) {
    const Matrix rows = random_blobs(5, 20, d, 1, 1.0);
    const NormalInverseWishart base = base_of(d);
    const RowStatistics all = statistics(rows);
    const NormalInverseWishart posterior = update(base, all);
    RandomStream random(1, RandomPurpose::simulation);
    for (int i = 0; i < 20; ++i) {
      const Normal normal = posterior.draw(random);
      const double expected =
          base.log_density(normal) + normal.log_likelihood(all) - log_evidence(base, posterior);
      EXPECT_NEAR(posterior.log_density(normal), expected, 1e-8) << d;
      EXPECT_LE(posterior.log_density(normal), posterior.largest_log_density(normal)) << d;
    }
  }
}

// E[Sigma^-1] = nu Psi^-1, E[mu] = m. 20000 draws; bounds are six standard errors or more.
TEST(DpConjugate, DrawsHaveTheRightMoments) {
  const Matrix rows = random_blobs(6, 40, 2, 2, 1.0);
  const NormalInverseWishart posterior = update(make_base(2, 0.4, 4.0, 0.3), statistics(rows));
  const Triangle& a = posterior.whitener; // Psi^-1 = A' A
  const double expected[3] = {a[0] * a[0] + a[1] * a[1], a[1] * a[2], a[2] * a[2]};
  RandomStream random(2, RandomPurpose::simulation);
  double precision[3] = {};
  double mean[2] = {};
  const int n = 20000;
  for (int i = 0; i < n; ++i) {
    const Normal normal = posterior.draw(random);
    const Triangle& r = normal.whitener;
    precision[0] += (r[0] * r[0] + r[1] * r[1]) / n;
    precision[1] += r[1] * r[2] / n;
    precision[2] += r[2] * r[2] / n;
    for (std::size_t j = 0; j < 2; ++j) mean[j] += normal.mean[j] / n;
  }
  const double scale = std::sqrt(expected[0] * expected[2]);
  for (int i = 0; i < 3; ++i)
    EXPECT_NEAR(precision[i], posterior.nu * expected[i], 0.01 * posterior.nu * scale);
  for (std::size_t j = 0; j < 2; ++j) EXPECT_NEAR(mean[j], posterior.mean[j], 0.02);
}

// The pair has the mean and covariance of one normal, which the density finds again.
TEST(DpConjugate, MatchedPairsHaveAFiniteDensity) {
  for (const Index d : {1, 2, 6}) {
    const Matrix rows = random_blobs(7, 50, d, 1, 1.0);
    const NormalInverseWishart base = base_of(d);
    const RowStatistics all = statistics(rows);
    RandomStream random(3, RandomPurpose::simulation);
    for (int i = 0; i < 50; ++i) {
      const auto pair = draw_matched_pair(update(base, all), random);
      ASSERT_TRUE(pair.has_value());
      EXPECT_NEAR(std::exp(pair->log_share[0]) + std::exp(pair->log_share[1]), 1.0, 1e-12);
      const auto density = log_matched_density(*pair, base, all);
      ASSERT_TRUE(density.has_value());
      // It does not matter which of the two comes first.
      const NormalPair swapped{{pair->log_share[1], pair->log_share[0]}, {pair->part[1], pair->part[0]}};
      EXPECT_NEAR(*log_matched_density(swapped, base, all), *density, 1e-6 * std::abs(*density));
    }
  }
}

TEST(DpMixtureFit, IntegratesToOneInThePlane) {
  const Matrix rows = random_blobs(8, 60, 2, 3, 2.0);
  const auto model = fit(rows, short_chain());
  // x = sinh(t) covers the heavy tails of the base measure: midpoints in t.
  constexpr int n = 700;
  constexpr double reach = 9.0;
  const auto t = [](int i) { return reach * (2.0 * (i + 0.5) / n - 1.0); };
  double sum = 0.0;
  Matrix line(n, 2);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      line(j, 0) = std::sinh(t(i));
      line(j, 1) = std::sinh(t(j));
    }
    const std::vector<double> values = log_densities(*model, line);
    for (int j = 0; j < n; ++j)
      sum += std::exp(values[static_cast<std::size_t>(j)]) * std::cosh(t(i)) * std::cosh(t(j));
  }
  EXPECT_NEAR(sum * (2.0 * reach / n) * (2.0 * reach / n), 1.0, 1e-3);
}

/// KL divergence of the fit from a mixture of two normals on the line, by quadrature.
double divergence(Index n, std::uint64_t seed) {
  RandomStream random(seed, RandomPurpose::simulation, 21);
  Matrix rows(n, 1);
  for (double& x : rows.values())
    x = random.uniform() < 0.3 ? -2.0 + 0.5 * random.normal() : 1.0 + random.normal();
  const auto model = fit(rows, short_chain(), {}, seed);
  constexpr int n_points = 2000;
  Matrix points(n_points, 1);
  for (int i = 0; i < n_points; ++i) points(i, 0) = -7.0 + 16.0 * (i + 0.5) / n_points;
  const std::vector<double> found = log_densities(*model, points);
  const auto normal = [](double x, double mean, double sd) {
    return std::exp(-0.5 * (x - mean) * (x - mean) / (sd * sd)) / (sd * std::sqrt(2.0 * std::numbers::pi));
  };
  double sum = 0.0;
  for (int i = 0; i < n_points; ++i) {
    const double truth = 0.3 * normal(points(i, 0), -2.0, 0.5) + 0.7 * normal(points(i, 0), 1.0, 1.0);
    sum += truth * (std::log(truth) - found[static_cast<std::size_t>(i)]) * 16.0 / n_points;
  }
  return sum;
}

// The divergence of a regular model with 5 parameters is about 5 / (2 n), so that 16 times the rows make it
// 16 times smaller. Its mean over 10 samples has a relative standard deviation of about 0.2 (that of a
// chi-square with 5 degrees of freedom over root 10): the ratio is within a factor of 2.5 but for one case
// in a thousand, with a margin for the price of not knowing the number of clusters.
TEST(DpMixtureFit, DivergenceFallsLikeOneOverTheRowsSlow) {
  double few = 0.0;
  double many = 0.0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    few += divergence(250, seed);
    many += divergence(4000, seed);
  }
  EXPECT_GT(few / many, 16.0 / 2.5);
  EXPECT_LT(few / many, 16.0 * 2.5);
}

TEST(DpMixtureFit, ThreadsChangeNoBit) {
  const Matrix rows = random_blobs(13, 9000, 3, 4, 2.0);
  std::vector<double> weights;
  for (Index i = 0; i < rows.n_rows(); ++i) weights.push_back(0.25 * static_cast<double>(1 + i % 7));
  DpMixtureOptions options = short_chain();
  options.dp_iterations = 30;
  options.dp_burn_in = 15;
  DensityFitContext context;
  context.threads = 1;
  const auto one = DpMixtureFamily(options).fit(WeightedRows(rows.view(), weights), context);
  context.threads = 4;
  const auto four = DpMixtureFamily(options).fit(WeightedRows(rows.view(), weights), context);
  EXPECT_EQ(one->summary().history, four->summary().history);
  EXPECT_EQ(log_densities(*one, rows), log_densities(*four, rows));
}

TEST(DpMixtureFit, KeepsAsManyDrawsAsItIsAskedFor) {
  for (const Index n_draws : {1, 7, 60}) {
    DpMixtureOptions options = short_chain();
    options.dp_draws = n_draws;
    Archive archive;
    fit(random_blobs(14, 60, 2, 2, 3.0), options)->save(archive, "a/");
    EXPECT_EQ(archive.tensor("a/n_clusters").values.size(), static_cast<std::size_t>(n_draws));
  }
}

TEST(DpMixtureFit, SummaryHasTracesAndEffectiveSizes) {
  const Matrix rows = random_blobs(14, 200, 2, 3, 3.0);
  const DensityFitSummary summary = fit(rows, short_chain())->summary();
  EXPECT_EQ(summary.stop_reason, StopReason::sampled);
  EXPECT_EQ(summary.n_iterations, 120);
  EXPECT_EQ(summary.history.size(), 120U);
  EXPECT_EQ(summary.traces.at("clusters").size(), 120U);
  EXPECT_EQ(summary.traces.at("concentration").size(), 120U);
  double mean = 0.0;
  for (std::size_t i = 60; i < 120; ++i) mean += summary.traces.at("clusters")[i] / 60.0;
  EXPECT_NEAR(summary.measures.at("clusters"), mean, 1e-9);
  EXPECT_EQ(summary.n_components, std::lround(mean));
  for (const char* name : {"ess_clusters", "ess_concentration", "ess_log_joint"}) {
    EXPECT_GT(summary.measures.at(name), 0.0) << name;
    EXPECT_LE(summary.measures.at(name), 60.0) << name;
  }
}

// Given a state, the mean of the mixtures drawn from it is its predictive density, and the states' mean is
// the density of the fit. 40 draws of each of 10 states, at 60 places: 60 differences in units of their
// standard errors, of which none is above 5 (by chance once in 30,000 runs) and whose squares have a mean
// near 1: neighbours are like each other, so that mean may be up to 2.5.
TEST(DpMixtureFit, MixturesDrawnFromThePosteriorHaveTheDensityForTheirMean) {
  const Matrix rows = random_blobs(21, 120, 2, 2, 3.0);
  const auto density = fit(rows, short_chain());
  constexpr Index n_draws = 400;
  Matrix places = random_blobs(21, 60, 2, 2, 3.0);
  for (Index i = 0; i < 60; i += 3)
    for (Index j = 0; j < 2; ++j) places(i, j) *= 1.5;
  std::vector<double> sum(60);
  std::vector<double> squares(60);
  for (Index draw = 0; draw < n_draws; ++draw) {
    const auto drawn = density->posterior_draw(draw, n_draws, static_cast<std::uint64_t>(draw));
    const std::vector<double> values = log_densities(*drawn, places);
    for (std::size_t i = 0; i < 60; ++i) {
      sum[i] += std::exp(values[i]);
      squares[i] += std::exp(2.0 * values[i]);
    }
  }
  const std::vector<double> expected = log_densities(*density, places);
  double mean_square = 0.0;
  for (std::size_t i = 0; i < 60; ++i) {
    const double mean = sum[i] / n_draws;
    const double error = std::sqrt((squares[i] / n_draws - mean * mean) / n_draws);
    const double z = (mean - std::exp(expected[i])) / error;
    EXPECT_LT(std::abs(z), 5.0) << i;
    mean_square += z * z / 60.0;
  }
  EXPECT_LT(mean_square, 2.5);
}

// The mean of one normal cloud is known to a standard error, and that is how far the means of drawn mixtures
// lie from it: half of them within 0.6745 of it. The median of 300 is known to 7 %; clusters yet unseen, a
// fraction of a percent anywhere, add a little.
TEST(DpMixtureFit, MixturesDrawnFromThePosteriorDifferAsMuchAsTheRowsLeaveOpen) {
  const Matrix rows = random_blobs(22, 100, 1, 1, 0.0);
  const auto density = fit(rows, short_chain());
  std::vector<double> off; // in the frame, where the rows have mean 0 and variance 1
  for (Index draw = 0; draw < 300; ++draw) {
    const auto drawn = std::dynamic_pointer_cast<const Gmm>(
        density->posterior_draw(draw, 300, static_cast<std::uint64_t>(draw)));
    double mean = 0.0;
    for (Index k = 0; k < drawn->parameters().n_components(); ++k)
      mean += drawn->parameters().weight[static_cast<std::size_t>(k)] * drawn->parameters().mean(k, 0);
    off.push_back(std::abs(mean));
  }
  std::nth_element(off.begin(), off.begin() + 150, off.end());
  EXPECT_NEAR(off[150] / (0.6745 * 0.1), 1.0, 0.4);
}

// Each row twice with half the weight says as much as each row once. Two chains differ by chance: by less
// than 0.1 in the mean over rows here, where leaving out half the rows moves it by more.
TEST(DpMixtureFit, HalfWeightsHalveTheEvidence) {
  const Matrix rows = random_blobs(15, 300, 2, 3, 3.0);
  Matrix twice(600, 2);
  for (Index i = 0; i < 600; ++i)
    for (Index j = 0; j < 2; ++j) twice(i, j) = rows(i / 2, j);
  const std::vector<double> plain = log_densities(*fit(rows, short_chain()), rows);
  const std::vector<double> halves =
      log_densities(*fit(twice, short_chain(), std::vector<double>(600, 0.5), 3), rows);
  double difference = 0.0;
  for (std::size_t i = 0; i < plain.size(); ++i) difference += std::abs(plain[i] - halves[i]) / 300.0;
  EXPECT_LT(difference, 0.1);
}

// Soft labels leave most rows with next to no weight; they must not found clusters.
TEST(DpMixtureFit, RowsOfTinyWeightSayNothing) {
  const Matrix rows = random_blobs(16, 400, 2, 2, 3.0);
  Matrix more(800, 2);
  std::vector<double> weights(800, 1.0);
  RandomStream random(4, RandomPurpose::simulation);
  for (Index i = 0; i < 800; ++i)
    for (Index j = 0; j < 2; ++j) more(i, j) = i < 400 ? rows(i, j) : 20.0 + random.normal();
  for (std::size_t i = 400; i < 800; ++i) weights[i] = 1e-12;
  const auto model = fit(more, short_chain(), weights);
  const std::vector<double> with = log_densities(*model, rows);
  const std::vector<double> without = log_densities(*fit(rows, short_chain()), rows);
  double difference = 0.0;
  for (std::size_t i = 0; i < with.size(); ++i) difference += std::abs(with[i] - without[i]) / 400.0;
  EXPECT_LT(difference, 0.1);
  EXPECT_LT(model->summary().measures.at("clusters"), 12.0);
}

TEST(DpMixtureFit, ExtremeRowsAndWeightsStayFinite) {
  DpMixtureOptions options;
  options.dp_iterations = 30;
  options.dp_burn_in = 15;
  options.dp_draws = 5;
  const auto check = [&](const Matrix& rows, std::span<const double> weights) {
    SCOPED_TRACE(weights.empty() ? 1.0 : weights[0]);
    for (const double value : log_densities(*fit(rows, options, weights), rows))
      ASSERT_TRUE(std::isfinite(value));
  };
  const Matrix blobs = random_blobs(17, 40, 3, 2, 2.0);
  for (const double weight : {1e-300, 1e-9, 1e9, 1e300}) {
    std::vector<double> weights(40, weight);
    check(blobs, weights);
    weights[7] = 1.0;
    check(blobs, weights);
  }
  check(Matrix(2, 1, {5.0, 5.0}), {});
  check(random_blobs(18, 10, 40, 1, 1.0), {}); // more columns than rows
  Matrix wild = blobs;
  for (Index i = 0; i < 20; ++i) wild(i, 0) = std::pow(10.0, static_cast<double>(i) * 7.0);
  check(wild, {});
}

TEST(DpMixtureFit, AWarmStartGoesOnAndAStepSettles) {
  const Matrix rows = random_blobs(19, 300, 2, 3, 3.0);
  const DpMixtureFamily family(short_chain());
  const auto first = fit(rows, short_chain());
  DensityFitContext context;
  context.warm_start = first.get();
  const auto again = family.fit(WeightedRows(rows.view()), context);
  EXPECT_EQ(again->summary().n_iterations, 120);
  // It begins with the clusters that are there: no trace of a single one.
  EXPECT_GE(again->summary().traces.at("clusters").front(), 2.0);

  context.single_step = true;
  std::shared_ptr<const Density> current = first;
  std::vector<double> before = log_densities(*current, rows);
  double change = 0.0;
  for (int step = 0; step < 300; ++step) {
    context.warm_start = current.get();
    const auto next = family.fit(WeightedRows(rows.view()), context);
    const std::vector<double> after = log_densities(*next, rows);
    change = 0.0;
    for (std::size_t i = 0; i < after.size(); ++i) change += std::abs(after[i] - before[i]) / 300.0;
    before = after;
    current = next;
  }
  EXPECT_LT(change, 1e-4);
}

TEST(DpMixtureFit, CanBeCancelled) {
  class Impatient : public Observer {
  public:
    bool cancelled() const override { return true; }
  } observer;
  const Matrix rows = random_blobs(20, 100, 2, 2, 2.0);
  DensityFitContext context;
  context.observer = &observer;
  expect_error(ErrorKind::interrupted, {},
               [&] { DpMixtureFamily(short_chain()).fit(WeightedRows(rows.view()), context); });
}

TEST(DpMixtureFit, OptionsOutsideTheirLimitsAreAllNamed) {
  DpMixtureOptions options;
  options.dp_iterations = 10;
  options.dp_burn_in = 10;
  options.dp_draws = 0;
  options.dp_separation = 0.0;
  options.dp_concentration = std::numeric_limits<double>::quiet_NaN();
  expect_error(ErrorKind::usage, {"dp_burn_in", "dp_draws", "dp_separation", "dp_concentration"},
               [&] { DpMixtureFamily{options}; });
}

TEST(DpMixtureFit, DrawsThatDoNotAddUpAreRefused) {
  Archive archive;
  fit(random_blobs(21, 60, 2, 2, 2.0), short_chain())->save(archive, "a/");
  const auto expect_refused = [&](const std::string& name, std::vector<double> values) {
    Archive damaged = archive;
    damaged.put("a/" + name, std::move(values));
    expect_error(ErrorKind::data, {}, [&] { load_density(damaged, "a/"); });
  };
  std::vector<double> counts = archive.tensor("a/n_clusters").values;
  counts[0] += 1.0;
  expect_refused("n_clusters", counts);
  counts[1] -= 1.0;
  counts[0] += 0.5;
  counts[1] += 0.5;
  expect_refused("n_clusters", counts);
  counts.pop_back();
  expect_refused("n_clusters", counts);
  expect_refused("base", {0.4, 0.5, 0.3}); // too few degrees of freedom
  expect_refused("concentration", std::vector<double>(10, 0.0));
}

} // namespace
} // namespace lacuna::dp_mixture_test
