#include <cmath>

#include <Eigen/Dense>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "features/pca.hpp"
#include "features/standardize.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/features/fit_features.hpp"
#include "tests/expect_error.hpp"

namespace {

using lacuna::Archive;
using lacuna::FeatureChain;
using lacuna::FeatureOptions;
using lacuna::Index;
using lacuna::Matrix;
using testing::HasSubstr;

Matrix random_rows(Index n, Index d, double shift = 0.0) {
  Matrix rows(n, d);
  for (Index i = 0; i < n; ++i) {
    lacuna::RandomStream stream(7, lacuna::RandomPurpose::simulation, static_cast<std::uint64_t>(i));
    double previous = 0.0;
    for (Index j = 0; j < d; ++j) {
      previous = 0.6 * previous + static_cast<double>(j + 1) * stream.normal();
      rows(i, j) = shift + previous;
    }
  }
  return rows;
}

FeatureChain fit(const std::string& features, const Matrix& rows, int threads = 1) {
  FeatureOptions options;
  options.features = lacuna::parse_features(features);
  return fit_features(options, {.rows = rows.view(), .threads = threads});
}

std::string usage_error(const std::string& text) {
  try {
    lacuna::parse_features(text);
  } catch (const lacuna::Error& error) {
    EXPECT_EQ(error.kind(), lacuna::ErrorKind::usage);
    return error.what();
  }
  return "no error";
}

TEST(FeatureSpec, ReadsWhatItWrites) {
  for (const char* text : {"none", "standardize", "standardize,pca:20", "pca:0.95", "vae", "vae:5,pca:1"})
    EXPECT_EQ(to_string(lacuna::parse_features(text)), text);
  // One component, or the whole variance.
  EXPECT_EQ(lacuna::parse_features("pca:1")[0].argument, "1");
  EXPECT_EQ(lacuna::parse_features("pca:1.0")[0].argument, "1.0");
}

TEST(FeatureSpec, RefusesWhatItCannotMean) {
  for (const char* text :
       {"", "pca", "pca:", "pca:0", "pca:-1", "pca:1.5", "pca:nan", "pca:2x", "vae:0", "vae:x",
        "vae:", "standardize:2", "standardize,", ",pca:2", "none,pca:2", "PCA:2", "vae:1001"})
    EXPECT_THAT(usage_error(text), HasSubstr("features: got '")) << text;
}

/// A map of a user's own: all features times a number.
class Times : public lacuna::FeatureMap {
public:
  Times(Index n, double factor) : n_(n), factor_(factor) {}
  Index n_inputs() const override { return n_; }
  Index n_outputs() const override { return n_; }
  std::vector<std::string> output_names(const std::vector<std::string>& names) const override {
    return names;
  }
  void apply(lacuna::MatrixView rows, const lacuna::ApplyOptions&, Matrix& out) const override {
    out = Matrix(rows.n_rows, rows.n_cols);
    for (Index i = 0; i < rows.n_rows; ++i)
      for (Index j = 0; j < rows.n_cols; ++j) out(i, j) = factor_ * rows(i, j);
  }
  std::string kind() const override { return "times"; }
  static std::shared_ptr<const FeatureMap> load(const lacuna::Archive& archive, const std::string& prefix) {
    return std::make_shared<Times>(archive.integer(prefix + "n", 1, 100), archive.number(prefix + "factor"));
  }

private:
  void save_parts(lacuna::Archive& archive, const std::string& prefix) const override {
    archive.put(prefix + "n", static_cast<double>(n_));
    archive.put(prefix + "factor", factor_);
  }
  Index n_;
  double factor_;
};

TEST(FeatureMaps, AUsersMapIsKnownByItsKind) {
  const auto read = [](const std::string& argument) {
    return argument.empty() ? std::nullopt : std::optional(argument);
  };
  const auto fit_times = [](const std::string& argument, const lacuna::FeatureFitContext& context) {
    return std::make_shared<Times>(context.rows.n_cols, std::stod(argument));
  };
  const lacuna::FeatureMapEntry entry{"times", "times:X", false, read, fit_times, Times::load};
  lacuna::register_feature_map(entry);
  EXPECT_THROW(lacuna::register_feature_map(entry), lacuna::Error);
  EXPECT_THROW(lacuna::register_feature_map({}), lacuna::Error);
  const Matrix rows(2, 1, {1.0, 2.0});
  const FeatureChain chain = fit("times:3,standardize", rows);
  EXPECT_EQ(fit("times:3", rows).apply(rows.view(), {.threads = 1})(1, 0), 6.0);
  lacuna::Archive archive;
  chain.save(archive, "f/");
  EXPECT_EQ(FeatureChain::load(archive, "f/").apply(rows.view(), {.threads = 1})(1, 0),
            chain.apply(rows.view(), {.threads = 1})(1, 0));
  EXPECT_THAT(usage_error("times"), HasSubstr("features: got 'times'"));
}

TEST(Standardize, GivesMeanZeroAndVarianceOne) {
  const Matrix rows = random_rows(500, 3, 1e6);
  const Matrix out = fit("standardize", rows).apply(rows.view(), {.threads = 1});
  for (Index j = 0; j < 3; ++j) {
    double sum = 0.0;
    double squares = 0.0;
    for (Index i = 0; i < 500; ++i) {
      sum += out(i, j);
      squares += out(i, j) * out(i, j);
    }
    EXPECT_NEAR(sum / 500, 0.0, 1e-9);
    EXPECT_NEAR(squares / 500, 1.0, 1e-9);
  }
}

TEST(Standardize, AConstantColumnBecomesZero) {
  Matrix rows(4, 2);
  for (Index i = 0; i < 4; ++i) {
    rows(i, 0) = 0.1;
    rows(i, 1) = static_cast<double>(i);
  }
  const FeatureChain chain = fit("standardize", rows);
  const Matrix out = chain.apply(rows.view(), {.threads = 1});
  for (Index i = 0; i < 4; ++i) EXPECT_EQ(out(i, 0), 0.0);
  // Scale 1: another value at predict keeps its distance.
  const Matrix other(1, 2, {3.1, 0.0});
  EXPECT_NEAR(chain.apply(other.view(), {.threads = 1})(0, 0), 3.0, 1e-12);
}

/// Against Eigen's singular values.
void check_components(Index n, Index d, Index n_outputs) {
  SCOPED_TRACE(testing::Message() << n << " rows, " << d << " columns");
  const Matrix rows = random_rows(n, d, 50.0);
  const auto map = lacuna::Pca::fit(rows.view(), n_outputs, 0.0, 1);
  Eigen::MatrixXd centred(n, d);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j) centred(i, j) = rows(i, j);
  centred.rowwise() -= centred.colwise().mean().eval();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(centred, Eigen::ComputeThinU | Eigen::ComputeThinV);
  Matrix out;
  map->apply(rows.view(), {.threads = 1}, out);
  for (Index k = 0; k < n_outputs; ++k) {
    const double variance = svd.singularValues()[k] * svd.singularValues()[k] / static_cast<double>(n);
    EXPECT_NEAR(map->variances()[static_cast<std::size_t>(k)], variance, 1e-9 * variance);
    const Eigen::VectorXd scores = centred * svd.matrixV().col(k);
    const double sign = scores[0] * out(0, k) < 0.0 ? -1.0 : 1.0;
    for (Index i = 0; i < n; ++i) EXPECT_NEAR(out(i, k), sign * scores[i], 1e-8);
    double largest = 0.0;
    for (Index j = 0; j < d; ++j)
      if (std::abs(map->components()(k, j)) > std::abs(largest)) largest = map->components()(k, j);
    EXPECT_GT(largest, 0.0);
  }
}

TEST(Pca, AgreesWithTheSingularValues) {
  check_components(300, 6, 4);
  check_components(20, 60, 12); // fewer rows than columns are computed from the rows' products
  check_components(20, 60, 19); // as many as vary
}

TEST(Pca, FewRowsOfManyColumnsStillHaveAllDirections) {
  // Five rows vary in four directions; the others are any at right angles to these.
  const auto map = lacuna::Pca::fit(random_rows(5, 8).view(), 8, 0.0, 1);
  for (Index k = 0; k < 8; ++k)
    for (Index l = 0; l <= k; ++l) {
      double product = 0.0;
      for (Index j = 0; j < 8; ++j) product += map->components()(k, j) * map->components()(l, j);
      EXPECT_NEAR(product, k == l ? 1.0 : 0.0, 1e-12);
    }
  EXPECT_NEAR(map->variances()[4], 0.0, 1e-12);
}

TEST(Pca, TakesTheShareItWasAskedFor) {
  // Variances 90, 9 and 1 along the axes, exactly.
  Matrix rows(6, 3);
  const double scale[3] = {std::sqrt(90.0 * 3), std::sqrt(9.0 * 3), std::sqrt(1.0 * 3)};
  for (Index j = 0; j < 3; ++j) {
    rows(2 * j, j) = scale[j];
    rows(2 * j + 1, j) = -scale[j];
  }
  EXPECT_EQ(fit("pca:0.89", rows).n_outputs(3), 1);
  EXPECT_EQ(fit("pca:0.91", rows).n_outputs(3), 2);
  EXPECT_EQ(fit("pca:0.995", rows).n_outputs(3), 3);
  EXPECT_EQ(fit("pca:1.0", rows).n_outputs(3), 3);
  EXPECT_EQ(fit("pca:2", rows).n_outputs(3), 2);
}

TEST(Pca, AsksForNoMoreThanThereIs) {
  const Matrix rows = random_rows(10, 3);
  lacuna::test::expect_error(lacuna::ErrorKind::data, {"at most 3"}, [&] { fit("pca:4", rows); });
}

TEST(FeatureChain, ComposesInOrder) {
  const Matrix rows = random_rows(200, 5, 3.0);
  const FeatureChain both = fit("standardize,pca:2", rows);
  const Matrix standardized = fit("standardize", rows).apply(rows.view(), {.threads = 1});
  const Matrix expected = fit("pca:2", standardized).apply(standardized.view(), {.threads = 1});
  const Matrix found = both.apply(rows.view(), {.threads = 1});
  for (Index i = 0; i < 200; ++i)
    for (Index j = 0; j < 2; ++j) EXPECT_EQ(found(i, j), expected(i, j));
  EXPECT_THAT(both.output_names({"a", "b", "c", "d", "e"}), testing::ElementsAre("pc1", "pc2"));
  EXPECT_THAT(fit("standardize", rows).output_names({"a", "b"}), testing::ElementsAre("a", "b"));
}

TEST(FeatureChain, BlocksAndThreadsChangeNothing) {
  const Matrix rows = random_rows(9000, 5);
  const FeatureChain chain = fit("standardize,pca:3", rows, 1);
  const Matrix whole = chain.apply(rows.view(), {.threads = 1});
  const Matrix parallel = fit("standardize,pca:3", rows, 3).apply(rows.view(), {.threads = 3});
  const Matrix part = chain.apply(rows.view().middle_rows(1000, 7), {.first_row = 1000, .threads = 2});
  for (Index j = 0; j < 3; ++j) {
    for (Index i = 0; i < 9000; ++i) EXPECT_EQ(whole(i, j), parallel(i, j));
    for (Index i = 0; i < 7; ++i) EXPECT_EQ(part(i, j), whole(1000 + i, j));
  }
}

TEST(FeatureChain, ComesBackFromAnArchive) {
  const Matrix rows = random_rows(50, 4);
  const FeatureChain chain = fit("standardize,pca:2,standardize", rows);
  Archive archive;
  chain.save(archive, "features/");
  const FeatureChain loaded = FeatureChain::load(archive, "features/");
  const Matrix expected = chain.apply(rows.view(), {.threads = 1});
  const Matrix found = loaded.apply(rows.view(), {.threads = 1});
  for (Index i = 0; i < 50; ++i)
    for (Index j = 0; j < 2; ++j) EXPECT_EQ(found(i, j), expected(i, j));
}

TEST(FeatureChain, RefusesDamagedArchivesAndOtherRows) {
  const Matrix rows = random_rows(50, 4);
  const FeatureChain chain = fit("standardize,pca:2", rows);
  Archive good;
  chain.save(good, "");
  Archive bad = good;
  bad.put("0/scales", std::vector<double>{1.0, 0.0, 1.0, 1.0});
  EXPECT_THROW(FeatureChain::load(bad, ""), lacuna::Error);
  bad = good;
  bad.put("1/means", std::vector<double>(3));
  bad.put("1/components", Matrix(2, 3));
  EXPECT_THROW(FeatureChain::load(bad, ""), lacuna::Error);
  bad = good;
  bad.put_text("1/kind", "fourier");
  EXPECT_THROW(FeatureChain::load(bad, ""), lacuna::Error);
  bad = good;
  bad.put("n", 3.0);
  EXPECT_THROW(FeatureChain::load(bad, ""), lacuna::Error);
  EXPECT_THROW(chain.apply(random_rows(5, 3).view(), {.threads = 1}), lacuna::Error);
}

} // namespace
