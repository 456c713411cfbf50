// Log ratios without densities, and what they are made of: a classifier of labeled against unlabeled rows,
// the share of labels in a row's surroundings, and points between which distances mean something.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "conditional/class_prior.hpp"
#include "conditional/logistic.hpp"
#include "core/index.hpp"
#include "lacuna/core/random.hpp"
#include "learning/cross_fit.hpp"
#include "learning/density_member.hpp"
#include "learning/embedding.hpp"
#include "learning/label_distance.hpp"
#include "learning/label_share.hpp"
#include "learning/labeling.hpp"
#include "learning/nearest_kernels.hpp"
#include "learning/ratio_model.hpp"
#include "learning/region.hpp"
#include "learning/unlabeled_sample.hpp"
#include "tests/expect_error.hpp"
#include "tests/learning/test_data.hpp"

namespace lacuna::ratios_test {
namespace {

using test::expect_error;

constexpr double gap = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

/// Everything that fits to parts of a table need.
struct Fitting {
  explicit Fitting(Dataset table)
      : data(std::move(table)), family(make_density_family(VbMixtureOptions{.components = 3})),
        fitter(data, *family, ColumnShaping::automatic, 1, silent_observer()) {
    for (Index i = 0; i < data.n_rows(); ++i)
      if (data.is_labeled(i)) labeled.push_back(i);
  }

  Dataset data;
  std::shared_ptr<const DensityFamily> family;
  DensityFitter fitter;
  std::vector<Index> labeled;
};

/// Normal rows, the first `n_labeled` of them labeled, which have mean `shift` instead of 0 in the first
/// feature.
Dataset shifted_rows(Index n, Index n_labeled, Index d, double shift, std::uint64_t seed) {
  return testing::drawn_rows(n, d, seed, [&](RandomStream& random, Index i, std::span<double> row) {
    testing::draw_normal(random, row);
    if (i < n_labeled) row[0] += shift;
    return i < n_labeled ? static_cast<int>(i % 2) : missing_label;
  });
}

TEST(NearestKernel, HasTheBitsOfOneDistanceAfterTheOther) {
  RandomStream random(6, RandomPurpose::simulation);
  for (const Index d : {1, 5, 40})
    for (const Index n_points : {1, 16, 50}) {
      const Index n = (n_points + nearest_group - 1) / nearest_group * nearest_group;
      std::vector<double> places(at(n * d), infinity);
      Matrix points(n_points, d);
      for (Index i = 0; i < n_points; ++i)
        for (Index j = 0; j < d; ++j) places[at(j * n + i)] = points(i, j) = random.normal();
      std::vector<double> query(at(d));
      for (int trial = 0; trial < 20; ++trial) {
        for (double& q : query) q = random.normal();
        double least = infinity;
        double second = infinity;
        for (Index i = 0; i < n_points; ++i) {
          const double distance = squared_distance(point_of(points, i), query);
          second = std::min(second, std::max(least, distance));
          least = std::min(least, distance);
        }
        for (const NearestKernel* const kernel : nearest_kernels()) {
          EXPECT_EQ(kernel->least_distance(query.data(), places.data(), n, d, -1.0), least);
          EXPECT_EQ(kernel->least_distance(query.data(), places.data(), n, d, least), second);
        }
      }
    }
}

/// Labels are seen in the blobs about -4 and 0, never in that about 4.
Dataset blobs(Index n, std::uint64_t seed) {
  return testing::drawn_rows(n, 1, seed, [](RandomStream& random, Index i, std::span<double> row) {
    const Index blob = i % 3;
    row[0] = 4.0 * static_cast<double>(blob - 1) + 0.5 * random.normal();
    return blob < 2 && random.uniform() < 0.3 ? static_cast<int>(blob) : missing_label;
  });
}

ConditionalMembers quick_members() {
  return {std::make_shared<LogisticFamily>(), std::make_shared<ClassPriorFamily>()};
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n;
  const double mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0.0;
  double aa = 0.0;
  double bb = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

/// The log ratio of one-dimensional rows that a fitted classifier says.
std::vector<double> ratios_at(const LabelingModel& model, const Matrix& rows) {
  std::vector<double> answers(2 * at(rows.n_rows()));
  model.classifier->log_probability(rows.view(), answers);
  std::vector<double> ratios;
  for (std::size_t i = 0; i < answers.size(); i += 2)
    ratios.push_back(answers[i + 1] - answers[i] - model.log_odds);
  return ratios;
}

TEST(Ratio, ByHand) {
  EXPECT_NEAR(classifier_ratio(1.0, -0.4), 0.3, 1e-12);
}

TEST(Ratio, OfDensitiesIsTheirDifference) {
  const auto density = [](double mean) { return std::make_shared<testing::UnitGaussian>(std::vector{mean}); };
  const ClassModel classes{{0.3, 0.7, 0.0}, {density(-1.0), density(2.0), nullptr}};
  const RatioModel model(classes, density(0.0));
  EXPECT_FALSE(model.is_by_classifier());
  const Matrix rows(2, 1, {-1.0, 3.0});
  const std::vector<double> ratios = model.log_ratios(rows.view(), {});
  EXPECT_NEAR(ratios[0], 0.5, 1e-12);
  EXPECT_NEAR(ratios[1], 4.5 - 0.5, 1e-12);
  // Nothing is outside when every row is labeled.
  EXPECT_EQ(RatioModel(classes, nullptr).log_ratios(rows.view(), {}),
            (std::vector<double>{infinity, infinity}));
}

TEST(Labeling, FindsTheLogRatioOfTwoNormals) {
  // N(1, 1) against N(0, 1): log ratio x - 1/2. A logistic regression holds the truth, so that held-out rows
  // are less likely than under it by about a parameter's worth in 2400: tenfold, .004, is allowed. Over 5
  // seeds.
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Fitting fitting(shifted_rows(2400, 400, 1, 1.0, seed));
    const LabelingFit labeling(fitting.fitter, quick_members(), 5, seed);
    EXPECT_NEAR(labeling.log_odds(), std::log(400.0 / 2000.0), 1e-9);
    ASSERT_EQ(labeling.labeled_ratios().size(), 400U);
    ASSERT_EQ(labeling.sampled_ratios().size(), 2000U);
    double best = 0.0;
    std::vector<double> truth;
    std::vector<double> found = labeling.labeled_ratios();
    found.insert(found.end(), labeling.sampled_ratios().begin(), labeling.sampled_ratios().end());
    for (Index i = 0; i < 2400; ++i) {
      truth.push_back(fitting.data.features(i, 0) - 0.5);
      const double log_odds = truth.back() + labeling.log_odds();
      best -= std::log1p(std::exp(i < 400 ? -log_odds : log_odds)) / 2400.0;
    }
    EXPECT_GT(correlation(found, truth), 0.99) << seed;
    EXPECT_NEAR(labeling.log_likelihood(), best, 0.004) << seed;
    // The slope has a standard error of about 1 / sqrt(n1 n0 / n) = .055, the level a little less: 3.6 of
    // them at 2 standard deviations. False alarms: about one in a thousand for all seeds together.
    const Matrix rows(3, 1, {-1.0, 0.5, 2.0});
    const std::vector<double> ratios = ratios_at(labeling.fit(), rows);
    for (Index i = 0; i < 3; ++i) EXPECT_NEAR(ratios[at(i)], rows(i, 0) - 0.5, 0.3) << seed;
  }
}

TEST(Labeling, IsFlatWithoutAShift) {
  // Labels missing by lot: all log ratios are 0. Each of 4 slopes has a standard error of .055; the root mean
  // square of their sum at a row is .11, and shrunk by what held-out rows say of it.
  double mean = 0.0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Fitting fitting(shifted_rows(2400, 400, 4, 0.0, seed));
    const LabelingFit labeling(fitting.fitter, quick_members(), 5, seed);
    for (const double ratio : labeling.labeled_ratios()) mean += std::abs(ratio) / (400.0 * 5.0);
  }
  EXPECT_LT(mean, 0.08);
}

TEST(Labeling, HiddenLabelsCountAsUnlabeled) {
  const Fitting fitting(shifted_rows(2400, 400, 1, 1.0, 3));
  const LabelingFit labeling(fitting.fitter, quick_members(), 5, 3);
  std::vector<int> labels = fitting.data.labels;
  double n_hidden = 0.0;
  for (std::size_t i = 0; i < 400; ++i)
    if (fitting.data.features.row(static_cast<Index>(i))[0] > 0.5) {
      labels[i] = missing_label;
      n_hidden += 1.0;
    }
  const LabelingModel hidden = labeling.fit_hidden(labels, 7);
  EXPECT_NEAR(hidden.log_odds, std::log((400.0 - n_hidden) / (2000.0 + n_hidden)), 1e-9);
  const Matrix rows(1, 1, {1.5});
  EXPECT_LT(ratios_at(hidden, rows)[0], ratios_at(labeling.fit(), rows)[0]);
}

TEST(Labeling, WeightsOfASampleStandForAll) {
  Dataset data = shifted_rows(500, 100, 2, 0.0, 1);
  for (Index i = 0; i < 500; ++i) data.weights.push_back(i % 7 == 0 ? 0.0 : 1.0 + static_cast<double>(i % 3));
  double total = 0.0;
  for (std::size_t i = 100; i < 500; ++i) total += data.weights[i];
  const Fitting fitting(data);
  const RowList some = sample_unlabeled(fitting.fitter, 50, 9);
  EXPECT_EQ(some.rows.size(), 50U);
  EXPECT_NEAR(some.total_weight(), total, 1e-9);
  EXPECT_TRUE(std::is_sorted(some.rows.begin(), some.rows.end()));
  for (const Index row : some.rows) {
    EXPECT_GE(row, 100);
    EXPECT_GT(data.weights[at(row)], 0.0);
  }
  EXPECT_EQ(some.rows, sample_unlabeled(fitting.fitter, 50, 9).rows);
  EXPECT_NE(some.rows, sample_unlabeled(fitting.fitter, 50, 10).rows);
  const RowList all = sample_unlabeled(fitting.fitter, 1000, 9);
  for (std::size_t i = 0; i < all.rows.size(); ++i)
    EXPECT_DOUBLE_EQ(all.weights[i], data.weights[at(all.rows[i])]);
}

TEST(LabelShare, TellsRegionsWithoutLabels) {
  const Fitting fitting(blobs(900, 1));
  const LabelShareFit fit(fitting.fitter, fitting.labeled, 1);
  const auto share = fit.fit({}, nullptr);
  const Matrix centers(3, 1, {-4.0, 0.0, 4.0});
  const LabelShare::Answers answers = share->ask(centers.view());
  const double overall = static_cast<double>(fitting.labeled.size()) / 900.0;
  EXPECT_NEAR(answers.log_share[0], std::log(0.3 / overall), 0.25); // 300 rows: 3 standard errors of .09
  EXPECT_NEAR(answers.log_share[1], std::log(0.3 / overall), 0.25);
  EXPECT_LT(answers.log_share[2], -3.0); // one in 60 of what is usual

  // Labels of a blob that are hidden are missed there, and there alone.
  std::vector<char> hidden;
  for (const Index row : fitting.labeled) hidden.push_back(fitting.data.labels[at(row)] == 0 ? 1 : 0);
  const LabelShare::Answers without = fit.fit(hidden, share.get())->ask(centers.view());
  EXPECT_LT(without.log_share[0], -3.0);
  EXPECT_GT(without.log_share[1], 0.5);
}

TEST(LabelShare, TakesWeightTwoForTheRowTwice) {
  // 300 rows and as many copies of the first 150, or these with weight 2. The mixtures start from different
  // lots, so that their fits agree up to what they converge to.
  const Dataset once = blobs(300, 4);
  Dataset weighted = once;
  weighted.weights.assign(300, 1.0);
  std::fill_n(weighted.weights.begin(), 150, 2.0);
  Dataset twice = once;
  twice.features = Matrix(450, 1);
  for (Index i = 0; i < 450; ++i) twice.features(i, 0) = once.features(i % 300, 0);
  twice.labels.insert(twice.labels.end(), once.labels.begin(), once.labels.begin() + 150);
  const Matrix centers(3, 1, {-4.0, 0.0, 4.0});
  const auto shares = [&](const Dataset& data) {
    const Fitting fitting(data);
    return LabelShareFit(fitting.fitter, fitting.labeled, 1).fit({}, nullptr)->ask(centers.view()).log_share;
  };
  const std::vector<double> a = shares(weighted);
  const std::vector<double> b = shares(twice);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_NEAR(a[i], b[i], 0.02);
}

TEST(LabelShare, HasTheDensityOfAllRows) {
  const Fitting fitting(blobs(600, 2));
  const auto share = LabelShareFit(fitting.fitter, fitting.labeled, 1).fit({}, nullptr);
  constexpr Index n = 4001;
  constexpr double step = 0.01;
  Matrix rows(n, 1);
  Matrix both(2 * n, 2);
  for (Index i = 0; i < n; ++i) {
    rows(i, 0) = both(2 * i, 0) = both(2 * i + 1, 0) = step * static_cast<double>(i - n / 2);
    both(2 * i + 1, 1) = 1.0;
  }
  const LabelShare::Answers answers = share->ask(rows.view());
  std::vector<double> joint(2 * at(n));
  share->joint().log_density(both.view(), joint);
  double total = 0.0;
  double labeled = 0.0;
  for (std::size_t i = 0; i < at(n); ++i) {
    ASSERT_NEAR(std::exp(answers.log_density[i]), std::exp(joint[2 * i]) + std::exp(joint[2 * i + 1]), 1e-12);
    total += step * std::exp(answers.log_density[i]);
    labeled += step * std::exp(answers.log_density[i] + answers.log_share[i]);
  }
  EXPECT_NEAR(total, 1.0, 1e-3);
  EXPECT_NEAR(labeled, 1.0, 0.03); // q(x) P(l=1|x) / P(l=1), up to the mixture's own idea of P(l=1)
}

TEST(LabelShare, RoundTripAndDamage) {
  const Fitting fitting(blobs(300, 3));
  const auto share = LabelShareFit(fitting.fitter, fitting.labeled, 1).fit({}, nullptr);
  Archive archive;
  share->save(archive, "s/");
  const auto loaded = LabelShare::load(archive, "s/", 1);
  EXPECT_EQ(loaded->ask(fitting.data.features.view()).log_share,
            share->ask(fitting.data.features.view()).log_share);
  expect_error(ErrorKind::data, {"s/joint"}, [&] { LabelShare::load(archive, "s/", 2); });
  for (const double wrong : {0.0, -0.5, 1.5, gap}) {
    archive.put("s/overall", wrong);
    expect_error(ErrorKind::data, {"s/overall"}, [&] { LabelShare::load(archive, "s/", 1); });
  }
}

/// A number, one with gaps, and three categories of which some are missing.
Dataset mixed_rows() {
  Dataset data;
  data.features = Matrix(4, 3, {10.0, 1.0, 0.0, 20.0, gap, 2.0, 30.0, 3.0, gap, 40.0, 2.0, 1.0});
  data.levels = {0, 0, 3};
  data.class_names = {"a", "b"};
  data.labels = {0, 1, 0, missing_label};
  return data;
}

std::vector<double> point_of(const Embedding& embedding, std::vector<double> row) {
  std::vector<double> point(embedding.size());
  embedding.embed(row.data(), point);
  return point;
}

TEST(Embedding, HasACoordinateForGapsAndForEachCategory) {
  const Dataset data = mixed_rows();
  const Embedding embedding(data, {0, 1, 2, 3}, {1.0, 1.0, 1.0, 1.0});
  ASSERT_EQ(embedding.size(), 6U);      // number, number, whether it is missing, three categories
  const double unit = std::sqrt(125.0); // of 10, 20, 30, 40
  const std::vector<double> first = point_of(embedding, {10.0, 2.0, 0.0});
  EXPECT_NEAR(first[0], -15.0 / unit, 1e-12);
  EXPECT_NEAR(first[1], 0.0, 1e-12); // the mean of 1, 3, 2
  EXPECT_EQ(first[2], 0.0);
  const std::vector<double> second = point_of(embedding, {25.0, gap, 2.0});
  EXPECT_NEAR(second[0], 0.0, 1e-12);
  EXPECT_EQ(second[1], 0.0);
  EXPECT_EQ(second[2], 1.0);
  // Two categories are a standard deviation apart, more or less; one that is missing or new is nearer to
  // each.
  const auto distance = [&](double a, double b) {
    return std::sqrt(
        squared_distance(point_of(embedding, {25.0, 2.0, a}), point_of(embedding, {25.0, 2.0, b})));
  };
  EXPECT_NEAR(distance(0.0, 2.0), 1.0, 0.02);
  EXPECT_EQ(distance(1.0, 1.0), 0.0);
  EXPECT_NEAR(distance(1.0, gap), 0.7, 1e-12);
  EXPECT_EQ(distance(gap, 7.0), 0.0);
  // Far values are clipped, so that one column cannot decide alone.
  EXPECT_EQ(point_of(embedding, {1e9, 2.0, 0.0})[0], 5.0);
}

TEST(Embedding, RoundTripAndDamage) {
  const Dataset data = mixed_rows();
  const Embedding embedding(data, {0, 1, 2}, {1.0, 2.0, 1.0});
  Archive archive;
  embedding.save(archive, "e/");
  const Embedding loaded = Embedding::load(archive, "e/", 3);
  const Matrix a = embedding.embed(data.features.view());
  const Matrix b = loaded.embed(data.features.view());
  EXPECT_TRUE(std::equal(a.values().begin(), a.values().end(), b.values().begin(), b.values().end()));
  EXPECT_THROW(Embedding::load(archive, "e/", 2), Error);
  archive.put("e/scale", std::vector{1.0, -1.0, 1.0});
  expect_error(ErrorKind::data, {"e/scale"}, [&] { Embedding::load(archive, "e/", 3); });
}

TEST(Clusters, FindWhatIsFarApart) {
  RandomStream random(5, RandomPurpose::simulation);
  Matrix points(150, 2);
  for (Index i = 0; i < 150; ++i) {
    points(i, 0) = 20.0 * static_cast<double>(i % 3) + random.normal();
    points(i, 1) = random.normal();
  }
  const Matrix centers = cluster_centers(points, 3, 1);
  ASSERT_EQ(centers.n_rows(), 3);
  for (const double x : {0.0, 20.0, 40.0}) {
    const double point[] = {x, 0.0};
    const auto nearest = static_cast<Index>(nearest_row(centers, point));
    EXPECT_NEAR(centers(nearest, 0), x, 0.7); // 50 rows: 5 standard errors
    EXPECT_NEAR(centers(nearest, 1), 0.0, 0.7);
  }
  const Matrix again = cluster_centers(points, 3, 1);
  EXPECT_TRUE(std::equal(again.values().begin(), again.values().end(), centers.values().begin()));
  const Matrix twins(4, 1, {1.0, 2.0, 1.0, 2.0});
  EXPECT_EQ(cluster_centers(twins, 4, 1).n_rows(), 2); // no more centres than different points
}

TEST(LabelDistance, IsInUnitsOfTheGapBetweenLabels) {
  // Labeled rows at 0, 3, 6, ..., 297: the unit is 3, whatever the scale of the column.
  for (const double scale : {1.0, 1e-6, 1e6}) {
    Dataset data;
    data.features = Matrix(100, 1);
    data.class_names = {"a", "b"};
    for (Index i = 0; i < 100; ++i) {
      data.features(i, 0) = scale * (7.0 + 3.0 * static_cast<double>(i));
      data.labels.push_back(static_cast<int>(i % 2));
    }
    const Fitting fitting(data);
    const auto distance = LabelDistanceFit(fitting.fitter, fitting.labeled, 1).fit({});
    const auto of = [&](double x) {
      const double row = scale * (7.0 + 3.0 * x);
      return distance->of(&row);
    };
    EXPECT_NEAR(of(10.0), 0.0, 1e-9);
    EXPECT_NEAR(of(10.5), 0.5, 1e-9);
    EXPECT_NEAR(of(101.0), 2.0, 1e-9);
    EXPECT_NEAR(distance->of_other(data.features.row(50)), 1.0, 1e-9);
  }
}

TEST(LabelDistance, DoesNotDependOnUnits) {
  const Dataset data = shifted_rows(300, 100, 3, 0.5, 4);
  Dataset moved = data;
  for (Index i = 0; i < 300; ++i) {
    moved.features(i, 0) = 1e4 + 100.0 * data.features(i, 0);
    moved.features(i, 1) = -1e-3 * data.features(i, 1);
  }
  const Fitting a(data);
  const Fitting b(moved);
  std::vector<char> hidden(100);
  for (std::size_t i = 0; i < 30; ++i) hidden[i] = 1;
  for (const std::vector<char>& flags : {std::vector<char>{}, hidden}) {
    const auto before = LabelDistanceFit(a.fitter, a.labeled, 1).fit(flags);
    const auto after = LabelDistanceFit(b.fitter, b.labeled, 1).fit(flags);
    for (Index i = 0; i < 300; ++i)
      EXPECT_NEAR(before->of(data.features.row(i)), after->of(moved.features.row(i)), 1e-6);
  }
}

TEST(LabelDistance, HiddenRowsAreNoLongerNear) {
  const Dataset data = shifted_rows(300, 100, 2, 0.0, 4);
  const Fitting fitting(data);
  std::vector<char> hidden(100);
  hidden[0] = 1;
  const LabelDistanceFit fit(fitting.fitter, fitting.labeled, 1);
  EXPECT_EQ(fit.fit({})->of(data.features.row(0)), 0.0);
  EXPECT_GT(fit.fit(hidden)->of(data.features.row(0)), 0.0);
  EXPECT_EQ(fit.fit(hidden)->of(data.features.row(1)), 0.0);
}

TEST(LabelDistance, GroupsAreOfSeveralSizes) {
  const Fitting few(shifted_rows(50, 30, 2, 0.0, 1));
  EXPECT_TRUE(LabelDistanceFit(few.fitter, few.labeled, 1).groups(1).empty());
  const Fitting many(shifted_rows(400, 100, 2, 0.0, 1));
  const auto groups = LabelDistanceFit(many.fitter, many.labeled, 1).groups(1);
  ASSERT_EQ(groups.size(), 3U);
  for (std::size_t g = 0; g < 3; ++g) {
    ASSERT_EQ(groups[g].size(), 100U);
    EXPECT_LT(*std::max_element(groups[g].begin(), groups[g].end()), 4 << g);
  }
}

TEST(LabelDistance, RoundTripAndDamage) {
  const Dataset data = shifted_rows(200, 80, 2, 0.0, 6);
  const Fitting fitting(data);
  const auto distance = LabelDistanceFit(fitting.fitter, fitting.labeled, 1).fit({});
  Archive archive;
  distance->save(archive, "d/");
  const auto loaded = LabelDistance::load(archive, "d/", 2);
  for (Index i = 0; i < 200; ++i)
    EXPECT_EQ(loaded->of(data.features.row(i)), distance->of(data.features.row(i)));
  const auto expect_damage = [&](const Matrix& points) {
    archive.put("d/labeled", points);
    expect_error(ErrorKind::data, {"d/labeled"}, [&] { LabelDistance::load(archive, "d/", 2); });
  };
  expect_damage(Matrix(1, 2, {0.0, infinity}));
  expect_damage(Matrix(1, 3, {0.0, 0.0, 0.0}));
  expect_damage(Matrix(0, 2));
}

// With labels hidden, fewer unlabeled rows take part and count for all of them.
TEST(Labeling, ASampleBesideHiddenLabelsStandsForAllRows) {
  const Fitting fitting(shifted_rows(6400, 400, 1, 1.0, 3));
  const LabelingFit labeling(fitting.fitter, quick_members(), 3, 3);
  const LabelingModel hidden = labeling.fit_hidden(fitting.data.labels, 7);
  EXPECT_NEAR(hidden.log_odds, std::log(400.0 / 6000.0), 1e-9);
}

// Every labeled row is scored once, by models of the others.
TEST(CrossFit, HoldsOutEachLabeledRowOnce) {
  const Fitting fitting(shifted_rows(60, 40, 1, 1.0, 3));
  CrossFit cross_fit(fitting.fitter, 5, 3);
  const HeldOutRows& held_out = cross_fit.held_out();
  std::vector<Index> rows = held_out.rows.rows;
  ASSERT_EQ(rows.size(), held_out.label.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    EXPECT_EQ(held_out.label[i], fitting.data.labels[static_cast<std::size_t>(rows[i])]);
  std::ranges::sort(rows);
  std::vector<Index> labeled;
  for (Index i = 0; i < 60; ++i)
    if (fitting.data.labels[static_cast<std::size_t>(i)] != missing_label) labeled.push_back(i);
  EXPECT_EQ(rows, labeled);
}

// The only row without a label is the first: its density is what the classes are compared with.
TEST(InitialModels, OneUnlabeledRowIsEnough) {
  Dataset data = shifted_rows(40, 40, 1, 1.0, 3);
  data.labels[0] = missing_label;
  const Fitting fitting(data);
  CrossFit cross_fit(fitting.fitter, 5, 3);
  const InitialModels models = fit_initial_models(cross_fit, 0.0, 1);
  ASSERT_NE(models.unlabeled, nullptr);
  EXPECT_EQ(models.log_ratio.size(), 40U);
}

// All labeled rows in one place have no distance to measure others by: it is then the embedding's own.
TEST(LabelDistance, IsFiniteWhenAllLabeledRowsAreAlike) {
  Dataset data = shifted_rows(60, 40, 1, 1.0, 3);
  for (Index i = 0; i < 40; ++i) data.features(i, 0) = 0.25;
  const Fitting fitting(data);
  std::vector<Index> labeled;
  for (Index i = 0; i < 40; ++i) labeled.push_back(i);
  const auto distance = LabelDistanceFit(fitting.fitter, labeled, 1).fit({});
  const double at_them = 0.25;
  const double away = 2.0;
  EXPECT_EQ(distance->of(&at_them), 0.0);
  EXPECT_GT(distance->of(&away), 0.0);
  EXPECT_LT(distance->of(&away), 1000.0);
}

// Ten rows one apart and one that is far away, which comes first: the median of their gaps is one.
TEST(LabelDistance, IsInUnitsOfTheMedianGap) {
  Dataset data = shifted_rows(60, 11, 1, 1.0, 3);
  for (Index i = 0; i < 60; ++i) data.features(i, 0) = i == 0 ? 0.0 : 20.0 + static_cast<double>(i % 10);
  const Fitting fitting(data);
  const std::vector<Index> labeled{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const auto distance = LabelDistanceFit(fitting.fitter, labeled, 1).fit({});
  const double beyond = 34.0; // the last one is at 29
  EXPECT_NEAR(distance->of(&beyond), 5.0, 1e-6);
}

TEST(RatioModel, RoundTripAndDamage) {
  const Fitting fitting(shifted_rows(600, 200, 2, 1.0, 1));
  const LabelingFit labeling(fitting.fitter, quick_members(), 3, 1);
  const ClassModel classes = fitting.fitter.fit_classes(fitting.fitter.labeled_rows(), 1);
  const RatioModel model(labeling.fit());
  const MatrixView rows = fitting.data.features.view();
  std::vector<double> log_shares(at(rows.n_rows), 0.25);
  Archive archive;
  model.save(archive, "r/");
  const RatioModel loaded = RatioModel::load(archive, "r/", classes, nullptr);
  EXPECT_TRUE(loaded.is_by_classifier());
  EXPECT_EQ(loaded.log_ratios(rows, log_shares), model.log_ratios(rows, log_shares));
  // Where nothing was saved the densities, which a classifier has anyway, tell the ratio.
  EXPECT_FALSE(RatioModel::load({}, "r/", classes, nullptr).is_by_classifier());

  const auto expect_damage = [&](const std::string& name, auto value, const std::string& word) {
    Archive damaged = archive;
    damaged.put(name, value);
    expect_error(ErrorKind::data, {word}, [&] { RatioModel::load(damaged, "r/", classes, nullptr); });
  };
  expect_damage("r/log_odds", infinity, "r/labeling");
  Archive other = archive; // a classifier of three classes tells something else
  Dataset three = testing::two_classes(10, 10, 0);
  three.class_names.emplace_back("c");
  ClassPriorFamily().fit(three, {})->save(other, "r/labeling/");
  EXPECT_THROW(RatioModel::load(other, "r/", classes, nullptr), Error);
  // One of other features would read beyond the rows.
  ClassPriorFamily().fit(shifted_rows(10, 10, 3, 0.0, 1), {})->save(other, "r/labeling/");
  EXPECT_THROW(RatioModel::load(other, "r/", classes, nullptr), Error);
}

} // namespace
} // namespace lacuna::ratios_test
