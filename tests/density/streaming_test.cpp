// Fits from blocks equal fits from memory; statistics add up (docs/streaming.md).

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "density/fit_rows.hpp"
#include "lacuna/density/families.hpp"
#include "lacuna/density/mixture_statistics.hpp"
#include "tests/data/files.hpp"
#include "tests/density/test_data.hpp"
#include "tests/expect_error.hpp"

namespace lacuna::streaming_test {
namespace {

using test::expect_error;
using testing::log_densities;
using testing::random_blobs;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Rows in memory, handed out in blocks of uneven sizes.
class Blocks : public RowSource {
public:
  Blocks(MatrixView rows, std::span<const double> weights, Index largest)
      : rows_(rows), weights_(weights), largest_(largest) {}
  void rewind() override {
    at_ = 0;
    ++n_passes;
  }
  std::optional<WeightedRows> next() override {
    if (at_ == rows_.n_rows) return std::nullopt;
    const Index count = std::min(1 + (at_ * 7919) % largest_, rows_.n_rows - at_);
    const MatrixView part = rows_.middle_rows(at_, count);
    const auto weights =
        weights_.empty() ? weights_
                         : weights_.subspan(static_cast<std::size_t>(at_), static_cast<std::size_t>(count));
    at_ += count;
    return WeightedRows(part, weights);
  }

  Index n_passes = 0;

private:
  MatrixView rows_;
  std::span<const double> weights_;
  Index largest_;
  Index at_ = 0;
};

DensityOptions options_of(const std::string& density, CovarianceType covariance = CovarianceType::full) {
  if (density == "gmm") return GmmOptions{.components = 4, .covariance = covariance};
  if (density == "vb-gmm") return VbMixtureOptions{.covariance = covariance};
  return density;
}

void expect_same_density(const Density& a, const Density& b, const Matrix& rows, double tolerance) {
  const std::vector<double> ours = log_densities(a, rows);
  const std::vector<double> theirs = log_densities(b, rows);
  for (std::size_t i = 0; i < ours.size(); ++i)
    ASSERT_NEAR(ours[i], theirs[i], tolerance * std::max(1.0, std::abs(theirs[i]))) << "row " << i;
}

void expect_same_fit(const Density& streamed, const Density& whole, const Matrix& rows) {
  EXPECT_EQ(streamed.summary().n_components, whole.summary().n_components);
  EXPECT_EQ(streamed.summary().n_iterations, whole.summary().n_iterations);
  EXPECT_NEAR(streamed.summary().objective, whole.summary().objective,
              1e-9 * std::abs(whole.summary().objective));
  expect_same_density(streamed, whole, rows, 1e-9);
}

std::vector<double> uneven_weights(Index n) {
  std::vector<double> weights;
  for (Index i = 0; i < n; ++i) weights.push_back(static_cast<double>(i % 5) * 0.5);
  return weights;
}

TEST(StreamingFit, EqualsTheFitInMemory) {
  const Matrix rows = random_blobs(3, 4000, 3, 4, 4.0);
  const std::vector<double> weights = uneven_weights(4000);
  for (const char* density : {"vb-gmm", "gmm"})
    for (const CovarianceType type : testing::all_types)
      for (const bool weighted : {false, true}) {
        DensityOptions options = options_of(density, type);
        if (auto* const vb = options.as<VbMixtureOptions>()) vb->own_covariance = weighted;
        const auto family = make_density_family(options);
        const std::span<const double> w = weighted ? weights : std::span<const double>();
        Blocks blocks(rows.view(), w, 900);
        expect_same_fit(*family->fit_blocks(blocks, {}), *family->fit(WeightedRows(rows.view(), w), {}),
                        rows);
      }
}

/// More rows than a start looks at, so that both fits must draw the same ones.
TEST(StreamingFit, EqualsTheFitInMemoryWhenTheStartIsASample) {
  const Matrix rows = random_blobs(4, 100000, 2, 5, 6.0);
  const std::vector<double> weights = uneven_weights(100000);
  for (const char* density : {"vb-gmm", "gmm"}) {
    const auto family = make_density_family(options_of(density));
    Blocks blocks(rows.view(), weights, 9000);
    expect_same_fit(*family->fit_blocks(blocks, {}), *family->fit(WeightedRows(rows.view(), weights), {}),
                    rows);
  }
}

TEST(StreamingFit, EqualsTheFitInMemoryWithGapsAndCategories) {
  Matrix rows = random_blobs(5, 3000, 3, 3, 5.0);
  RandomStream random(5, RandomPurpose::simulation, 1);
  testing::add_categories_and_gaps(rows, 0.3, random);
  const std::vector<Index> levels = {0, 0, 3};
  DensityFitContext context;
  context.levels = levels;
  const auto family = make_density_family(options_of("vb-gmm"));
  Blocks blocks(rows.view(), {}, 500);
  expect_same_fit(*family->fit_blocks(blocks, context), *family->fit(WeightedRows(rows.view()), context),
                  rows);
}

TEST(StreamingFit, HugeOffsetsLoseNoDigits) {
  const Matrix near = random_blobs(6, 3000, 2, 3, 5.0);
  Matrix far = near;
  for (double& v : far.values()) v = std::round(v * 1024.0) / 1024.0; // exact at the offset, too
  const Matrix rounded = far;
  for (double& v : far.values()) v += 1e9;
  for (const char* density : {"vb-gmm", "gmm"}) {
    const auto family = make_density_family(options_of(density));
    Blocks near_blocks(rounded.view(), {}, 700);
    Blocks far_blocks(far.view(), {}, 700);
    const auto here = family->fit_blocks(near_blocks, {});
    const auto there = family->fit_blocks(far_blocks, {});
    // A mean near 1e9 is itself rounded to 1e-7, and with it the centre of the frame.
    EXPECT_NEAR(here->summary().objective, there->summary().objective,
                1e-6 * std::abs(here->summary().objective));
    const auto statistics_at = [](const Density& mixture, const Matrix& rows) {
      MixtureStatistics statistics(mixture);
      statistics.add(mixture, WeightedRows(rows.view()));
      return statistics.objective(mixture);
    };
    EXPECT_NEAR(statistics_at(*here, rounded), statistics_at(*there, far),
                1e-6 * std::abs(here->summary().objective));
  }
}

TEST(StreamingFit, WarmStartAndSingleStep) {
  const Matrix rows = random_blobs(7, 2000, 3, 4, 4.0);
  for (const char* density : {"vb-gmm", "gmm"}) {
    const DensityOptions options =
        testing::with_mixture(options_of(density), [](auto& o) { o.max_iterations = 2; });
    const auto family = make_density_family(options);
    const auto start = family->fit(WeightedRows(rows.view()), {});
    DensityFitContext context;
    context.warm_start = start.get();
    for (const bool single : {true, false}) {
      context.single_step = single;
      Blocks blocks(rows.view(), {}, 300);
      expect_same_fit(*family->fit_blocks(blocks, context), *family->fit(WeightedRows(rows.view()), context),
                      rows);
    }
  }
}

TEST(StreamingFit, SameBitsForAnyNumberOfThreads) {
  const Matrix rows = random_blobs(8, 20000, 3, 4, 4.0);
  const auto family = make_density_family(options_of("vb-gmm"));
  std::vector<double> first;
  for (const int threads : {1, 2, 5}) {
    DensityFitContext context;
    context.threads = threads;
    Blocks blocks(rows.view(), {}, 9000);
    const std::vector<double> found = log_densities(*family->fit_blocks(blocks, context), rows);
    if (first.empty()) first = found;
    EXPECT_EQ(first, found);
  }
}

TEST(StreamingFit, ReadsATableFile) {
  std::string csv = "x,y\n";
  Matrix rows = random_blobs(9, 500, 2, 2, 5.0);
  for (Index i = 0; i < rows.n_rows(); ++i) {
    for (Index j = 0; j < 2; ++j) rows(i, j) = std::round(rows(i, j) * 64.0) / 64.0;
    csv += std::to_string(rows(i, 0)) + "," + std::to_string(rows(i, 1)) + "\n";
  }
  const test::TempFile file(csv);
  TableSchema schema;
  schema.columns = {{"x", false, {}, false}, {"y", false, {}, false}};
  TableRows table(file.path(), schema, {}, 64);
  const auto family = make_density_family(options_of("vb-gmm"));
  expect_same_fit(*family->fit_blocks(table, {}), *family->fit(WeightedRows(rows.view()), {}), rows);
}

/// A source whose rows are gone at the second reading.
class Leaking : public Blocks {
public:
  using Blocks::Blocks;
  std::optional<WeightedRows> next() override { return n_passes > 2 ? std::nullopt : Blocks::next(); }
};

TEST(StreamingFit, SaysWhatIsWrong) {
  Matrix rows = random_blobs(10, 100, 2, 2, 5.0);
  const auto vb = make_density_family(options_of("vb-gmm"));
  const auto fit = [&](const DensityFamily& family, const Matrix& data, std::span<const double> weights) {
    Blocks blocks(data.view(), weights, 30);
    family.fit_blocks(blocks, {});
  };
  expect_error(ErrorKind::data, {"positive weight"}, [&] { fit(*vb, Matrix(), {}); });
  expect_error(ErrorKind::data, {"positive weight"}, [&] { fit(*vb, rows, std::vector<double>(100, 0.0)); });
  expect_error(ErrorKind::usage, {"in memory", "vb-gmm"},
               [&] { fit(*make_density_family(options_of("kde")), rows, {}); });
  std::vector<double> weights(100, 1.0);
  weights[70] = -1.0;
  expect_error(ErrorKind::data, {"row 71", "weight", "-1"}, [&] { fit(*vb, rows, weights); });
  rows(41, 1) = std::numeric_limits<double>::infinity();
  expect_error(ErrorKind::data, {"row 42", "column '2'", "inf"}, [&] { fit(*vb, rows, {}); });
  rows(41, 1) = nan;
  expect_error(ErrorKind::data, {"row 42", "column '2'", "gmm", "vb-gmm"},
               [&] { fit(*make_density_family(options_of("gmm")), rows, {}); });
  Leaking leaking(rows.view(), {}, 30);
  expect_error(ErrorKind::data, {"100", "changed"}, [&] { vb->fit_blocks(leaking, {}); });
}

/// Every weighted sum over the sample has the right expectation, with a standard deviation of at most
/// total / sqrt(65535): 5 of them bound the error here, a false alarm of less than one in a million.
TEST(StreamingFit, StartSampleStandsForAllRows) {
  const Index n = 200000;
  Matrix rows(n, 1);
  std::vector<double> weights;
  double total = 0.0;
  double upper_half = 0.0;
  for (Index i = 0; i < n; ++i) {
    rows(i, 0) = static_cast<double>(i);
    weights.push_back(
        i == 7
            ? 1e5
            : std::exp(RandomStream(1, RandomPurpose::simulation, static_cast<std::uint64_t>(i)).normal()));
    total += weights.back();
    if (i >= n / 2) upper_half += weights.back();
  }
  const WeightedRows all(rows.view(), weights);
  const Frame frame = make_frame(all, {}, {}, {}, 0.0);
  const StartSample sample = FitRows(all, frame).sample(1, 2, silent_observer());
  ASSERT_EQ(sample.rows.n_rows(), 65536);
  double sampled_total = 0.0;
  double sampled_upper = 0.0;
  double weight_of_largest = 0.0;
  for (Index i = 0; i < sample.rows.n_rows(); ++i) {
    EXPECT_TRUE(i == 0 || sample.rows(i, 0) > sample.rows(i - 1, 0));
    if (sample.rows(i, 0) == 7.0) weight_of_largest = sample.weights[static_cast<std::size_t>(i)];
    sampled_total += sample.weights[static_cast<std::size_t>(i)];
    if (sample.rows(i, 0) >= static_cast<double>(n / 2))
      sampled_upper += sample.weights[static_cast<std::size_t>(i)];
  }
  EXPECT_EQ(weight_of_largest, 1e5);
  const double deviation = total / std::sqrt(65535.0);
  EXPECT_NEAR(sampled_total, total, 5.0 * deviation);
  EXPECT_NEAR(sampled_upper, upper_half, 5.0 * deviation);
}

class Statistics : public ::testing::TestWithParam<const char*> {
protected:
  Statistics() : rows(random_blobs(11, 1500, 3, 3, 4.0)), options(options_of(GetParam())) {
    options = testing::with_mixture(options, [](auto& o) { o.max_iterations = 2; });
    mixture = make_density_family(options)->fit(WeightedRows(rows.view()), {});
  }
  MixtureStatistics of_rows(Index first, Index count) const {
    MixtureStatistics statistics(*mixture);
    statistics.add(*mixture, WeightedRows(rows.view().middle_rows(first, count)));
    return statistics;
  }
  static Archive saved(const MixtureStatistics& statistics) {
    Archive archive;
    statistics.save(archive, "s/");
    return archive;
  }
  /// Largest difference of any number, relative to the largest number of the same tensor in `scale`.
  static double difference(const MixtureStatistics& a, const MixtureStatistics& b,
                           const MixtureStatistics& scale) {
    const Archive left = saved(a);
    const Archive right = saved(b);
    double worst = 0.0;
    const Archive sizes = saved(scale);
    for (const auto& [name, tensor] : sizes.tensors()) {
      double size = 1e-300;
      for (const double v : tensor.values) size = std::max(size, std::abs(v));
      for (std::size_t i = 0; i < tensor.values.size(); ++i)
        worst = std::max(worst, std::abs(left.tensor(name).values[i] - right.tensor(name).values[i]) / size);
    }
    return worst;
  }

  Matrix rows;
  DensityOptions options;
  std::shared_ptr<const Density> mixture;
};

TEST_P(Statistics, OfBlocksInAnyOrderAddUpToThoseOfAllRows) {
  const MixtureStatistics whole = of_rows(0, 1500);
  MixtureStatistics forwards(*mixture);
  MixtureStatistics backwards(*mixture);
  for (Index b = 0; b < 15; ++b) {
    forwards.add(of_rows(b * 100, 100));
    backwards.add(of_rows((14 - b) * 100, 100));
  }
  EXPECT_LT(difference(forwards, whole, whole), 1e-13);
  EXPECT_LT(difference(backwards, whole, whole), 1e-13);
  EXPECT_EQ(whole.total_weight(), 1500.0);
}

TEST_P(Statistics, AddThenSubtractGivesTheOriginal) {
  const MixtureStatistics original = of_rows(0, 500);
  MixtureStatistics total = original;
  total.add(of_rows(500, 1000));
  const MixtureStatistics largest = total;
  total.subtract(of_rows(500, 1000));
  EXPECT_LT(difference(total, original, largest), 1e-12);
  EXPECT_LT(difference(largest, of_rows(0, 1500), largest), 1e-12);
}

TEST_P(Statistics, UpdateIsTheStepOfAFit) {
  const auto updated = update_mixture(*mixture, of_rows(0, 1500), options);
  DensityFitContext context;
  context.warm_start = mixture.get();
  context.single_step = true;
  const auto step = make_density_family(options)->fit(WeightedRows(rows.view()), context);
  expect_same_density(*updated, *step, rows, 1e-12);
  EXPECT_EQ(updated->family(), GetParam());
  EXPECT_NEAR(updated->summary().objective, step->summary().objective,
              1e-12 * std::abs(step->summary().objective));
  EXPECT_EQ(updated->summary().measures.size(), step->summary().measures.size());
}

TEST_P(Statistics, ObjectiveNeverFallsAndEndsWhereTheFitDoes) {
  const DensityOptions all_the_way = testing::with_mixture(options, [](auto& o) {
    o.max_iterations = 10000;
    o.tolerance = 1e-13;
  });
  std::shared_ptr<const Density> current = mixture;
  double before = -std::numeric_limits<double>::infinity();
  for (int step = 0; step < 400; ++step) {
    MixtureStatistics statistics(*current);
    for (Index first = 0; first < 1500; first += 250)
      statistics.add(*current, WeightedRows(rows.view().middle_rows(first, 250)));
    const double objective = statistics.objective(*current);
    EXPECT_GE(objective, before - 1e-9 * std::abs(objective));
    before = objective;
    current = update_mixture(*current, statistics, options);
  }
  DensityFitContext context;
  context.warm_start = current.get();
  const auto fitted = make_density_family(all_the_way)->fit(WeightedRows(rows.view()), context);
  // A fit of vb-gmm may switch components off at the end and give up 0.1 nats for each of the seven.
  EXPECT_GE(fitted->summary().objective, before - 0.7);
  if (options.family() == "gmm") {
    EXPECT_NEAR(fitted->summary().objective, before, 1e-6 * std::abs(before));
  }
}

TEST_P(Statistics, ComeBackFromAnArchive) {
  const MixtureStatistics statistics = of_rows(0, 700);
  const MixtureStatistics loaded = MixtureStatistics::load(saved(statistics), "s/");
  EXPECT_EQ(difference(loaded, statistics, statistics), 0.0);
  EXPECT_EQ(loaded.objective(*mixture), statistics.objective(*mixture));
  Archive damaged = saved(statistics);
  damaged.put("s/first", Matrix(1, 1));
  expect_error(ErrorKind::data, {"s/first"}, [&] { MixtureStatistics::load(damaged, "s/"); });
  damaged = saved(statistics);
  damaged.put("s/sums", std::vector<double>{nan, 1.0, 0.0});
  expect_error(ErrorKind::data, {"not finite"}, [&] { MixtureStatistics::load(damaged, "s/"); });
}

TEST_P(Statistics, OfAnotherMixtureAreRefused) {
  const MixtureStatistics statistics = of_rows(0, 700);
  const auto next = update_mixture(*mixture, statistics, options);
  MixtureStatistics others(*next);
  expect_error(ErrorKind::usage, {"another mixture"}, [&] { others.add(statistics); });
  expect_error(ErrorKind::usage, {"another mixture"}, [&] { update_mixture(*next, statistics, options); });
  expect_error(ErrorKind::data, {"no rows"}, [&] { update_mixture(*next, others, options); });
  expect_error(ErrorKind::data, {"4 columns", "3"},
               [&] { others.add(*next, WeightedRows(Matrix(2, 4).view())); });
  const auto kde = make_density_family(options_of("kde"))->fit(WeightedRows(rows.view()), {});
  expect_error(ErrorKind::usage, {"kde"}, [&] { MixtureStatistics{*kde}; });
}

INSTANTIATE_TEST_SUITE_P(Families, Statistics, ::testing::Values("vb-gmm", "gmm"),
                         [](const auto& family) { return std::string(family.param).substr(0, 2); });

} // namespace
} // namespace lacuna::streaming_test
