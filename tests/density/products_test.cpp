// Passes by matrix products beside those of the kernels: with libtorch on the CPU, and on a GPU where one is.

#include <fstream>
#include <numbers>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/index.hpp"
#include "core/pass_place.hpp"
#include "core/torch_library.hpp"
#include "density/fit_rows.hpp"
#include "density/placed_rows.hpp"
#include "density/product_mixture.hpp"
#include "math/cholesky.hpp"
#include "test_data.hpp"

using namespace lacuna;
using namespace lacuna::testing;

namespace {

constexpr double tolerance = 1e-9;

/// A mixture and rows drawn from it. `spread` is the components' size where their centres lie about 1 from
/// the origin, `skew` how much longer than thin they are.
struct Drawn {
  struct Shape {
    Index n_rows;
    Index n_features;
    Index n_components;
    double spread;
    double skew = 1.0;
    bool is_diagonal = false;
    bool is_student = false;
  };

  explicit Drawn(const Shape& shape, std::uint64_t seed = 0)
      : frame(Frame::identity(shape.n_features)), rows(shape.n_rows, shape.n_features) {
    const Index d = shape.n_features;
    RandomStream random(seed, RandomPurpose::simulation);
    terms.is_diagonal = shape.is_diagonal;
    terms.mean = Matrix(shape.n_components, d);
    terms.whitener = Matrix(shape.n_components, shape.is_diagonal ? d : d * (d + 1) / 2);
    if (shape.is_student) terms.shape = MixtureTerms::Shape::student;
    for (double& m : terms.mean.values()) m = random.normal();
    for (Index k = 0; k < shape.n_components; ++k) {
      double log_det = 0.0;
      double* a = terms.whitener.row(k);
      for (Index i = 0; i < d; ++i) {
        const double width = shape.spread * (i % 2 == 0 ? 1.0 : 1.0 / shape.skew) * (0.5 + random.uniform());
        log_det -= std::log(width);
        for (Index j = shape.is_diagonal ? i : 0; j < i; ++j)
          *a++ = (random.uniform() - 0.5) * (shape.skew > 1.0 ? 1.0 : 0.5) / width;
        *a++ = shape.is_diagonal ? 1.0 / (width * width) : 1.0 / width;
      }
      const double dof = 5.0 + 1000.0 * random.uniform();
      const double log_weight = -std::log(static_cast<double>(shape.n_components));
      terms.power.push_back(0.5 * (dof + static_cast<double>(d)));
      terms.factor.push_back(1.0 / dof);
      terms.constant.push_back(log_weight + log_det -
                               0.5 * static_cast<double>(d) * std::log(2.0 * std::numbers::pi));
    }
    for (Index i = 0; i < shape.n_rows; ++i) {
      const auto k = static_cast<Index>(random.uniform() * static_cast<double>(shape.n_components));
      const std::vector<double> x = draw_component(terms, k, random);
      std::copy(x.begin(), x.end(), rows.row(i));
    }
  }

  WeightedRows weighted() const { return WeightedRows(rows.view(), weights); }

  Frame frame;
  MixtureTerms terms;
  Matrix rows;
  std::vector<double> weights;
};

std::vector<PassPlace> places() {
  std::vector<PassPlace> all{PassPlace::torch_on_cpu};
  if (gpu_problem().empty()) all.push_back(PassPlace::gpu);
  return all;
}

class Products : public ::testing::Test {
protected:
  void SetUp() override {
#ifdef LACUNA_TORCH
    ASSERT_EQ(torch_problem(), "");
#else
    GTEST_SKIP() << torch_problem();
#endif
  }
};

/// Each sum against its natural size: of rows, of their standard deviations, of products of these.
double largest_difference(const MixtureMoments& a, const MixtureMoments& b) {
  double largest = std::abs(a.log_likelihood - b.log_likelihood) / std::max(1.0, std::abs(b.log_likelihood));
  for (Index k = 0; k < b.n_components(); ++k) {
    const double n = b.zeroth[at(k)];
    const Index d = b.n_features();
    const auto scatter = [&](Index i) { return b.second(k, b.is_diagonal ? i : i * (i + 1) / 2 + i); };
    const double rows = std::max(n, 1.0); // components without a row have sums near nothing
    largest = std::max(largest, std::abs(a.zeroth[at(k)] - n) / rows);
    Index place = 0;
    for (Index i = 0; i < d; ++i) {
      if (n < 1e-3) continue;
      largest = std::max(largest, std::abs(a.first(k, i) - b.first(k, i)) / std::sqrt(rows * scatter(i)));
      for (Index j = b.is_diagonal ? i : 0; j <= i; ++j, ++place)
        largest = std::max(largest, std::abs(a.second(k, place) - b.second(k, place)) /
                                        std::sqrt(scatter(i) * scatter(j)));
    }
  }
  return largest;
}

MixtureMoments kernels_collect(const Drawn& drawn) {
  return collect_moments(drawn.weighted(), drawn.frame, drawn.terms, 2, silent_observer());
}

std::unique_ptr<PlacedRows> placed(const Drawn& drawn, PassPlace place) {
  const PassesAt at_place(place);
  return PlacedRows::place(drawn.weighted(), drawn.frame);
}

std::vector<double> log_densities_at(const Drawn& drawn, const Matrix& rows, PassPlace place) {
  const PassesAt at_place(place);
  std::vector<double> out(at(rows.n_rows()));
  write_log_density(WeightedRows(rows.view()), drawn.frame, drawn.terms, out);
  return out;
}

// From clusters that overlap to some a millionth as wide as far from the origin, round, skew and needle-like.
const Drawn::Shape shapes[] = {
    {10000, 1, 1, 1.0},
    {12345, 3, 5, 0.5},
    {20000, 10, 50, 0.3},
    {15000, 5, 7, 0.03},
    {15000, 5, 7, 0.008},
    {15000, 5, 7, 1e-3},
    {15000, 4, 6, 1e-6},
    {15000, 6, 4, 0.3, 30.0},
    {15000, 6, 4, 0.1, 1e3},
    {15000, 6, 4, 0.1, 1e5},
    {15000, 5, 9, 0.5, 1.0, true},
    {15000, 5, 9, 1e-3, 1.0, true},
    {15000, 5, 9, 1e-6, 100.0, true},
    {11000, 32, 20, 0.5},
};

TEST_F(Products, PassesAreThoseOfTheKernels) {
  for (const Drawn::Shape& shape : shapes)
    for (const bool is_weighted : {false, true}) {
      Drawn drawn(shape, 1);
      RandomStream random(2, RandomPurpose::simulation);
      if (is_weighted) drawn.weights = random_weights(shape.n_rows, random);
      const MixtureMoments expected = kernels_collect(drawn);
      for (const PassPlace place : places()) {
        const MixtureMoments got = placed(drawn, place)->collect(drawn.terms).value();
        EXPECT_LT(largest_difference(got, expected), tolerance)
            << shape.n_features << " features, spread " << shape.spread << ", skew " << shape.skew << ", far "
            << ProductForm(drawn.terms).n_far();
      }
    }
}

TEST_F(Products, DensitiesAreThoseOfTheKernels) {
  for (const bool is_student : {false, true})
    for (Drawn::Shape shape : shapes) {
      if (is_student && shape.is_diagonal) continue;
      shape.is_student = is_student;
      const Drawn drawn(shape, 3);
      // Half of the rows between the components and beyond them.
      Matrix rows = drawn.rows;
      RandomStream random(4, RandomPurpose::simulation);
      for (Index i = 0; i < rows.n_rows(); i += 2)
        for (Index j = 0; j < rows.n_cols(); ++j) rows(i, j) = (i % 4 == 0 ? 2.0 : 50.0) * random.normal();
      const std::vector<double> expected = log_densities_at(drawn, rows, PassPlace::kernels);
      for (const PassPlace place : places()) {
        const std::vector<double> got = log_densities_at(drawn, rows, place);
        double largest = 0.0;
        for (std::size_t i = 0; i < got.size(); ++i)
          largest = std::max(largest, std::abs(got[i] - expected[i]) / std::max(1.0, std::abs(expected[i])));
        EXPECT_LT(largest, tolerance) << shape.n_features << " features, spread " << shape.spread << ", skew "
                                      << shape.skew << (is_student ? ", student" : "");
      }
    }
}

// What the rule is for: the same components, all taken as near.
TEST_F(Products, TightComponentsAreCentered) {
  const auto n_far = [](double spread, double skew) {
    return ProductForm(Drawn({10, 5, 7, spread, skew}, 1).terms).n_far();
  };
  EXPECT_EQ(n_far(0.5, 1.0), 0);
  EXPECT_EQ(n_far(1e-3, 1.0), 7);
  EXPECT_EQ(n_far(0.5, 1e5), 7);
}

TEST_F(Products, ARunIsLikeTheOther) {
  const Drawn drawn({30000, 6, 9, 0.05}, 5);
  ASSERT_GT(ProductForm(drawn.terms).mixture().n_near(), 0);
  for (const PassPlace place : places()) {
    const MixtureMoments first = placed(drawn, place)->collect(drawn.terms).value();
    for (int run = 0; run < 3; ++run) {
      const MixtureMoments again = placed(drawn, place)->collect(drawn.terms).value();
      EXPECT_EQ(again.log_likelihood, first.log_likelihood);
      EXPECT_EQ(again.zeroth, first.zeroth);
      EXPECT_TRUE(std::ranges::equal(again.first.values(), first.first.values()));
      EXPECT_TRUE(std::ranges::equal(again.second.values(), first.second.values()));
      EXPECT_EQ(log_densities_at(drawn, drawn.rows, place), log_densities_at(drawn, drawn.rows, place));
    }
  }
}

TEST_F(Products, SomeRowsStayWithTheKernels) {
  Drawn drawn({10000, 3, 2, 0.5}, 6);
  EXPECT_EQ(placed(drawn, PassPlace::kernels), nullptr);
  EXPECT_NE(placed(drawn, PassPlace::torch_on_cpu), nullptr);
  drawn.rows(77, 1) = 1e6; // its square would drown those of the others
  EXPECT_EQ(placed(drawn, PassPlace::torch_on_cpu), nullptr);
  EXPECT_EQ(log_densities_at(drawn, drawn.rows, PassPlace::torch_on_cpu),
            log_densities_at(drawn, drawn.rows, PassPlace::kernels));
  drawn.rows(77, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(placed(drawn, PassPlace::torch_on_cpu), nullptr);
  EXPECT_EQ(placed(Drawn({9999, 3, 2, 0.5}), PassPlace::torch_on_cpu), nullptr); // few
  Drawn with_categories({10000, 3, 2, 0.5});
  with_categories.frame.categories.push_back({});
  EXPECT_EQ(placed(with_categories, PassPlace::torch_on_cpu), nullptr);
}

/// The objective of each of the first steps, and the density of some rows after them.
std::vector<double> fitted(const auto& options, const Matrix& rows, PassPlace place) {
  const PassesAt at_place(place);
  DensityFitContext context;
  context.seed = 7;
  context.threads = 1;
  const auto density = make_density_family(options)->fit(WeightedRows(rows.view()), context);
  std::vector<double> told = density->summary().history;
  std::vector<double> out(at(rows.n_rows()));
  density->log_density(rows.view(), out);
  told.insert(told.end(), out.begin(), out.end());
  return told;
}

TEST_F(Products, FitsAreThoseOfTheKernels) {
  for (const CovarianceType type : all_types)
    for (const double missing : {0.0, 0.02}) {
      Matrix rows = random_blobs(8, 30000, 4, 5, 3.0);
      RandomStream random(9, RandomPurpose::simulation);
      for (double& value : rows.values())
        if (random.uniform() < missing) value = std::numeric_limits<double>::quiet_NaN();
      VbMixtureOptions vb;
      vb.covariance = type;
      vb.max_iterations = 10;
      GmmOptions gmm;
      gmm.covariance = type;
      gmm.max_iterations = 10;
      for (const PassPlace place : places()) {
        const auto expect_same = [&](const auto& options) {
          const std::vector<double> expected = fitted(options, rows, PassPlace::kernels);
          const std::vector<double> got = fitted(options, rows, place);
          ASSERT_EQ(got.size(), expected.size());
          for (std::size_t i = 0; i < got.size(); ++i)
            ASSERT_NEAR(got[i], expected[i], 1e-8 * std::max(1.0, std::abs(expected[i]))) << i;
        };
        expect_same(vb);
        if (missing == 0.0) expect_same(gmm);
      }
    }
}

/// While it lives the process can have so many bytes of memory more.
class MemoryLimit {
public:
  explicit MemoryLimit(std::size_t more) {
    getrlimit(RLIMIT_AS, &before_);
    std::size_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    rlimit limit = before_;
    limit.rlim_cur = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + more;
    setrlimit(RLIMIT_AS, &limit);
  }
  ~MemoryLimit() { setrlimit(RLIMIT_AS, &before_); }
  MemoryLimit(const MemoryLimit&) = delete;
  MemoryLimit& operator=(const MemoryLimit&) = delete;

private:
  rlimit before_{};
};

class Listener : public Observer {
public:
  void warning(std::string_view text) override { heard.emplace_back(text); }
  std::vector<std::string> heard;
};

/// Rows of 80 MB over there, and half a gigabyte for their products.
class OutOfMemory : public Products {
protected:
  void SetUp() override {
    Products::SetUp();
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    GTEST_SKIP() << "sanitizers reserve terabytes of addresses";
#endif
  }
  MixtureMoments collect(const FitRows& rows) const {
    return rows.collect(drawn.terms, 1, silent_observer());
  }
  void expect_kernels(const MixtureMoments& got) const {
    const MixtureMoments expected = kernels_collect(drawn);
    EXPECT_EQ(got.log_likelihood, expected.log_likelihood);
    EXPECT_EQ(got.zeroth, expected.zeroth);
  }
  void expect_one_word() const {
    ASSERT_EQ(listener.heard.size(), 1U);
    EXPECT_THAT(listener.heard[0], ::testing::HasSubstr("run on the CPU: libtorch: "));
    EXPECT_THAT(listener.heard[0], ::testing::HasSubstr("allocate"));
  }

  Listener listener;
  Drawn drawn{{1'000'000, 10, 20, 0.3}, 10};
};

TEST_F(OutOfMemory, WhileRowsTravelTheyStay) {
  const PassesAt at_place(PassPlace::torch_on_cpu, listener);
  std::optional<FitRows> rows;
  {
    const MemoryLimit limit(std::size_t{40} << 20U);
    rows.emplace(drawn.weighted(), drawn.frame);
    expect_kernels(collect(*rows));
  }
  expect_one_word();
}

TEST_F(OutOfMemory, DuringAPassTheKernelsDoItAndThoseThatFollow) {
  const PassesAt at_place(PassPlace::torch_on_cpu, listener);
  const FitRows rows(drawn.weighted(), drawn.frame);
  const double elsewhere = collect(rows).log_likelihood;
  EXPECT_NEAR(elsewhere, kernels_collect(drawn).log_likelihood, tolerance * std::abs(elsewhere));
  EXPECT_TRUE(listener.heard.empty());
  {
    const MemoryLimit limit(std::size_t{100} << 20U);
    expect_kernels(collect(rows));
  }
  expect_kernels(collect(rows)); // the rows are there no longer
  expect_one_word();
}

TEST_F(OutOfMemory, DensitiesComeFromTheKernels) {
  std::vector<double> expected(at(drawn.rows.n_rows()));
  write_log_density(drawn.weighted(), drawn.frame, drawn.terms, expected);
  const PassesAt at_place(PassPlace::torch_on_cpu, listener);
  std::vector<double> got(expected.size());
  for (const std::size_t megabytes : {40, 200}) { // for the rows there is none, or for their products
    const MemoryLimit limit(megabytes << 20U);
    write_log_density(drawn.weighted(), drawn.frame, drawn.terms, got);
    EXPECT_EQ(got, expected);
  }
  expect_one_word();
}

} // namespace
