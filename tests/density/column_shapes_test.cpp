// Columns that mixtures find difficult, and the densities that see them in another shape
// (docs/math/columns.md).

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include <gtest/gtest.h>

#include "density/shaped_density.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/density/families.hpp"
#include "tests/density/test_data.hpp"

namespace lacuna::column_shapes_test {
namespace {

using testing::log_densities;

constexpr double missing = std::numeric_limits<double>::quiet_NaN();
using Draw = std::function<double(RandomStream&)>;

double lognormal(RandomStream& random) {
  return std::exp(1.5 * random.normal());
}

/// Zero in two of five rows.
double zero_or_lognormal(RandomStream& random) {
  return random.uniform() < 0.4 ? 0.0 : lognormal(random);
}

Matrix column_of(Index n, std::uint64_t seed, const Draw& draw) {
  RandomStream random(seed, RandomPurpose::simulation);
  Matrix rows(n, 1);
  for (double& cell : rows.values()) cell = draw(random);
  return rows;
}

/// Numbers of which many are zero and the others have a long tail, and a plain number that goes with them.
Matrix zero_inflated(Index n, std::uint64_t seed) {
  RandomStream random(seed, RandomPurpose::simulation);
  Matrix rows(n, 2);
  for (Index i = 0; i < n; ++i) {
    rows(i, 0) = zero_or_lognormal(random);
    rows(i, 1) = (rows(i, 0) == 0.0 ? -1.0 : 0.5 * std::log(rows(i, 0))) + random.normal();
  }
  return rows;
}

std::shared_ptr<const ColumnShapes> shapes_of(const Matrix& rows, std::span<const Index> levels = {},
                                              std::span<const double> weights = {},
                                              bool may_lack_numbers = true, int threads = 1) {
  return fit_column_shapes(WeightedRows(rows.view(), weights), levels, may_lack_numbers, threads);
}

Matrix seen_by(const ColumnShapes& shapes, const Matrix& rows) {
  Matrix seen(rows.n_rows(), shapes.n_seen());
  for (Index i = 0; i < rows.n_rows(); ++i) shapes.see(rows.row(i), seen.row(i));
  return seen;
}

std::shared_ptr<const Density> fit_plain(const Matrix& rows, std::span<const Index> levels,
                                         const DensityOptions& options,
                                         std::span<const double> weights = {}) {
  DensityFitContext context;
  context.levels = levels;
  context.seed = 1;
  context.threads = 1;
  return make_density_family(options)->fit(WeightedRows(rows.view(), weights), context);
}

const VbMixtureOptions few_components{.components = 3};

std::shared_ptr<const ShapedDensity> fit_shaped(const Matrix& rows, std::span<const Index> levels = {},
                                                std::span<const double> weights = {},
                                                const VbMixtureOptions& options = few_components) {
  const auto shapes = shapes_of(rows, levels, weights);
  if (shapes == nullptr) throw Error(ErrorKind::internal, "no column of the test is difficult");
  return std::make_shared<ShapedDensity>(
      shapes, fit_plain(seen_by(*shapes, rows), shapes->levels(), options, weights), 0.0);
}

double mean(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

TEST(ColumnShapes, LeavesOrdinaryColumnsAsTheyAre) {
  const std::map<std::string, Draw> ordinary = {
      {"normal", [](RandomStream& r) { return r.normal(); }},
      {"uniform", [](RandomStream& r) { return r.uniform(); }},
      {"two clusters", [](RandomStream& r) { return (r.uniform() < 0.5 ? -3.0 : 3.0) + r.normal(); }},
      {"a small cluster far away",
       [](RandomStream& r) { return (r.uniform() < 0.05 ? 20.0 : 0.0) + r.normal(); }},
      {"a wide cluster",
       [](RandomStream& r) { return r.uniform() < 0.2 ? 4.0 + 2.0 * r.normal() : 0.3 * r.normal(); }},
      {"rounded", [](RandomStream& r) { return std::round(10.0 * r.normal()); }},
      {"few values, one of them frequent",
       [](RandomStream& r) { return r.uniform() < 0.6 ? 0.0 : std::floor(11.0 * r.uniform()); }},
      {"constant", [](RandomStream&) { return 7.0; }},
      {"no value", [](RandomStream&) { return missing; }}};
  for (const auto& [name, draw] : ordinary)
    for (std::uint64_t seed = 0; seed < 10; ++seed)
      EXPECT_EQ(shapes_of(column_of(1000, seed, draw)), nullptr) << name << ", seed " << seed;
}

TEST(ColumnShapes, FewRowsTellNoShape) {
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    EXPECT_EQ(shapes_of(column_of(49, seed, lognormal)), nullptr) << seed;
}

TEST(ColumnShapes, LongTailsAreShortenedWhereverTheyPoint) {
  const std::map<std::string, Draw> long_tails = {
      {"to the right", lognormal},
      {"to the left", [](RandomStream& r) { return 5.0 - lognormal(r); }},
      {"to both sides", [](RandomStream& r) { return std::sinh(3.0 * r.normal()); }},
      {"Cauchy", [](RandomStream& r) { return std::tan(3.14159265 * (r.uniform() - 0.5)); }}};
  for (const auto& [name, draw] : long_tails)
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const auto shapes = shapes_of(column_of(2000, seed, draw), {}, {}, false);
      ASSERT_NE(shapes, nullptr) << name << ", seed " << seed;
      EXPECT_GT(shapes->columns()[0].scale, 0.0);
      EXPECT_FALSE(shapes->columns()[0].spike);
    }
}

TEST(ColumnShapes, FindsASpikeWhereverItStands) {
  for (const double place : {0.0, -7.5, 1.25, 40.0}) // outside, at the edge and among the numbers
    for (std::uint64_t seed = 0; seed < 10; ++seed) {
      const Draw draw = [place](RandomStream& r) { return r.uniform() < 0.3 ? place : 1.0 + r.normal(); };
      const auto shapes = shapes_of(column_of(1000, seed, draw));
      ASSERT_NE(shapes, nullptr) << place << ", seed " << seed;
      EXPECT_EQ(shapes->columns()[0].spike, place);
      EXPECT_EQ(shapes->columns()[0].scale, 0.0);
      EXPECT_EQ(shapes->levels(), (std::vector<Index>{0, 2}));
    }
}

TEST(ColumnShapes, OnlyTheStrongestSpikesAreTaken) {
  RandomStream random(4, RandomPurpose::simulation);
  Matrix rows(2000, 5);
  for (Index i = 0; i < rows.n_rows(); ++i)
    for (Index j = 0; j < 5; ++j)
      rows(i, j) = random.uniform() < 0.2 + 0.1 * static_cast<double>(j) ? 0.0 : random.normal();
  const auto shapes = shapes_of(rows);
  ASSERT_NE(shapes, nullptr);
  for (std::size_t j = 0; j < 5; ++j) EXPECT_EQ(shapes->columns()[j].spike.has_value(), j >= 2) << j;
  EXPECT_EQ(shapes_of(rows, {}, {}, false), nullptr); // who takes no gaps gets none
}

TEST(ColumnShapes, SpikesArePaidForByRows) {
  // With k spikes there may be 2^k patterns of gaps, and 8 rows pay for a pattern and a column.
  RandomStream random(4, RandomPurpose::simulation);
  constexpr Index n_columns = 20;
  Matrix rows(8 * n_columns * 8, n_columns);
  for (double& value : rows.values()) value = random.uniform() < 0.4 ? 0.0 : random.normal();
  const auto n_spikes = [&](Index n_rows, std::span<const double> weights = {}) {
    const auto shapes =
        fit_column_shapes(WeightedRows(rows.view().middle_rows(0, n_rows), weights), {}, true, 1);
    if (shapes == nullptr) return std::ptrdiff_t{0};
    return std::count_if(shapes->columns().begin(), shapes->columns().end(),
                         [](const ColumnShape& column) { return column.spike.has_value(); });
  };
  EXPECT_EQ(n_spikes(8 * n_columns * 8), 3);
  EXPECT_EQ(n_spikes(8 * n_columns * 8 - 1), 2);
  EXPECT_EQ(n_spikes(8 * n_columns * 2), 1);
  EXPECT_EQ(n_spikes(8 * n_columns * 2 - 1), 0);
  EXPECT_EQ(n_spikes(8 * n_columns, std::vector<double>(8 * n_columns, 2.0)),
            1); // weight 2: the row twice
}

TEST(ColumnShapes, MissingValuesStayMissing) {
  const auto shapes = shapes_of(column_of(1000, 1, zero_or_lognormal));
  ASSERT_NE(shapes, nullptr);
  double seen[2];
  EXPECT_EQ(shapes->see(&missing, seen), 0.0);
  EXPECT_TRUE(std::isnan(seen[0]) && std::isnan(seen[1]));
  const double zero = 0.0;
  EXPECT_EQ(shapes->see(&zero, seen), 0.0);
  EXPECT_TRUE(std::isnan(seen[0]));
  EXPECT_EQ(seen[1], 1.0);
  const double number = 2.0;
  shapes->see(&number, seen);
  EXPECT_FALSE(std::isnan(seen[0]));
  EXPECT_EQ(seen[1], 0.0);
  const auto density = fit_shaped(zero_inflated(1000, 1));
  Matrix nothing(1, 2, {missing, missing});
  EXPECT_EQ(log_densities(*density, nothing)[0], 0.0);
}

TEST(ColumnShapes, TheWayBackIsTheInverse) {
  const Matrix rows = column_of(1000, 2, zero_or_lognormal);
  const auto shapes = shapes_of(rows);
  ASSERT_NE(shapes, nullptr);
  RandomStream random(1, RandomPurpose::simulation);
  for (Index i = 0; i < rows.n_rows(); ++i) {
    double seen[2];
    double back = 0.0;
    shapes->see(rows.row(i), seen);
    shapes->look_back(seen, random, &back);
    EXPECT_NEAR(back, rows(i, 0), 1e-12 * (1.0 + rows(i, 0)));
  }
  const double far[] = {1e6, 0.0};
  double back = 0.0;
  shapes->look_back(far, random, &back);
  EXPECT_EQ(back, 1e100);
}

TEST(ColumnShapes, WeightTwoIsTheRowTwiceAndOrderDoesNotMatter) {
  const Matrix rows = zero_inflated(600, 3);
  const testing::RowsTwice twice(rows);
  const auto weighted = shapes_of(rows, {}, twice.weights);
  const auto repeated = shapes_of(twice.repeated);
  Matrix reversed = rows;
  for (Index i = 0; i < rows.n_rows(); ++i)
    std::copy_n(rows.row(i), rows.n_cols(), reversed.row(rows.n_rows() - 1 - i));
  std::vector<double> reversed_weights(twice.weights.rbegin(), twice.weights.rend());
  const auto other_order = shapes_of(reversed, {}, reversed_weights);
  ASSERT_NE(weighted, nullptr);
  for (const auto& other : {repeated, other_order}) {
    ASSERT_NE(other, nullptr);
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_EQ(weighted->columns()[j].spike, other->columns()[j].spike);
      EXPECT_EQ(weighted->columns()[j].anchor, other->columns()[j].anchor);
      EXPECT_EQ(weighted->columns()[j].scale, other->columns()[j].scale);
    }
  }
}

TEST(ColumnShapes, ThreadsDoNotMatter) {
  const Matrix rows = zero_inflated(2000, 5);
  const auto one = shapes_of(rows, {}, {}, true, 1);
  const auto four = shapes_of(rows, {}, {}, true, 4);
  ASSERT_NE(one, nullptr);
  for (std::size_t j = 0; j < 2; ++j) {
    EXPECT_EQ(one->columns()[j].anchor, four->columns()[j].anchor);
    EXPECT_EQ(one->columns()[j].scale, four->columns()[j].scale);
  }
}

TEST(ColumnShapes, ExtremeNumbersAreSafe) {
  const Draw huge = [](RandomStream& r) { return (r.uniform() < 0.5 ? 1e100 : 1e-100) * r.normal(); };
  const Draw tiny = [](RandomStream& r) { return 1e-200 * lognormal(r); };
  for (const Draw& draw : {huge, tiny}) {
    const Matrix rows = column_of(500, 1, draw);
    const auto shapes = shapes_of(rows);
    if (shapes == nullptr) continue;
    for (Index i = 0; i < rows.n_rows(); ++i) {
      double seen[2];
      EXPECT_TRUE(std::isfinite(shapes->see(rows.row(i), seen)));
      EXPECT_TRUE(std::isfinite(seen[0]));
    }
  }
}

TEST(ShapedDensity, SpikeAndNumbersTogetherHaveMassOne) {
  const Matrix rows = column_of(1000, 6, zero_or_lognormal);
  for (const CovarianceType type : testing::all_types) {
    const auto density = fit_shaped(rows, {}, {}, {.components = 3, .covariance = type});
    const ColumnShape& shape = density->shapes().columns()[0];
    ASSERT_EQ(shape.spike, 0.0);
    const double mass = std::exp(log_densities(*density, Matrix(1, 1))[0]);
    const double share = static_cast<double>(std::ranges::count(rows.values(), 0.0)) / 1000.0;
    EXPECT_NEAR(mass, share, 0.01);
    constexpr int n = 40000;
    constexpr double reach = 300.0;
    Matrix points(n, 1);
    const auto at = [](int i) { return reach * (2.0 * (i + 0.5) / n - 1.0); };
    for (int i = 0; i < n; ++i) points(i, 0) = shape.anchor + shape.scale * std::sinh(at(i));
    const std::vector<double> values = log_densities(*density, points);
    double sum = 0.0;
    for (int i = 0; i < n; ++i)
      sum +=
          std::exp(values[static_cast<std::size_t>(i)] + std::log(shape.scale) + std::log(std::cosh(at(i))));
    EXPECT_NEAR(mass + sum * 2.0 * reach / n, 1.0, 1e-4) << to_string(type);
  }
}

TEST(ShapedDensity, FreshRowsAreLikelierByFar) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const Matrix rows = zero_inflated(2000, seed);
    const Matrix fresh = zero_inflated(2000, seed + 100);
    std::vector<double> plain = log_densities(*fit_plain(rows, {}, VbMixtureOptions{}), fresh);
    // A density and a mass cannot be compared. For zeros the plain one gets its mass of all numbers that are
    // nearly zero, the other one that of zero alone.
    constexpr double nearly = 0.01;
    for (Index i = 0; i < fresh.n_rows(); ++i)
      if (fresh(i, 0) == 0.0) plain[static_cast<std::size_t>(i)] += std::log(2.0 * nearly);
    const std::vector<double> shaped = log_densities(*fit_shaped(rows, {}, {}, {}), fresh);
    EXPECT_GT(mean(shaped), mean(plain) + 0.5) << seed;
  }
}

TEST(ShapedDensity, ShiftAndScaleChangeNothingElse) {
  Matrix rows = zero_inflated(1000, 8);
  // In steps of 2^-20, so that no digit is lost.
  for (double& cell : rows.values()) cell = std::round(std::ldexp(cell, 20)) / std::ldexp(1.0, 20);
  Matrix changed = rows;
  for (double& cell : changed.values()) cell = 8.0 - 4.0 * cell;
  const std::vector<double> before = log_densities(*fit_shaped(rows), rows);
  const auto density = fit_shaped(changed);
  EXPECT_EQ(density->shapes().columns()[0].spike, 8.0);
  const std::vector<double> after = log_densities(*density, changed);
  for (Index i = 0; i < rows.n_rows(); ++i) {
    const double n_numbers = rows(i, 0) == 0.0 ? 1.0 : 2.0;
    EXPECT_NEAR(after[static_cast<std::size_t>(i)],
                before[static_cast<std::size_t>(i)] - n_numbers * std::log(4.0), 1e-6);
  }
}

TEST(ShapedDensity, DrawsLikeTheRows) {
  const Matrix rows = zero_inflated(4000, 9);
  const auto density = fit_shaped(rows);
  RandomStream random(2, RandomPurpose::simulation);
  double zeros = 0.0;
  double logs = 0.0;
  for (int i = 0; i < 4000; ++i) {
    double row[2];
    density->sample(random, row);
    zeros += row[0] == 0.0 ? 1.0 : 0.0;
    logs += row[0] > 0.0 ? std::log(row[0]) : 0.0;
  }
  EXPECT_NEAR(zeros / 4000.0, 0.4, 0.04); // standard error of both shares together: 0.011
  EXPECT_NEAR(logs / (4000.0 - zeros), 0.0, 0.2);
}

/// One column of 14 categories: four frequent ones and ten that few rows have, one of them none.
Matrix many_categories() {
  std::vector<double> cells;
  for (int level = 0; level < 4; ++level) cells.insert(cells.end(), 100, level);
  for (int level = 4; level < 13; ++level)
    cells.insert(cells.end(), static_cast<std::size_t>(level - 3), level);
  const auto n = static_cast<Index>(cells.size());
  return {n, 1, std::move(cells)};
}
const std::vector<Index> fourteen = {14};

TEST(ColumnShapes, RareCategoriesAreTakenAsOne) {
  const Matrix rows = many_categories();
  const auto density = fit_shaped(rows, fourteen, {}, {.components = 1});
  EXPECT_EQ(density->shapes().levels(), (std::vector<Index>{5}));
  Matrix levels(14, 1);
  for (Index l = 0; l < 14; ++l) levels(l, 0) = static_cast<double>(l);
  const std::vector<double> values = log_densities(*density, levels);
  // 45 rows have a rare category. One row more of each of five categories, and of each rare one among them.
  const double total = 400.0 + 45.0 + 5.0;
  double sum = 0.0;
  for (int l = 0; l < 14; ++l) {
    const double n_rows = l < 4 ? 100.0 : l < 13 ? l - 3.0 : 0.0;
    const double expected = l < 4 ? 101.0 / total : 46.0 / total * (n_rows + 1.0) / (45.0 + 10.0);
    EXPECT_NEAR(std::exp(values[static_cast<std::size_t>(l)]), expected, 1e-12) << l;
    sum += std::exp(values[static_cast<std::size_t>(l)]);
  }
  EXPECT_NEAR(sum, 1.0, 1e-12);
  EXPECT_EQ(log_densities(*density, Matrix(1, 1, {missing}))[0], 0.0);
  EXPECT_EQ(log_densities(*density, Matrix(1, 1, {14.0}))[0], 0.0); // unseen: as good as missing
}

TEST(ColumnShapes, FewCategoriesStayAsTheyAre) {
  Matrix rows = many_categories();
  EXPECT_EQ(shapes_of(rows, std::vector<Index>{10}), nullptr);
}

TEST(ColumnShapes, AnIdentifierSaysNothingAboutTheClass) {
  Matrix rows(300, 1);
  for (Index i = 0; i < 300; ++i) rows(i, 0) = static_cast<double>(i);
  const auto shapes = shapes_of(rows, std::vector<Index>{300});
  ASSERT_NE(shapes, nullptr);
  EXPECT_EQ(shapes->levels(), (std::vector<Index>{2}));
  EXPECT_EQ(std::ranges::count(shapes->columns()[0].joined, 0), 299);
}

TEST(ShapedDensity, RareCategoriesAreDrawnByTheirShares) {
  const auto density = fit_shaped(many_categories(), fourteen, {}, {.components = 1});
  RandomStream random(3, RandomPurpose::simulation);
  std::vector<double> count(14);
  constexpr int n = 20000;
  for (int i = 0; i < n; ++i) {
    double level = 0.0;
    density->sample(random, {&level, 1});
    count[static_cast<std::size_t>(level)] += 1.0;
  }
  for (Index l = 0; l < 14; ++l) {
    const double p = std::exp(log_densities(*density, Matrix(1, 1, {static_cast<double>(l)}))[0]);
    EXPECT_NEAR(count[static_cast<std::size_t>(l)] / n, p, 5.0 * std::sqrt(p / n)) << l;
  }
}

TEST(ColumnShapes, AreToldInWords) {
  Matrix rows(445, 2);
  const Matrix numbers = column_of(445, 1, zero_or_lognormal);
  const Matrix categories = many_categories();
  for (Index i = 0; i < 445; ++i) {
    rows(i, 0) = numbers(i, 0);
    rows(i, 1) = categories(i, 0);
  }
  const auto shapes = shapes_of(rows, std::vector<Index>{0, 14});
  ASSERT_NE(shapes, nullptr);
  EXPECT_EQ(shapes->describe(std::vector<std::string>{"gain", "town"}),
            "columns taken as a spike and a number: gain (0); columns on a log-like scale: gain; rare "
            "categories taken as one: town (10 of 14)");
  EXPECT_TRUE(shapes->describe({}).starts_with("columns taken as a spike and a number: 1 (0)"));
}

/// A density with a spike, a scale and joined categories.
std::shared_ptr<const ShapedDensity> difficult_density(Matrix& rows) {
  const Matrix numbers = zero_inflated(445, 1);
  const Matrix categories = many_categories();
  rows = Matrix(445, 3);
  for (Index i = 0; i < 445; ++i) {
    std::copy_n(numbers.row(i), 2, rows.row(i));
    rows(i, 2) = categories((i * 7) % 445, 0);
  }
  rows(3, 0) = rows(4, 1) = rows(5, 2) = missing;
  return fit_shaped(rows, std::vector<Index>{0, 0, 14});
}

TEST(ShapedDensity, ComesBackFromAnArchive) {
  Matrix rows;
  const auto density = difficult_density(rows);
  Archive archive;
  density->save(archive, "d/");
  const std::shared_ptr<const Density> back = load_density(archive, "d/");
  EXPECT_EQ(back->n_features(), 3);
  EXPECT_TRUE(back->handles_missing_values());
  EXPECT_EQ(log_densities(*density, rows), log_densities(*back, rows));
  EXPECT_EQ(density->summary().objective, back->summary().objective);
}

TEST(ShapedDensity, ADamagedArchiveIsRefused) {
  Matrix rows;
  const auto density = difficult_density(rows);
  Archive whole;
  density->save(whole, "");
  const std::vector<std::pair<std::string, std::vector<double>>> damages = {
      {"shapes/scale", {-1.0, 0.0, 0.0}},
      {"shapes/scale", {missing, 0.0, 0.0}},
      {"shapes/anchor", {1.0, 2.0}},
      {"shapes/anchor", {missing, 0.0, 0.0}},
      {"shapes/levels", {0.0, 0.5, 14.0}},
      {"shapes/levels", {14.0, 0.0, 14.0}},
      {"shapes/has_spike", {2.0, 0.0, 0.0}},
      {"shapes/has_spike", {0.0, 0.0, 0.0}},
      {"shapes/spike", {missing, 0.0, 0.0}},
      {"shapes/2/joined", std::vector<double>(14, 20.0)},
      {"shapes/2/joined", std::vector<double>(14, 1.0)},
      {"shapes/2/log_part", std::vector<double>(14, 0.0)}};
  for (const auto& [name, values] : damages) {
    Archive damaged = whole;
    damaged.put(name, values);
    try {
      load_density(damaged, "");
      ADD_FAILURE() << name;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::data) << name;
    }
  }
}

TEST(ShapedDensity, ItsNameIsNoFamilys) {
  const std::vector<std::string> names = density_family_names();
  EXPECT_EQ(std::ranges::count(names, ShapedDensity::name), 0);
  DensityFamilyEntry entry = *density_families().front();
  entry.name = ShapedDensity::name;
  EXPECT_THROW(register_density_family(entry), Error);
}

} // namespace
} // namespace lacuna::column_shapes_test
