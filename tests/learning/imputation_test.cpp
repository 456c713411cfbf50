// How labels are filled in and where the region ends, with a density whose fit is known in closed form.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>

#include <gtest/gtest.h>

#include "core/index.hpp"
#include "lacuna/learning/learner.hpp"
#include "learning/imputation.hpp"
#include "learning/shared_models.hpp"
#include "tests/learning/test_data.hpp"

namespace lacuna {
namespace {

/// exp(-(x - mean)^2 / 2), or 1 everywhere. Knows the weights of the rows it was fitted to.
class Bump : public Density {
public:
  Bump(double mean, bool is_flat, std::vector<double> weights)
      : Density({"bump", 1, {}}), row_weights(std::move(weights)), mean_(mean), is_flat_(is_flat) {}
  void log_density(MatrixView rows, std::span<double> out) const override {
    for (Index i = 0; i < rows.n_rows; ++i)
      out[at(i)] = is_flat_ ? 0.0 : -0.5 * (rows(i, 0) - mean_) * (rows(i, 0) - mean_);
  }
  void sample(RandomStream&, std::span<double>) const override {}

  std::vector<double> row_weights;

private:
  void save_parts(Archive&, const std::string&) const override {}

  double mean_;
  bool is_flat_;
};

class BumpFamily : public DensityFamily {
public:
  explicit BumpFamily(bool is_flat = false) : is_flat_(is_flat) {}
  std::shared_ptr<const Density> fit(const WeightedRows& rows, const DensityFitContext&) const override {
    std::vector<double> weights;
    double sum = 0.0;
    for (Index i = 0; i < rows.size(); ++i) {
      weights.push_back(rows.weight(i));
      sum += rows.weight(i) * rows.row(i)[0];
    }
    const double mean = sum / std::accumulate(weights.begin(), weights.end(), 0.0);
    return std::make_shared<Bump>(mean, is_flat_, std::move(weights));
  }

private:
  bool is_flat_;
};

struct Row {
  double x;
  int label;
};

Dataset dataset_of(const std::vector<Row>& rows, std::vector<std::string> class_names) {
  Dataset data;
  data.features = Matrix(static_cast<Index>(rows.size()), 1);
  data.class_names = std::move(class_names);
  data.feature_names = {"x"};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    data.features(static_cast<Index>(i), 0) = rows[i].x;
    data.labels.push_back(rows[i].label);
  }
  return data;
}

TEST(Imputation, SeveralDrawsComeFromModelsOfRandomlyWeightedRows) {
  constexpr std::size_t n = 2000;
  std::vector<Row> rows(2 * n);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = {0.0, static_cast<int>(i % 2)};
  Dataset data = dataset_of(rows, {"a", "b"});
  for (const Row& row : rows) data.weights.push_back(row.label == 0 ? 1.0 : 3.0);
  const BumpFamily family;
  LearningOptions options = testing::densities_alone();
  options.draws = 2;
  SharedModels shared(data, options, family, silent_observer());
  std::vector<std::vector<double>> seen;
  for (const Index draw : {0, 1}) {
    const ClassModel& model = shared.label_source(draw);
    double total = 0.0;
    for (const std::size_t y : {0U, 1U}) {
      std::vector<double> weights = dynamic_cast<const Bump&>(*model.density[y]).row_weights;
      ASSERT_EQ(weights.size(), n);
      const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
      total += sum;
      EXPECT_NEAR(model.probability[y], sum / (4.0 * n), 1e-12);
      for (double& w : weights) w /= y == 0 ? 1.0 : 3.0;
      // Exponential with mean one: variance one, half of them below log 2. Standard errors of the estimates
      // are sqrt(8 / n) = 0.063 and sqrt(1 / 4 / n) = 0.011; five of them.
      double variance = 0.0;
      double below = 0.0;
      for (const double w : weights) {
        variance += (w - 1.0) * (w - 1.0) / n;
        below += w < std::log(2.0) ? 1.0 / n : 0.0;
      }
      EXPECT_NEAR(variance, 1.0, 0.32);
      EXPECT_NEAR(below, 0.5, 0.056);
      for (const std::vector<double>& other : seen) EXPECT_NE(weights, other);
      seen.push_back(std::move(weights));
    }
    EXPECT_NEAR(total, 4.0 * n, 1e-6); // all classes together keep their weight
  }
}

TEST(Imputation, DrawsLeaveTheSharesOfTheClassesAsOpenAsTheLabeledRowsDo) {
  // The Bayesian bootstrap of 20 and 20 rows gives a class a share that is Beta(20, 20): mean 1/2, variance
  // 1 / 164. Standard errors over 400 draws: 0.0039 of the mean, a share of sqrt(2 / 400) = 0.071 of the
  // variance. Five of them: a false alarm in a million.
  std::vector<Row> rows(40);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = {0.0, static_cast<int>(i % 2)};
  const Dataset data = dataset_of(rows, {"a", "b"});
  const BumpFamily family;
  LearningOptions options = testing::densities_alone();
  options.draws = 400;
  SharedModels shared(data, options, family, silent_observer());
  double mean = 0.0;
  double variance = 0.0;
  for (Index draw = 0; draw < 400; ++draw) {
    const double share = shared.label_source(draw).probability[0];
    mean += share / 400.0;
    variance += (share - 0.5) * (share - 0.5) / 400.0;
  }
  EXPECT_NEAR(mean, 0.5, 0.02);
  EXPECT_NEAR(variance * 164.0, 1.0, 0.36);
}

/// dp-gmm that counts the fits to rows of fractional weight, for which its chain is not exact.
class WatchedFamily : public DensityFamily {
public:
  std::shared_ptr<const Density> fit(const WeightedRows& rows,
                                     const DensityFitContext& context) const override {
    for (Index i = 0; i < rows.size(); ++i)
      if (rows.weight(i) != std::floor(rows.weight(i))) {
        ++n_fractional;
        break;
      }
    return family_->fit(rows, context);
  }

  mutable std::atomic<int> n_fractional = 0;

private:
  std::shared_ptr<const DensityFamily> family_ =
      make_density_family(DpMixtureOptions{.dp_iterations = 40, .dp_burn_in = 20, .dp_draws = 5});
};

TEST(Imputation, DrawsOfAMarkovChainComeFromItsStatesAndNotFromWeightedRows) {
  std::vector<Row> rows;
  RandomStream random(6, RandomPurpose::simulation);
  for (int i = 0; i < 60; ++i) rows.push_back({(i % 2 == 0 ? -2.0 : 2.0) + random.normal(), i % 2});
  for (int i = 0; i < 60; ++i) rows.push_back({(i % 2 == 0 ? -2.0 : 2.0) + random.normal(), missing_label});
  const Dataset data = dataset_of(rows, {"a", "b"});
  const WatchedFamily family;
  LearningOptions options;
  options.conditional = ConditionalForm::densities;
  options.draws = 5;
  fit_classifier(data, options, family);
  EXPECT_EQ(family.n_fractional, 0);

  SharedModels shared(data, options, family, silent_observer());
  std::vector<double> seen;
  for (Index draw = 0; draw < 5; ++draw) {
    const ClassModel& source = shared.label_source(draw);
    double value = 0.0;
    source.density[0]->log_density(data.features.view().middle_rows(0, 1), {&value, 1});
    seen.push_back(value);
    EXPECT_NEAR(source.probability[0] + source.probability[1], 1.0, 1e-12);
    seen.push_back(source.probability[0]);
  }
  std::sort(seen.begin(), seen.end());
  EXPECT_EQ(std::adjacent_find(seen.begin(), seen.end()), seen.end()); // each draw has its own
}

TEST(Imputation, OneDrawComesFromTheInitialModels) {
  const Dataset data = dataset_of({{0.0, 0}, {1.0, 0}, {5.0, 1}, {6.0, 1}, {3.0, missing_label}}, {"a", "b"});
  const BumpFamily family;
  LearningOptions options = testing::densities_alone();
  options.draws = 1;
  SharedModels shared(data, options, family, silent_observer());
  EXPECT_EQ(&shared.label_source(0), &shared.initial().classes);
}

TEST(Imputation, SoftSharesAreTheClassProbabilities) {
  std::vector<Row> rows = {{-2.0, 0}, {0.0, 1}, {0.0, 1}, {2.0, 2}};
  for (int i = -40; i <= 40; ++i) rows.push_back({0.1 * i, missing_label});
  const Dataset data = dataset_of(rows, {"a", "b", "c"});
  const BumpFamily family;
  const DensityFitter fitter(data, family, ColumnShaping::automatic, 1, silent_observer());
  const ClassModel model = fitter.fit_classes(fitter.labeled_rows(), 0);
  std::vector<char> fill(rows.size(), 1);
  fill[4] = 0; // stays without a label
  const SoftFill filled = fill_softly(fitter, model, fill);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double expected[3];
    double total = 0.0;
    for (int y = 0; y < 3; ++y) // means -2, 0, 2; class b has two of four rows
      total += expected[y] = (y == 1 ? 0.5 : 0.25) * std::exp(-0.5 * std::pow(rows[i].x - 2.0 * (y - 1), 2));
    for (int y = 0; y < 3; ++y) {
      double found = 0.0;
      const RowList& list = filled.rows[static_cast<std::size_t>(y)];
      for (std::size_t k = 0; k < list.rows.size(); ++k)
        if (list.rows[k] == static_cast<Index>(i)) found += list.weights[k];
      const double share = rows[i].label != missing_label ? (rows[i].label == y ? 1.0 : 0.0)
                           : fill[i] == 0                 ? 0.0
                                                          : expected[y] / total;
      EXPECT_NEAR(found, share, 1.1e-6) << i << " " << y; // shares below a millionth are left out
    }
  }
}

TEST(Region, ALogRatioOfKappaIsOutside) {
  const Dataset data =
      dataset_of({{0.0, 0}, {1.0, 1}, {2.0, missing_label}, {3.0, missing_label}}, {"a", "b"});
  LearningOptions options = testing::densities_alone();
  options.draws = SoftLabels{};
  for (const double kappa : {0.0, -1e-12}) { // all densities are 1, all log ratios 0
    options.kappa = kappa;
    const FitResult fit = fit_classifier(data, options, BumpFamily(true));
    EXPECT_EQ(fit.summary.n_informative, kappa == 0.0 ? 0 : 2);
    for (const char informative : fit.classifier.score(data.features.view(), 1).informative)
      EXPECT_EQ(informative, kappa == 0.0 ? 0 : 1);
  }
}

TEST(Region, AClassWithOneRowHasNoSayInKappa) {
  std::vector<Row> rows;
  RandomStream random(5, RandomPurpose::simulation);
  for (int i = 0; i < 40; ++i) rows.push_back({(i % 2 == 0 ? -2.0 : 2.0) + random.normal(), i % 2});
  for (int i = 0; i < 100; ++i) rows.push_back({10.0 + random.normal(), missing_label});
  LearningOptions options = testing::densities_alone();
  options.draws = SoftLabels{};
  const auto kappa = [&] {
    return fit_classifier(dataset_of(rows, {"a", "b", "c"}), options, BumpFamily()).summary.kappa;
  };
  const double without = kappa();
  rows.push_back({1000.0, 2}); // nearest to the unlabeled rows: without a model of its own it would come last
  EXPECT_EQ(kappa(), without);
}

/// Far too sharp for few rows: what class densities are like in wide tables.
class SharpFamily : public DensityFamily {
public:
  std::shared_ptr<const Density> fit(const WeightedRows& rows, const DensityFitContext&) const override {
    return std::make_shared<Sharp>(rows.size() < 100 ? 0.05 : 3.0);
  }

private:
  class Sharp : public Density {
  public:
    explicit Sharp(double width) : Density({"sharp", 1, {}}), width_(width) {}
    void log_density(MatrixView rows, std::span<double> out) const override {
      for (Index i = 0; i < rows.n_rows; ++i)
        out[at(i)] = -0.5 * std::pow(rows(i, 0) / width_, 2) - std::log(width_);
    }
    void sample(RandomStream&, std::span<double>) const override {}

  private:
    void save_parts(Archive&, const std::string&) const override {}

    double width_;
  };
};

class WarningTexts : public Observer {
public:
  void warning(std::string_view text) override { texts.emplace_back(text); }
  std::vector<std::string> texts;
};

TEST(Region, AutoKappaDoesNotSinkWithTheDensities) {
  std::vector<Row> rows;
  RandomStream random(5, RandomPurpose::simulation);
  for (int i = 0; i < 40; ++i) rows.push_back({random.normal(), i % 2});
  for (int i = 0; i < 300; ++i) rows.push_back({random.normal(), missing_label});
  const Dataset data = dataset_of(rows, {"a", "b"});
  LearningOptions options = testing::densities_alone();
  options.draws = SoftLabels{};
  WarningTexts warnings;
  const FitResult fit = fit_classifier(data, options, SharpFamily(), warnings);
  EXPECT_LT(fit.summary.kappa_asked, -100.0);
  EXPECT_EQ(fit.summary.kappa, -1.0);
  EXPECT_EQ(fit.classifier.parts().kappa, -1.0);
  EXPECT_LT(fit.summary.informative_share, 0.2); // a twentieth of a standard deviation is little room
  ASSERT_EQ(warnings.texts.size(), 1U);
  for (const char* word : {"densities do not fit", "stays at -1", "features", "density"})
    EXPECT_NE(warnings.texts[0].find(word), std::string::npos) << word;

  // Who gives a number knows what he does.
  options.kappa = -200.0;
  const FitResult given = fit_classifier(data, options, SharpFamily(), warnings);
  EXPECT_EQ(given.summary.kappa, -200.0);
  EXPECT_EQ(given.summary.kappa_asked, -200.0);
  EXPECT_EQ(warnings.texts.size(), 1U);

  // Densities that fit are not suspected.
  options.kappa = AutoKappa{};
  const FitResult good = fit_classifier(data, options, BumpFamily(), warnings);
  EXPECT_EQ(good.summary.kappa, good.summary.kappa_asked);
  EXPECT_EQ(warnings.texts.size(), 1U);

  // Nor those that do not tell the region.
  options.conditional = ConditionalForm::stack;
  options.region = Region::classifier;
  options.trust = TrustForm::none;
  const FitResult other = fit_classifier(data, options, SharpFamily(), warnings);
  EXPECT_EQ(other.summary.kappa, other.summary.kappa_asked);
  for (std::size_t i = 1; i < warnings.texts.size(); ++i)
    EXPECT_EQ(warnings.texts[i].find("densities do not fit"), std::string::npos);
}

} // namespace
} // namespace lacuna
