// The background: rows unlike all others. Its integrals by quadrature, and what it does to far and to
// ordinary rows.

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include <gtest/gtest.h>

#include "core/index.hpp"
#include "experiments/toys.hpp"
#include "lacuna/core/errors.hpp"
#include "tests/learning/test_data.hpp"

namespace lacuna::background_test {
namespace {

using testing::all_methods;
using testing::quick;
using testing::two_classes;

const double gap = std::nan("");

/// The integral over all real numbers, by the midpoint rule in t with x = center + scale tan(t).
template <class Value>
double integral(double center, double scale, const Value& value) {
  constexpr int n = 2000;
  double sum = 0.0;
  for (int i = 0; i < n; ++i) {
    const double t = std::numbers::pi * ((i + 0.5) / n - 0.5);
    sum += value(center + scale * std::tan(t)) * scale / std::pow(std::cos(t), 2);
  }
  return sum * std::numbers::pi / n;
}

TEST(Background, IntegratesToOne) {
  const Background line(0.1, {3.0}, {0.2}, {});
  EXPECT_NEAR(integral(3.0, 0.2, [&](double x) { return std::exp(line.log_density(&x)); }), 1.0, 1e-9);

  // Two numbers and a category: the sum and the integrals.
  const Background mixed(0.1, {-1.0, 0.0, 5.0}, {2.0, 1.0, 0.1}, {0, 3, 0});
  double total = 0.0;
  for (const double level : {0.0, 1.0, 2.0})
    total += integral(-1.0, 2.0, [&](double x) {
      return integral(5.0, 0.1, [&](double z) {
        const double row[] = {x, level, z};
        return std::exp(mixed.log_density(row));
      });
    });
  EXPECT_NEAR(total, 1.0, 1e-3); // a corner of the plane decays slowly in the angles
}

TEST(Background, GapsAreIntegratedOut) {
  const Background background(0.1, {-1.0, 0.0, 5.0}, {2.0, 1.0, 0.1}, {0, 3, 0});
  const double some[] = {1.0, gap, gap};
  double sum = 0.0;
  for (const double level : {0.0, 1.0, 2.0})
    sum += integral(5.0, 0.1, [&](double z) {
      const double row[] = {1.0, level, z};
      return std::exp(background.log_density(row));
    });
  EXPECT_NEAR(std::exp(background.log_density(some)), sum, 1e-6); // of the midpoint rule
  EXPECT_NEAR(std::exp(background.log_density(some)), 1.0 / (std::numbers::pi * 2.0 * 2.0), 1e-12);
  const double none[] = {gap, gap, gap};
  EXPECT_DOUBLE_EQ(background.log_density(none), 0.0);
}

TEST(Background, IsFiniteForAllFeaturesThatAreTaken) {
  const Background background(0.1, {1e100, 0.0}, {1e-103, 1e100}, {});
  for (const double x : {-1e100, 0.0, 1e100})
    for (const double z : {-1e100, 1.0}) {
      const double row[] = {x, z};
      EXPECT_TRUE(std::isfinite(background.log_density(row)));
    }
  // Where squares are beyond the largest number, the tail is the power that it should be.
  const Background unit(0.1, {0.0}, {1e-100}, {});
  const double near = 1.0;
  const double far = 1e90;
  EXPECT_NEAR(unit.log_density(&near) - unit.log_density(&far), 2.0 * 90.0 * std::numbers::ln10, 1e-9);
}

/// Rows 100 standard deviations from the mean of the data, along the axes and the diagonals.
Matrix far_rows(const Dataset& data) {
  std::vector<double> values;
  for (const auto& [along_x, along_y] :
       {std::pair{1.0, 0.0}, {-1.0, 0.0}, {0.0, 1.0}, {0.0, -1.0}, {1.0, 1.0}, {1.0, -1.0}, {-1.0, -1.0}}) {
    const double steps[] = {along_x, along_y};
    for (const Index j : {0, 1}) {
      double mean = 0.0;
      double square = 0.0;
      for (Index i = 0; i < data.n_rows(); ++i) {
        mean += data.features(i, j) / static_cast<double>(data.n_rows());
        square += data.features(i, j) * data.features(i, j) / static_cast<double>(data.n_rows());
      }
      const double deviation = std::sqrt(square - mean * mean);
      values.push_back(mean + 100.0 * deviation * steps[j]);
    }
  }
  const auto n = static_cast<Index>(values.size()) / 2;
  return {n, 2, std::move(values)};
}

void expect_ignorance(const Scores& scores, double n_classes, const std::string& what,
                      double tolerance = 0.01) {
  for (std::size_t i = 0; i < scores.prediction.size(); ++i) {
    EXPECT_NEAR(scores.error_probability[i], 1.0 - 1.0 / n_classes, tolerance) << what << ", row " << i;
    EXPECT_EQ(scores.informative[i], 0) << what << ", row " << i;
  }
}

TEST(Background, FarRowsAreUnknownToAllFamiliesAndMethods) {
  const Dataset data = two_classes(400, 100, 100);
  const Matrix far = far_rows(data);
  for (const std::string& family : density_family_names())
    for (const Method method : all_methods) {
      LearningOptions options = quick(method);
      options.density = family;
      const Scores scores = fit_classifier(data, options).classifier.score(far.view(), 1);
      // Soft labels of every row leave vb-gmm a component with a fraction of a row, whose tail is as heavy.
      const double tolerance = method == Method::mcar_em ? 0.02 : 0.01;
      expect_ignorance(scores, 2.0, family + " " + to_string(method), tolerance);
    }
}

TEST(Background, FarRowsAreUnknownToAllCovariances) {
  Dataset data = two_classes(400, 100, 100);
  data.class_names.emplace_back("c");
  const Matrix far = far_rows(data);
  for (const CovarianceType covariance :
       {CovarianceType::full, CovarianceType::tied, CovarianceType::diagonal, CovarianceType::spherical})
    for (const PosteriorForm form : {PosteriorForm::joint, PosteriorForm::product}) {
      LearningOptions options = quick(Method::mar);
      options.density = VbMixtureOptions{.components = 3, .covariance = covariance};
      options.posterior = form;
      const Scores scores = fit_classifier(data, options).classifier.score(far.view(), 1);
      expect_ignorance(scores, 3.0, to_string(covariance) + " " + to_string(form));
    }
}

TEST(Background, FarRowsAreUnknownInManyDimensions) {
  constexpr Index d = 20;
  RandomStream random(1, RandomPurpose::simulation);
  Dataset data;
  data.features = Matrix(1000, d);
  data.class_names = {"a", "b"};
  for (Index i = 0; i < 1000; ++i) {
    for (Index j = 0; j < d; ++j) data.features(i, j) = random.normal() + (j == 0 && i % 2 == 0 ? 2.0 : 0.0);
    data.labels.push_back(i < 400 ? static_cast<int>(i % 2) : missing_label);
  }
  Matrix far(3, d);
  far(0, 0) = 140.0; // along the feature that tells the classes apart
  far(1, d - 1) = -100.0;
  for (Index j = 0; j < d; ++j) far(2, j) = 100.0;
  expect_ignorance(fit_classifier(data, quick(Method::mar)).classifier.score(far.view(), 1), 2.0, "20");
}

TEST(Background, FarRowsOfTheToysAreUnknown) {
  for (const char* name : {"quadrants", "coin"})
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const Toy toy = make_toy(name, seed);
      const Matrix far = far_rows(toy.train);
      for (const Method method : {Method::mar, Method::supervised}) {
        LearningOptions options = testing::densities_alone();
        options.method = method;
        expect_ignorance(fit_classifier(toy.train, options).classifier.score(far.view(), 0), 2.0, name);
      }
    }
}

TEST(Background, QuadrantsAtTheEndOfTheWorld) {
  const Toy toy = make_toy("quadrants", 0);
  const GenerativeClassifier classifier = fit_classifier(toy.train, {}).classifier;
  const Matrix rows(4, 2, {100.0, 0.0, 1e100, -1e100, gap, 1e100, gap, gap});
  const Scores scores = classifier.score(rows.view(), 1);
  for (const std::size_t i : {0U, 1U, 2U}) {
    EXPECT_NEAR(scores.error_probability[i], 0.5, 0.01);
    EXPECT_EQ(scores.informative[i], 0);
    EXPECT_EQ(scores.log_ratio[i], -std::numeric_limits<double>::infinity());
  }
  EXPECT_TRUE(std::isfinite(scores.log_ratio[3])); // a row without values is not unlike others
}

TEST(Background, OrdinaryRowsHardlyNotice) {
  // Over rows from the model the mean change is less than 1 / N = 0.001 (docs/math/classifier.md, section 4);
  // here rows come from the truth, to which the model is close: twice that.
  for (const char* name : {"quadrants", "coin"}) {
    const Toy toy = make_toy(name, 1);
    LearningOptions options = testing::densities_alone();
    const GenerativeClassifier with = fit_classifier(toy.train, options).classifier;
    options.background = BackgroundForm::none;
    const GenerativeClassifier without = fit_classifier(toy.train, options).classifier;
    const Scores a = with.score(toy.test.features.view(), 0);
    const Scores b = without.score(toy.test.features.view(), 0);
    double change = 0.0;
    double n_lost = 0.0;
    for (std::size_t i = 0; i < a.prediction.size(); ++i) {
      change += std::abs(a.error_probability[i] - b.error_probability[i]);
      n_lost += a.informative[i] != b.informative[i] ? 1.0 : 0.0;
      EXPECT_EQ(a.prediction[i], b.prediction[i]);
    }
    EXPECT_LT(change / static_cast<double>(a.prediction.size()), 0.002) << name;
    EXPECT_LT(n_lost / static_cast<double>(a.prediction.size()), 0.002) << name;
  }
}

/// A hundred columns that five hidden ones move, some rows far: to a mixture without covariances such a row
/// is far in each of them. The first hidden column tells the class.
Dataset wide_table(Index n, std::uint64_t seed) {
  constexpr Index n_columns = 100;
  constexpr Index n_hidden = 5;
  Matrix loads(n_hidden, n_columns);
  RandomStream of_loads(7, RandomPurpose::simulation);
  for (double& value : loads.values()) value = of_loads.normal();
  RandomStream random(seed, RandomPurpose::simulation);
  Dataset data;
  data.features = Matrix(n, n_columns);
  data.class_names = {"a", "b"};
  for (Index i = 0; i < n; ++i) {
    const double size = 1.0 / std::sqrt(0.05 + random.uniform());
    for (Index j = 0; j < n_columns; ++j) data.features(i, j) = 0.3 * random.normal();
    for (Index h = 0; h < n_hidden; ++h) {
      const double hidden = size * random.normal();
      for (Index j = 0; j < n_columns; ++j) data.features(i, j) += hidden * loads(h, j);
      if (h == 0) data.labels.push_back(hidden > 0.0 ? 1 : 0);
    }
  }
  return data;
}

TEST(Background, OrdinaryRowsOfWideTablesAreNotStrange) {
  // With a stack, rows are compared with a mixture of which nobody says that it fits. 2 % of the table's own
  // rows may look strange to a mixture that did not see them. Of 200 fresh rows 3 % more than that would be
  // three standard errors.
  Dataset data = wide_table(120, 1);
  for (std::size_t i = 40; i < data.labels.size(); ++i) data.labels[i] = missing_label;
  const Dataset fresh = wide_table(200, 2);
  const GenerativeClassifier classifier = fit_classifier(data, {}).classifier;
  const Scores scores = classifier.score(fresh.features.view(), 1);
  double n_strange = 0.0;
  for (const double ratio : scores.log_ratio) n_strange += std::isinf(ratio) ? 1.0 : 0.0;
  EXPECT_LE(n_strange / 200.0, 0.05);
  // What lies far outside still is.
  Matrix far(2, 100);
  far(0, 1) = 500.0;
  for (Index j = 0; j < 100; ++j) far(1, j) = 500.0;
  expect_ignorance(classifier.score(far.view(), 1), 2.0, "wide");
}

TEST(Background, SaysNothingOfCategoriesAndConstantFeatures) {
  Dataset data = two_classes(300, 80, 0);
  Dataset wider = data;
  wider.features = Matrix(300, 4);
  for (Index i = 0; i < 300; ++i) {
    std::copy_n(data.features.row(i), 2, wider.features.row(i));
    wider.features(i, 2) = static_cast<double>(i % 3);
    wider.features(i, 3) = 7.0;
  }
  wider.feature_names = {"x1", "x2", "colour", "constant"};
  wider.levels = {0, 0, 3, 0};
  const GenerativeClassifier classifier = fit_classifier(wider, quick(Method::mar)).classifier;
  const Matrix rows(3, 4, {-3.0, 0.0, 1.0, 7.0, 1e4, 0.0, 1.0, 7.0, 1e4, 0.0, gap, gap});
  const Scores scores = classifier.score(rows.view(), 1);
  EXPECT_LT(scores.error_probability[0], 0.05);
  EXPECT_NEAR(scores.error_probability[1], 0.5, 0.01);
  EXPECT_NEAR(scores.error_probability[2], 0.5, 0.01);
}

TEST(Background, IsPartOfTheModel) {
  const Dataset data = two_classes(300, 80, 100);
  const GenerativeClassifier classifier = fit_classifier(data, quick(Method::mar)).classifier;
  ASSERT_TRUE(classifier.parts().background.has_value());
  EXPECT_DOUBLE_EQ(classifier.parts().background->weight(), 1.0 / 401.0);
  Archive archive;
  classifier.save(archive, "");
  const Matrix far = far_rows(data);
  EXPECT_EQ(GenerativeClassifier::load(archive, "").score(far.view(), 1).error_probability,
            classifier.score(far.view(), 1).error_probability);
  for (const double weight : {0.0, 1.0, -0.5, gap}) {
    archive.put("background/weight", weight);
    EXPECT_THROW(GenerativeClassifier::load(archive, ""), Error);
  }
}

TEST(Background, CountsRowsByTheirWeights) {
  Dataset data = two_classes(300, 80, 100);
  data.weights.assign(at(data.n_rows()), 0.5);
  EXPECT_DOUBLE_EQ(fit_classifier(data, quick(Method::mar)).classifier.parts().background->weight(),
                   1.0 / 201.0);
}

} // namespace
} // namespace lacuna::background_test
