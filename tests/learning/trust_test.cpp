// What simulated gaps teach about extrapolation: nothing without them, no more than they show, and never less
// doubt where more speaks against a row.

#include "learning/trust.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "core/index.hpp"
#include "lacuna/core/random.hpp"
#include "learning/trust_fit.hpp"
#include "tests/expect_error.hpp"

namespace lacuna::trust_test {
namespace {

using test::expect_error;

constexpr Signals some_signals{1.0, 1.0, 1.0, 0.5};
constexpr Index many_labels = 2000;

/// Rows of one gap, all outside, about which the extrapolation announced the same; the first are wrong.
struct Gap {
  int n_rows = 20;
  int n_wrong = 0;
  double announced = 0.05;
  Signals signals = some_signals;
  GapKind kind = GapKind::feature;
};

void add_gap(int episode, const Gap& gap, std::vector<HiddenRow>& rows) {
  for (int i = 0; i < gap.n_rows; ++i) {
    HiddenRow row;
    row.episode = episode;
    row.kind = gap.kind;
    row.outside = 1.0;
    row.error_probability = gap.announced;
    row.is_wrong = i < gap.n_wrong;
    row.true_probability = row.is_wrong ? gap.announced : 1.0 - gap.announced;
    row.signals = gap.signals;
    rows.push_back(row);
  }
}

std::vector<HiddenRow> gaps(int n, const Gap& gap) {
  std::vector<HiddenRow> rows;
  for (int episode = 0; episode < n; ++episode) add_gap(episode, gap, rows);
  return rows;
}

/// The error probability that is announced in the end: that of t p + (1 - t) / K.
double announced(const Trust& trust, double error_probability, const Signals& signals, Index n_classes = 2) {
  const double uniform = 1.0 / static_cast<double>(n_classes);
  const double largest = 1.0 - error_probability;
  return 1.0 - uniform - trust.of(largest, signals, n_classes) * (largest - uniform);
}

/// Gaps that differ, whose errors rise with one signal and fall with another.
std::vector<HiddenRow> random_gaps(std::uint64_t seed) {
  RandomStream random(seed, RandomPurpose::simulation);
  std::vector<HiddenRow> rows;
  for (int episode = 0; episode < 20; ++episode)
    for (int i = 0; i < 30; ++i) {
      HiddenRow row;
      row.episode = i == 0 ? HiddenRow::own_row : episode;
      row.outside = random.uniform();
      row.error_probability = 0.5 * random.uniform();
      row.signals = {3.0 * random.uniform(), 2.0 * random.uniform(), 3.0 * random.uniform(),
                     random.uniform()};
      const double log_odds = -1.0 + row.signals.depth - row.signals.scarcity;
      row.is_wrong = random.uniform() < 1.0 / (1.0 + std::exp(-log_odds));
      rows.push_back(row);
    }
  return rows;
}

Signals with(Signals signals, std::size_t which, double value) {
  double* const places[] = {&signals.depth, &signals.distance, &signals.scarcity, &signals.disagreement};
  *places[which] = value;
  return signals;
}

TEST(Trust, IsNoneByDefaultAndWithFewGaps) {
  EXPECT_TRUE(Trust().is_none());
  EXPECT_EQ(Trust().of(0.99, {}, 2), 0.0);
  EXPECT_TRUE(Trust::fit({}, 2, many_labels).is_none());
  EXPECT_TRUE(Trust::fit(gaps(3, {}), 2, many_labels).is_none());
  EXPECT_FALSE(Trust::fit(gaps(4, {}), 2, many_labels).is_none());
}

TEST(Trust, GapsThatTheRegionDidNotSeeDoNotCount) {
  std::vector<HiddenRow> rows = gaps(8, {});
  for (HiddenRow& row : rows)
    if (row.episode >= 3) row.outside = 0.1; // 2 rows' worth
  EXPECT_TRUE(Trust::fit(rows, 2, many_labels).is_none());
  // Nor do labeled rows that lie outside stand for gaps.
  for (HiddenRow& row : rows)
    if (row.episode >= 3) {
      row.episode = HiddenRow::own_row;
      row.outside = 1.0;
    }
  EXPECT_TRUE(Trust::fit(rows, 2, many_labels).is_none());
}

TEST(Trust, IsWholeWhereExtrapolationAlwaysHeld) {
  for (const Index n_classes : {2, 10}) {
    const Trust trust = Trust::fit(gaps(30, {}), n_classes, many_labels);
    EXPECT_GT(trust.of(0.95, some_signals, n_classes), 0.95) << n_classes;
    EXPECT_LE(trust.of(0.95, some_signals, n_classes), 1.0) << n_classes;
  }
}

TEST(Trust, IsNearNoneWhereExtrapolationWasLuck) {
  EXPECT_LT(Trust::fit(gaps(30, {.n_wrong = 10}), 2, many_labels).of(0.95, some_signals, 2), 0.05);
  EXPECT_LT(Trust::fit(gaps(30, {.n_wrong = 18}), 10, many_labels).of(0.95, some_signals, 10), 0.05);
}

TEST(Trust, AnnouncesWhatGapsShowed) {
  // 20 % wrong in each of 30 gaps: what is announced lies between that and what ignorance adds, 10 rows of
  // which half are wrong among 300, plus 0.67 standard errors, of which there are none between gaps that are
  // alike.
  const Trust trust = Trust::fit(gaps(30, {.n_wrong = 4}), 2, many_labels);
  EXPECT_NEAR(announced(trust, 0.05, some_signals), (60.0 + 5.0) / 310.0, 0.005);
}

TEST(Trust, GapsThatDifferCallForCaution) {
  // The same share of wrong rows, all in every fifth gap.
  std::vector<HiddenRow> rows;
  for (int episode = 0; episode < 30; ++episode)
    add_gap(episode, {.n_wrong = episode % 5 == 0 ? 20 : 0}, rows);
  EXPECT_GT(announced(Trust::fit(rows, 2, many_labels), 0.05, some_signals),
            announced(Trust::fit(gaps(30, {.n_wrong = 4}), 2, many_labels), 0.05, some_signals) + 0.02);
}

TEST(Trust, NeverAnnouncesLessThanTheExtrapolationItself) {
  const Trust trust = Trust::fit(gaps(30, {.announced = 0.4}), 2, many_labels);
  EXPECT_NEAR(announced(trust, 0.4, some_signals), 0.4, 1e-12);
  EXPECT_EQ(trust.of(0.5, some_signals, 2), 0.0); // nothing to trust in
}

TEST(Trust, NoSignalAndNoAnnouncedErrorLowersTheError) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const Trust trust = Trust::fit(random_gaps(seed), 2, many_labels);
    RandomStream random(seed, RandomPurpose::simulation, 1);
    for (int probe = 0; probe < 20; ++probe) {
      const Signals base{3.0 * random.uniform(), 2.0 * random.uniform(), 3.0 * random.uniform(),
                         random.uniform()};
      const double error = 0.5 * random.uniform();
      for (std::size_t which = 0; which < 4; ++which) {
        double before = 0.0;
        for (double value = 0.0; value < 8.0; value += 0.25) {
          const double now = announced(trust, error, with(base, which, value));
          EXPECT_GE(now, before - 1e-12) << "signal " << which << " at " << value << ", seed " << seed;
          before = now;
        }
      }
      double before = 0.0;
      for (double e = 0.0; e <= 0.5; e += 0.01) {
        const double now = announced(trust, e, base);
        EXPECT_GE(now, before - 1e-12) << "announced " << e << ", seed " << seed;
        EXPECT_GE(now, e - 1e-12);
        EXPECT_LE(now, 0.5 + 1e-12);
        before = now;
      }
    }
  }
}

TEST(Trust, LearnsWhichSignalMatters) {
  // Errors rise with depth alone, from a tenth to a half.
  std::vector<HiddenRow> rows;
  for (int episode = 0; episode < 30; ++episode)
    for (const int step : {0, 1, 2})
      add_gap(episode, {.n_rows = 20, .n_wrong = 2 + 4 * step, .signals = {1.0 * step, 1.0, 1.0, 0.5}}, rows);
  const Trust trust = Trust::fit(rows, 2, many_labels);
  const double shallow = announced(trust, 0.05, {0.0, 1.0, 1.0, 0.5});
  const double deep = announced(trust, 0.05, {2.0, 1.0, 1.0, 0.5});
  EXPECT_NEAR(shallow, 0.11, 0.04); // a tenth, and some ignorance
  EXPECT_GT(deep, 0.45);
}

TEST(Trust, AGapCountsTheSameHoweverManyRowsItHas) {
  std::vector<HiddenRow> rows;
  for (int episode = 0; episode < 10; ++episode)
    add_gap(episode, {.n_rows = 20, .n_wrong = 2 * episode, .signals = {0.2 * episode, 1.0, 1.0, 0.5}}, rows);
  std::vector<HiddenRow> repeated = rows;
  for (int copy = 0; copy < 9; ++copy)
    for (const HiddenRow& row : rows)
      if (row.episode == 7) repeated.push_back(row);
  const Trust once = Trust::fit(rows, 2, many_labels);
  const Trust tenfold = Trust::fit(repeated, 2, many_labels);
  EXPECT_EQ(once.deepest(), tenfold.deepest());
  for (const double depth : {0.0, 0.5, 1.0, 2.0})
    for (const double error : {0.01, 0.1, 0.3})
      EXPECT_NEAR(announced(once, error, {depth, 1.0, 1.0, 0.5}),
                  announced(tenfold, error, {depth, 1.0, 1.0, 0.5}),
                  1e-5); // steps below 1e-7 end the search
}

TEST(Trust, FewLabelsMakeGapsWeighLess) {
  // All gaps together weigh half of the labels, up to ten rows each; ten rows of ignorance join them, five of
  // them wrong.
  for (const Index n_labeled : {100, 30}) {
    const Trust trust = Trust::fit(gaps(30, {}), 2, n_labeled);
    EXPECT_NEAR(announced(trust, 0.05, some_signals), 5.0 / (0.5 * static_cast<double>(n_labeled) + 10.0),
                0.02);
  }
}

TEST(Trust, FadesBeyondTheDeepestGap) {
  const Trust trust = Trust::fit(gaps(30, {}), 2, many_labels);
  EXPECT_EQ(trust.deepest(), some_signals.depth);
  const auto at_depth = [&](double depth) { return trust.of(0.95, with(some_signals, 0, depth), 2); };
  EXPECT_GT(at_depth(trust.deepest()), 0.9);
  EXPECT_LE(at_depth(trust.deepest() + 1.0), 0.5);
  EXPECT_EQ(at_depth(trust.deepest() + 2.0), 0.0);
  EXPECT_EQ(at_depth(100.0), 0.0);
}

TEST(Trust, FadesWhereRowsAreFarAndLabelsScarcerThanInAnyGap) {
  const Trust trust = Trust::fit(gaps(30, {}), 2, many_labels);
  const auto at_signals = [&](double distance, double scarcity) {
    return trust.of(0.95, {some_signals.depth, distance, scarcity, some_signals.disagreement}, 2);
  };
  const double end = 1.0; // of both
  EXPECT_GT(at_signals(end, end), 0.9);
  EXPECT_LE(at_signals(end, end + 0.25), 0.5);
  EXPECT_EQ(at_signals(end, end + 0.5), 0.0);
  EXPECT_LE(at_signals(0.875 * end, end + 0.5), 0.5); // half way from three quarters of the end to the end
  // Far alone, or scarce alone, is no end: many a real gap is.
  EXPECT_GT(at_signals(0.75 * end, end + 1.0), 0.8);
  EXPECT_GT(at_signals(end + 0.3, end), 0.8);
}

TEST(Trust, FadesBeyondADeepGapToo) {
  // Gaps ten below the threshold, and a row that is a hundred below it.
  Gap deep;
  deep.signals = Signals::of(10.0, 2.0, -1.0, 0.1);
  const Trust trust = Trust::fit(gaps(30, deep), 2, many_labels);
  EXPECT_GT(trust.of(0.95, deep.signals, 2), 0.9);
  EXPECT_EQ(trust.of(0.95, Signals::of(100.0, 2.0, -1.0, 0.1), 2), 0.0);
}

TEST(Trust, LabeledRowsThatLieOutsideCount) {
  const auto trust_with = [](int n_own, bool are_wrong) {
    std::vector<HiddenRow> rows = gaps(30, {});
    add_gap(HiddenRow::own_row, {.n_rows = n_own, .n_wrong = are_wrong ? n_own : 0}, rows);
    return Trust::fit(rows, 2, many_labels).of(0.95, some_signals, 2);
  };
  const double without = trust_with(0, false);
  EXPECT_GE(trust_with(10, false), without);
  EXPECT_LT(trust_with(3, true), without - 0.1);
  EXPECT_LT(trust_with(6, true), trust_with(3, true));
  // However many there are, they weigh no more than some thirteen of them.
  EXPECT_NEAR(trust_with(100, true), trust_with(14, true), 0.05);
}

TEST(Trust, WorstKindDecides) {
  std::vector<HiddenRow> rows;
  for (int episode = 0; episode < 10; ++episode) {
    const bool is_ball = episode % 2 == 0;
    add_gap(episode, {.n_wrong = is_ball ? 10 : 0, .kind = is_ball ? GapKind::ball : GapKind::half_space},
            rows);
  }
  const auto least = [](const std::vector<Trust>& trust) {
    double result = 1.0;
    for (const Trust& one : trust) result = std::min(result, one.of(0.95, some_signals, 2));
    return result;
  };
  const std::vector<Trust> regions = fit_trust(rows, TrustForm::regions, 2, many_labels);
  const std::vector<Trust> worst = fit_trust(rows, TrustForm::worst, 2, many_labels);
  EXPECT_EQ(regions.size(), 1U);
  EXPECT_EQ(worst.size(), 3U); // all, and the two kinds that there are
  EXPECT_GT(least(regions), 0.1);
  EXPECT_LT(least(worst), 0.05);
}

TEST(Trust, RoundTrip) {
  const Trust trust = Trust::fit(random_gaps(1), 2, many_labels);
  Archive archive;
  trust.save(archive, "t/");
  Trust().save(archive, "none/");
  const Trust loaded = Trust::load(archive, "t/");
  EXPECT_EQ(loaded.deepest(), trust.deepest());
  for (const double depth : {0.0, 1.0, 2.5})
    EXPECT_EQ(loaded.of(0.9, with(some_signals, 0, depth), 2),
              trust.of(0.9, with(some_signals, 0, depth), 2));
  EXPECT_TRUE(Trust::load(archive, "none/").is_none());
}

TEST(Trust, DamagedArchivesAreRefused) {
  Archive whole;
  Trust::fit(random_gaps(1), 2, many_labels).save(whole, "");
  const auto expect_damage = [&](const std::string& name, auto value) {
    Archive archive = whole;
    archive.put(name, value);
    expect_error(ErrorKind::data, {name}, [&] { Trust::load(archive, ""); });
  };
  const std::vector<double> right = whole.vector("coefficients", Trust::n_coefficients);
  for (std::size_t k = 0; k < right.size(); ++k)
    for (const double wrong : {-9.0, 9.0, std::nan("")}) {
      std::vector<double> coefficients = right;
      coefficients[k] = wrong;
      expect_damage("coefficients", coefficients);
    }
  expect_damage("coefficients", std::vector<double>(5, 0.0));
  for (const double wrong : {-1.0, std::numeric_limits<double>::infinity(), std::nan("")})
    expect_damage("ends", std::vector<double>{1.0, wrong, 1.0});
  expect_damage("ends", std::vector<double>{1.0});
  Archive half;
  half.put("coefficients", right);
  expect_error(ErrorKind::data, {"ends"}, [&] { Trust::load(half, ""); });
}

TEST(Signals, AreZeroWhereNothingSpeaksAgainstARow) {
  EXPECT_EQ(Signals::of(-5.0, 0.0, 2.0, 0.0).values(), (std::array<double, 4>{}));
  EXPECT_EQ(Signals::of(-std::numeric_limits<double>::infinity(), 1.0, 0.0, 0.0).values(),
            (std::array<double, 4>{}));
}

TEST(Signals, AreOneWhereALotDoes) {
  const Signals signals = Signals::of(3.0, 2.0 * std::exp(0.7) - 1.0, -2.0, 0.25);
  for (const double value : signals.values()) EXPECT_NEAR(value, 1.0, 1e-12);
}

TEST(Signals, AreFiniteForEveryRow) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double value : Signals::of(infinity, infinity, -infinity, 1.0).values())
    EXPECT_TRUE(std::isfinite(value));
}

TEST(Worth, HasItsMaximumWhereTheDerivativeVanishes) {
  // Two classes, p(true) = a in n1 rows and 1 - a in n2: t = (n1 - n2) / (2 (n1 + n2) (a - 1/2)).
  const auto of_two = [](int n_right, int n_wrong, double a) {
    std::vector<double> p(at(n_right), a);
    p.insert(p.end(), at(n_wrong), 1.0 - a);
    return worth(p, 2);
  };
  EXPECT_NEAR(of_two(70, 30, 0.9), 0.5, 1e-12);
  EXPECT_NEAR(of_two(60, 40, 0.9), 0.25, 1e-12);
  EXPECT_NEAR(of_two(83, 17, 0.9), 0.33 / 0.4, 0.05); // within a step of the search
  EXPECT_EQ(of_two(100, 0, 0.9), 1.0);
  EXPECT_EQ(of_two(95, 5, 0.9), 1.0); // surer than it said
  EXPECT_EQ(of_two(40, 60, 0.9), 0.0);
  EXPECT_EQ(worth({}, 2), 0.0);
  // Four classes, .7 for the true one in 19 rows and .1 in 21: 19 * .45 (.25 - .15 t) = 21 * .15 (.25 + .45
  // t).
  std::vector<double> p(19, 0.7);
  p.insert(p.end(), 21, 0.1);
  EXPECT_NEAR(worth(p, 4), 0.5, 1e-12);
}

} // namespace
} // namespace lacuna::trust_test
