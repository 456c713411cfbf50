#include "experiments/missingness.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include <gtest/gtest.h>

#include "experiments/neighbours.hpp"
#include "lacuna/core/random.hpp"
#include "tests/expect_error.hpp"

namespace lacuna {
namespace {

/// Rows of small whole numbers, so that many distances are equal.
Matrix rows_with_ties(Index n, Index d, int n_values) {
  Matrix rows(n, d);
  for (Index i = 0; i < n; ++i) {
    RandomStream random(7, RandomPurpose::simulation, static_cast<std::uint64_t>(i));
    for (Index j = 0; j < d; ++j) rows(i, j) = std::floor(random.uniform() * n_values);
  }
  return rows;
}

std::vector<Index> nearest_by_hand(const Matrix& rows, const double* query, Index count,
                                   Index left_out = -1) {
  std::vector<std::pair<double, Index>> all;
  for (Index i = 0; i < rows.n_rows(); ++i) {
    if (i == left_out) continue;
    double sum = 0.0;
    for (Index j = 0; j < rows.n_cols(); ++j) sum += std::pow(rows(i, j) - query[j], 2);
    all.emplace_back(sum, i);
  }
  std::ranges::sort(all);
  std::vector<Index> result;
  for (Index k = 0; k < std::min(count, static_cast<Index>(all.size())); ++k)
    result.push_back(all[static_cast<std::size_t>(k)].second);
  return result;
}

TEST(Neighbours, AreThoseOfAFullSortEvenWithTies) {
  for (const auto& [n, d, n_values] : {std::tuple<Index, Index, int>{500, 1, 9},
                                       {700, 2, 12},
                                       {700, 5, 3},
                                       {300, 40, 2},
                                       {400, 3, 1},
                                       {20, 2, 5}}) {
    const Matrix rows = rows_with_ties(n, d, n_values);
    const NeighbourTree tree(rows.view());
    for (Index i = 0; i < n; i += 7)
      for (const Index count : {1, 13, 50})
        for (const Index left_out : {NeighbourTree::none, i})
          ASSERT_EQ(tree.nearest(rows.row(i), count, left_out),
                    nearest_by_hand(rows, rows.row(i), count, left_out))
              << n << " x " << d << ", row " << i << ", " << count << " neighbours";
  }
}

/// Two features; class 0 lies left, class 1 in the middle, class 2 right, and they overlap.
struct Blobs {
  Matrix features{3000, 2};
  std::vector<int> labels;
  Blobs() {
    for (Index i = 0; i < features.n_rows(); ++i) {
      RandomStream random(3, RandomPurpose::simulation, static_cast<std::uint64_t>(i));
      labels.push_back(static_cast<int>(random.uniform() * 3.0));
      features(i, 0) = 2.5 * labels.back() + random.normal();
      features(i, 1) = random.normal();
    }
  }
};

std::vector<char> region_of(const Blobs& blobs, const MissingnessOptions& options) {
  std::vector<char> region;
  for (const double share : rare_share(blobs.features.view(), blobs.labels, options))
    region.push_back(is_rare_share(share) ? 1 : 0);
  return region;
}

Index total(const std::vector<Index>& drawn) {
  return std::accumulate(drawn.begin(), drawn.end(), Index{0});
}

/// The share of the rare classes 0 and 2 among the 15 neighbours of a row of the blobs.
double share_by_hand(const Blobs& blobs, Index i, Index left_out) {
  double n_rare = 0.0;
  for (const Index row : nearest_by_hand(blobs.features, blobs.features.row(i), 15, left_out))
    if (blobs.labels[static_cast<std::size_t>(row)] != 1) n_rare += 1.0;
  return n_rare / 15.0;
}

TEST(Missingness, VotesLikeAFullSortAndForAnyNumberOfThreads) {
  const Blobs blobs;
  const MatrixView rows = blobs.features.view();
  MissingnessOptions options;
  options.rare_classes = {0, 2};
  options.neighbours = 15;
  const std::vector<double> of_training_rows = rare_share(rows, blobs.labels, options);
  const std::vector<double> of_other_rows = rare_share(rows, blobs.labels, rows, options);
  for (Index i = 0; i < rows.n_rows; i += 11) {
    const auto at = static_cast<std::size_t>(i);
    ASSERT_DOUBLE_EQ(of_training_rows[at], share_by_hand(blobs, i, i));
    ASSERT_DOUBLE_EQ(of_other_rows[at], share_by_hand(blobs, i, -1));
  }
  EXPECT_FALSE(is_rare_share(0.5)); // more than half
  EXPECT_TRUE(is_rare_share(26.0 / 50.0));
  options.threads = 3;
  EXPECT_EQ(of_training_rows, rare_share(rows, blobs.labels, options));
  EXPECT_EQ(of_other_rows, rare_share(rows, blobs.labels, rows, options));
}

TEST(Missingness, WhereATrainingRowLiesDoesNotDependOnItsOwnLabel) {
  Blobs blobs;
  MissingnessOptions options;
  options.rare_classes = {0};
  options.neighbours = 5; // so few that one vote often decides
  const std::vector<char> region = region_of(blobs, options);
  for (std::size_t i = 0; i < blobs.labels.size(); i += 53) {
    const int label = blobs.labels[i];
    for (const int other : {0, 1, 2}) {
      blobs.labels[i] = other;
      ASSERT_EQ(region_of(blobs, options)[i], region[i]) << "row " << i << " of class " << other;
    }
    blobs.labels[i] = label;
  }
}

TEST(Missingness, DrawsTheNumberAskedForAndTheSameForASeed) {
  const Blobs blobs;
  MissingnessOptions options;
  options.rare_classes = {0};
  options.labeled = 400;
  const std::vector<char> region = region_of(blobs, options);
  for (const LabelProtocol protocol :
       {LabelProtocol::mcar, LabelProtocol::strict_mar, LabelProtocol::authors, LabelProtocol::mnar}) {
    options.protocol = protocol;
    options.seed = 1;
    const std::vector<Index> drawn = draw_labeled(blobs.labels, region, options);
    EXPECT_EQ(total(drawn), 400) << to_string(protocol);
    if (protocol != LabelProtocol::authors) {
      EXPECT_LE(std::ranges::max(drawn), 1);
    }
    EXPECT_EQ(drawn, draw_labeled(blobs.labels, region, options));
    options.seed = 2;
    EXPECT_NE(drawn, draw_labeled(blobs.labels, region, options));
  }
}

TEST(Missingness, AuthorsLabelNoRareClassAndDrawWithReplacement) {
  const Blobs blobs;
  MissingnessOptions options;
  options.protocol = LabelProtocol::authors;
  options.rare_classes = {0, 2};
  options.labeled = 2000; // of some 1,000 rows: most must come twice
  const std::vector<Index> drawn = draw_labeled(blobs.labels, {}, options);
  for (std::size_t i = 0; i < drawn.size(); ++i) {
    if (blobs.labels[i] != 1) {
      EXPECT_EQ(drawn[i], 0);
    }
  }
  EXPECT_GT(std::ranges::max(drawn), 1);
}

// The first row that weighted drawing takes is a rare one with probability w n_rare / (w n_rare + n_rest).
// Over 4,000 seeds the count of such seeds is binomial; the bounds are crossed by chance once in a million
// (4.9 standard deviations).
TEST(Missingness, WeightsAreChancesOfTheNextDraw) {
  const std::vector<int> labels{0, 0, 0, 0, 0, 0, 1, 1, 1, 1};
  const std::vector<char> region{1, 1, 1, 0, 0, 0, 0, 0, 0, 0};
  MissingnessOptions options;
  options.rare_classes = {0};
  options.labeled = 1;
  options.rare_weight = 0.25;
  constexpr double n_seeds = 4000;
  for (const auto& [protocol, n_rare] :
       {std::pair{LabelProtocol::strict_mar, 3}, std::pair{LabelProtocol::mnar, 6}}) {
    options.protocol = protocol;
    double hits = 0.0;
    for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(n_seeds); ++seed) {
      options.seed = seed;
      const std::vector<Index> drawn = draw_labeled(labels, region, options);
      const auto row = static_cast<int>(std::ranges::find(drawn, 1) - drawn.begin());
      if (row < n_rare) hits += 1.0;
    }
    const double p = 0.25 * n_rare / (0.25 * n_rare + 10.0 - n_rare);
    EXPECT_NEAR(hits, n_seeds * p, 4.9 * std::sqrt(n_seeds * p * (1.0 - p))) << to_string(protocol);
  }
}

// Ten rows, three of them drawn by lot: each is drawn as often as any other. Chi-square over the rows with 9
// degrees of freedom; drawing without replacement makes the sum smaller by the factor (10 - 3) / 9. The bound
// is crossed by chance less than once in a million.
TEST(Missingness, TheLotIsFair) {
  const std::vector<int> labels(10, 0);
  MissingnessOptions options;
  options.protocol = LabelProtocol::mcar;
  options.labeled = 3;
  constexpr double n_seeds = 3000;
  std::vector<double> counts(10);
  for (std::uint64_t seed = 0; seed < static_cast<std::uint64_t>(n_seeds); ++seed) {
    options.seed = seed;
    const std::vector<Index> drawn = draw_labeled(labels, {}, options);
    for (std::size_t i = 0; i < counts.size(); ++i) counts[i] += static_cast<double>(drawn[i]);
  }
  const double expected = n_seeds * 0.3;
  double chi_square = 0.0;
  for (const double count : counts) chi_square += std::pow(count - expected, 2) / expected;
  EXPECT_LT(chi_square * 9.0 / 7.0, 45.1); // the quantile of 1 - 1e-6 is 45.08
}

TEST(Missingness, SaysWhatCannotBeDrawn) {
  const std::vector<int> labels{0, 1, 1};
  MissingnessOptions options;
  options.protocol = LabelProtocol::mcar;
  options.labeled = 4;
  test::expect_error(ErrorKind::usage, {"labeled", "got 4", "at most 3"},
                     [&] { draw_labeled(labels, {}, options); });
  options.protocol = LabelProtocol::authors;
  test::expect_error(ErrorKind::usage, {"rare", "at least one class"},
                     [&] { draw_labeled(labels, {}, options); });
  options.rare_classes = {0, 1};
  test::expect_error(ErrorKind::usage, {"every row is of a rare class"},
                     [&] { draw_labeled(labels, {}, options); });
  options.rare_weight = 0.0;
  options.labeled = 0;
  test::expect_error(ErrorKind::usage, {"rare_weight", "labeled"},
                     [&] { draw_labeled(labels, {}, options); });
  EXPECT_FALSE(find_choice<LabelProtocol>("MAR"));
}

} // namespace
} // namespace lacuna
