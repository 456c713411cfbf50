// Simulated gaps: each kind hides what its name says, none hides too little or too much, and the seed
// decides.

#include "learning/episodes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "core/index.hpp"
#include "lacuna/core/random.hpp"
#include "learning/embedding.hpp"

namespace lacuna::episodes_test {
namespace {

constexpr double gap = std::numeric_limits<double>::quiet_NaN();
constexpr int n_seeds = 20;
constexpr auto one_round = static_cast<Index>(n_gap_kinds);

/// A table whose even rows are labeled, with everything that gaps are cut from.
struct Table {
  Dataset data;
  std::vector<Index> rows;
  Matrix points;
  Matrix out_of_fold;
  std::vector<std::vector<int>> clusters;

  std::vector<Episode> episodes(Index n, std::uint64_t seed) const {
    const DatasetView view = data;
    return make_episodes({view, rows, points, out_of_fold, clusters}, n, seed);
  }
  double cell(std::size_t i, Index column) const { return data.features(rows[i], column); }
  int label(std::size_t i) const { return data.labels[at(rows[i])]; }
};

/// `levels` as in Dataset. Numbers are normal, categories have falling shares; a tenth of all cells is
/// missing where `has_gaps`. Class 1 is where the first column is large, more or less.
Table make_table(Index n_labeled, const std::vector<Index>& levels, bool has_gaps, std::uint64_t seed = 1) {
  Table table;
  RandomStream random(seed, RandomPurpose::simulation);
  Dataset& data = table.data;
  data.features = Matrix(2 * n_labeled, static_cast<Index>(levels.size()));
  data.levels = levels;
  data.class_names = {"a", "b", "c"};
  for (Index i = 0; i < data.n_rows(); ++i) {
    for (std::size_t j = 0; j < levels.size(); ++j) {
      const double u = random.uniform();
      data.features.row(i)[j] =
          levels[j] == 0 ? random.normal() : std::floor(static_cast<double>(levels[j]) * u * u);
      if (has_gaps && random.uniform() < 0.1) data.features.row(i)[j] = gap;
    }
    const bool is_high = data.features(i, 0) + random.normal() > 0.0;
    data.labels.push_back(i % 2 == 1 ? missing_label : is_high ? 1 : random.uniform() < 0.2 ? 2 : 0);
    if (i % 2 == 0) table.rows.push_back(i);
  }
  const Embedding embedding(data, table.rows, std::vector<double>(table.rows.size(), 1.0));
  table.points = embedding.embed(data.features.view(), table.rows);
  table.out_of_fold = Matrix(n_labeled, 3);
  for (double& p : table.out_of_fold.values()) p = random.uniform();
  for (const int n_clusters : {4, 9}) {
    std::vector<int>& cluster = table.clusters.emplace_back();
    for (std::size_t i = 0; i < table.rows.size(); ++i)
      cluster.push_back(static_cast<int>(n_clusters * random.uniform()));
  }
  return table;
}

/// The gaps of one kind in the first round, over all seeds.
void visit(const Table& table, GapKind kind, const std::function<void(const std::vector<char>&)>& look) {
  int n_found = 0;
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed)
    for (const Episode& episode : table.episodes(one_round, seed))
      if (episode.kind == kind) {
        look(episode.hidden);
        ++n_found;
      }
  EXPECT_GE(n_found, n_seeds / 2);
}

/// Whether a score tells the hidden rows, all above, from the others, all below.
bool separates(const std::vector<char>& hidden, const std::function<double(std::size_t)>& score) {
  double least_hidden = std::numeric_limits<double>::infinity();
  double largest_kept = -least_hidden;
  for (std::size_t i = 0; i < hidden.size(); ++i) {
    if (hidden[i] != 0)
      least_hidden = std::min(least_hidden, score(i));
    else
      largest_kept = std::max(largest_kept, score(i));
  }
  return least_hidden > largest_kept;
}

double share_of(const std::vector<char>& hidden) {
  return static_cast<double>(std::count(hidden.begin(), hidden.end(), 1)) /
         static_cast<double>(hidden.size());
}

TEST(Episodes, AFeatureBeyondAThreshold) {
  const Table table = make_table(100, {0, 5, 0}, true);
  std::set<Index> columns;
  visit(table, GapKind::feature, [&](const std::vector<char>& hidden) {
    bool is_threshold = false;
    for (const Index column : {0, 2})
      for (const double sign : {-1.0, 1.0}) {
        // A missing value is on neither side, and is never hidden.
        const bool does = separates(hidden, [&](std::size_t i) {
          const double cell = table.cell(i, column);
          return std::isnan(cell) ? -1e9 : sign * cell;
        });
        if (does) columns.insert(column);
        is_threshold = is_threshold || does;
      }
    EXPECT_TRUE(is_threshold);
    EXPECT_GE(share_of(hidden), 0.14);
    EXPECT_LE(share_of(hidden), 0.46);
  });
  EXPECT_EQ(columns.size(), 2U); // all columns of numbers have their turn
}

TEST(Episodes, AHalfSpace) {
  const Table table = make_table(60, {0, 0}, false);
  visit(table, GapKind::half_space, [&](const std::vector<char>& hidden) {
    // Two sets of points that a line separates are separated by one through two of the points.
    const auto side = [&](Index a, Index b, Index i) {
      const Matrix& p = table.points;
      return (p(b, 0) - p(a, 0)) * (p(i, 1) - p(a, 1)) - (p(b, 1) - p(a, 1)) * (p(i, 0) - p(a, 0));
    };
    bool is_half_space = false;
    for (Index a = 0; a < 60 && !is_half_space; ++a)
      for (Index b = 0; b < 60 && !is_half_space; ++b) {
        bool holds = a != b;
        for (Index i = 0; i < 60 && holds; ++i)
          holds = i == a || i == b || (side(a, b, i) > 0.0) == (hidden[at(i)] != 0);
        is_half_space = holds;
      }
    EXPECT_TRUE(is_half_space);
    EXPECT_GE(share_of(hidden), 0.14);
    EXPECT_LE(share_of(hidden), 0.42);
  });
}

TEST(Episodes, ABallAboutALabeledRow) {
  const Table table = make_table(80, {0, 3, 0}, true);
  visit(table, GapKind::ball, [&](const std::vector<char>& hidden) {
    const auto point = [&](std::size_t i) {
      return std::span<const double>(table.points.row(static_cast<Index>(i)), at(table.points.n_cols()));
    };
    bool is_ball = false;
    for (std::size_t center = 0; center < hidden.size() && !is_ball; ++center)
      is_ball = hidden[center] != 0 &&
                separates(hidden, [&](std::size_t i) { return -squared_distance(point(i), point(center)); });
    EXPECT_TRUE(is_ball);
    EXPECT_GE(share_of(hidden), 0.14);
    EXPECT_LE(share_of(hidden), 0.42);
  });
}

TEST(Episodes, WhereAClassIsLikely) {
  const Table table = make_table(100, {0, 0}, false);
  std::set<int> classes;
  visit(table, GapKind::class_region, [&](const std::vector<char>& hidden) {
    int found = -1;
    for (const int y : {0, 1, 2})
      if (separates(hidden, [&](std::size_t i) { return table.out_of_fold(static_cast<Index>(i), y); }))
        found = y;
    ASSERT_NE(found, -1);
    classes.insert(found);
    double n_of_class = 0.0;
    for (std::size_t i = 0; i < hidden.size(); ++i) n_of_class += table.label(i) == found ? 1.0 : 0.0;
    EXPECT_NEAR(share_of(hidden), std::clamp(n_of_class / 100.0, 0.1, 0.5), 0.011); // a row more or less
  });
  EXPECT_EQ(classes.size(), 3U);
}

TEST(Episodes, WholeClusters) {
  const Table table = make_table(200, {0, 0}, false);
  std::set<std::size_t> groupings;
  visit(table, GapKind::cluster, [&](const std::vector<char>& hidden) {
    bool is_union = false;
    for (std::size_t g = 0; g < table.clusters.size(); ++g) {
      std::vector<double> share(10);
      bool holds = true;
      for (std::size_t i = 0; i < hidden.size(); ++i)
        for (std::size_t k = 0; k < hidden.size(); ++k)
          holds = holds && (table.clusters[g][i] != table.clusters[g][k] || hidden[i] == hidden[k]);
      for (std::size_t i = 0; i < hidden.size(); ++i)
        if (hidden[i] != 0) share[at(table.clusters[g][i])] += 1.0 / 200.0;
      if (!holds) continue;
      is_union = true;
      groupings.insert(g);
      // At least 15 %, and the last one was needed for that.
      EXPECT_GE(share_of(hidden), 0.15);
      EXPECT_LT(share_of(hidden) - *std::max_element(share.begin(), share.end()), 0.15);
    }
    EXPECT_TRUE(is_union);
  });
  EXPECT_EQ(groupings.size(), 2U);
}

TEST(Episodes, SomeCategoriesOfAColumn) {
  const Table table = make_table(200, {0, 9, 4}, true);
  std::set<Index> columns;
  visit(table, GapKind::category, [&](const std::vector<char>& hidden) {
    bool is_found = false;
    for (const Index column : {1, 2}) {
      std::vector<int> counts(10);
      std::vector<int> n_hidden(10);
      bool hides_missing = false;
      for (std::size_t i = 0; i < hidden.size(); ++i) {
        const double cell = table.cell(i, column);
        hides_missing = hides_missing || (std::isnan(cell) && hidden[i] != 0);
        if (std::isnan(cell)) continue;
        ++counts[static_cast<std::size_t>(cell)];
        n_hidden[static_cast<std::size_t>(cell)] += hidden[i];
      }
      bool holds = !hides_missing;
      Index n_common = 0;
      Index n_chosen = 0;
      for (std::size_t level = 0; level < counts.size(); ++level) {
        holds = holds && (n_hidden[level] == 0 || n_hidden[level] == counts[level]);
        holds = holds && (n_hidden[level] == 0 || counts[level] > 5);
        n_common += counts[level] > 5 ? 1 : 0;
        n_chosen += n_hidden[level] > 0 ? 1 : 0;
      }
      if (!holds) continue;
      is_found = true;
      columns.insert(column);
      EXPECT_EQ(n_chosen, std::max<Index>(1, n_common / 3));
    }
    EXPECT_TRUE(is_found);
  });
  EXPECT_EQ(columns.size(), 2U);
}

TEST(Episodes, HideSomeAndLeaveEnough) {
  for (const Index n : {25, 60, 400}) {
    const Table table = make_table(n, {0, 6, 0}, true, static_cast<std::uint64_t>(n));
    for (std::uint64_t seed = 0; seed < n_seeds; ++seed)
      for (const Episode& episode : table.episodes(5 * one_round, seed)) {
        ASSERT_EQ(static_cast<Index>(episode.hidden.size()), n);
        const auto n_hidden =
            static_cast<double>(std::count(episode.hidden.begin(), episode.hidden.end(), 1));
        const auto n_all = static_cast<double>(n);
        EXPECT_GE(n_hidden, std::max(5.0, 0.04 * n_all));
        EXPECT_GE(n_all - n_hidden, std::max(15.0, 0.35 * n_all));
      }
  }
}

TEST(Episodes, AreNoneWhereTooFewLabelsAreLeft) {
  EXPECT_TRUE(make_table(19, {0, 3, 0}, false).episodes(30, 1).empty());
  Table alike = make_table(100, {0, 0}, false); // rows that nothing tells apart
  for (double& value : alike.data.features.values()) value = 1.0;
  for (double& value : alike.points.values()) value = 0.0;
  for (double& value : alike.out_of_fold.values()) value = 0.5;
  for (auto& cluster : alike.clusters) cluster.assign(cluster.size(), 0);
  EXPECT_TRUE(alike.episodes(30, 1).empty());
}

TEST(Episodes, TheSeedDecides) {
  const Table table = make_table(150, {0, 6, 0}, true);
  const auto hidden = [&](Index n, std::uint64_t seed) {
    std::vector<std::vector<char>> result;
    for (const Episode& episode : table.episodes(n, seed)) result.push_back(episode.hidden);
    return result;
  };
  EXPECT_EQ(hidden(30, 5), hidden(30, 5));
  EXPECT_NE(hidden(30, 5), hidden(30, 6));
  // Each gap has a stream of its own: more of them change nothing about the first ones.
  const auto few = hidden(10, 5);
  const auto many = hidden(30, 5);
  ASSERT_LE(few.size(), many.size());
  EXPECT_TRUE(std::equal(few.begin(), few.end(), many.begin()));
}

TEST(Episodes, AllKindsTakeTurns) {
  const Table table = make_table(300, {0, 4, 0}, true);
  std::vector<int> counts(n_gap_kinds);
  for (const Episode& episode : table.episodes(5 * one_round, 3))
    ++counts[static_cast<std::size_t>(episode.kind)];
  for (const int n : counts) EXPECT_GE(n, 3);
}

TEST(Episodes, EveryOtherRoundLeavesAFewLabels) {
  // One number: a threshold tells which rows a gap was to hide. Of 50 times some 150 rows one in a hundred is
  // left: 75, give or take 9. A false alarm has a probability below 1e-3.
  constexpr std::size_t n = 500;
  const Table table = make_table(n, {0}, false);
  double n_left = 0.0;
  double n_in_gap = 0.0;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    const std::vector<char> hidden =
        table.episodes(one_round + 1, seed).back().hidden; // the second threshold
    double mean_hidden = 0.0; // times the share that is hidden; the mean of all is nearly 0
    for (std::size_t i = 0; i < n; ++i) mean_hidden += hidden[i] != 0 ? table.cell(i, 0) / n : 0.0;
    const double sign = mean_hidden > 0.0 ? 1.0 : -1.0;
    double edge = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < n; ++i)
      if (hidden[i] != 0) edge = std::min(edge, sign * table.cell(i, 0));
    for (std::size_t i = 0; i < n; ++i) {
      if (sign * table.cell(i, 0) < edge) continue;
      n_in_gap += 1.0;
      n_left += hidden[i] == 0 ? 1.0 : 0.0;
    }
  }
  EXPECT_GT(n_in_gap, 5000.0);
  EXPECT_NEAR(n_left / n_in_gap, 0.01, 0.004);
}

TEST(Episodes, ATableOfCategoriesAlone) {
  const Table table = make_table(200, {5, 8}, true);
  int n_found = 0;
  for (std::uint64_t seed = 0; seed < n_seeds; ++seed)
    for (const Episode& episode : table.episodes(one_round, seed)) {
      EXPECT_NE(episode.kind, GapKind::feature); // half-spaces take the place of thresholds
      ++n_found;
    }
  EXPECT_GE(n_found, 2 * n_seeds);
}

TEST(Episodes, ATableOfNumbersAlone) {
  Table table = make_table(200, {0, 0}, false);
  table.data.levels.clear(); // as a table has it that knows of no categories
  for (const Episode& episode : table.episodes(30, 1)) EXPECT_NE(episode.kind, GapKind::category);
  table.clusters.clear(); // too few rows for clusters
  EXPECT_GE(table.episodes(30, 1).size(), 20U);
}

TEST(Episodes, LabelsByLot) {
  std::vector<int> labels;
  for (int i = 0; i < 6000; ++i) labels.push_back(i % 3 == 0 ? missing_label : i % 5 == 0 ? 1 : 0);
  DatasetView data;
  data.labels = labels;
  const auto by_lot = [&](std::size_t most, std::uint64_t seed) { return labels_by_lot(data, most, seed); };
  EXPECT_EQ(by_lot(4000, 1), labels); // there are no more
  const std::vector<int> kept = by_lot(1000, 1);
  int n_kept = 0;
  int n_ones = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (kept[i] == missing_label) continue;
    EXPECT_EQ(kept[i], labels[i]);
    ++n_kept;
    n_ones += kept[i];
  }
  EXPECT_EQ(n_kept, 1000);
  // A fifth of 4,000 labels are ones: of 1,000 by lot 200, with a standard deviation of 11; 1e-6 lie
  // beyond 54.
  EXPECT_NEAR(n_ones, 200, 54);
  EXPECT_NE(by_lot(1000, 2), kept);
  // Of a smaller lot every row is also in a larger one.
  const std::vector<int> fewer = by_lot(500, 1);
  for (std::size_t i = 0; i < labels.size(); ++i)
    EXPECT_TRUE(fewer[i] == missing_label || fewer[i] == kept[i]);
}

} // namespace
} // namespace lacuna::episodes_test
