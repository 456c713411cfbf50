#include <cmath>
#include <limits>
#include <numeric>

#include <gtest/gtest.h>

#include "evaluation/calibrator_fits.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/evaluation/calibrators.hpp"
#include "lacuna/evaluation/diagnostics.hpp"
#include "math/special.hpp"
#include "tests/evaluation/rows.hpp"

namespace {

using namespace lacuna;
using namespace lacuna::test;

constexpr CalibrationMethod all_methods[] = {CalibrationMethod::platt, CalibrationMethod::isotonic,
                                             CalibrationMethod::bbq, CalibrationMethod::temperature};
constexpr std::uint64_t n_problems = 100;

double logistic(double z) {
  return 1.0 / (1.0 + std::exp(-z));
}

double log_odds(double p) {
  return std::log(p / (1.0 - p));
}

struct Row {
  int label = 0;
  int prediction = 0;
  double error_probability = 0.0;
  std::vector<double> probabilities;
};

std::vector<Row> random_rows(std::uint64_t problem, int n_classes) {
  RandomStream random(41, RandomPurpose::simulation, problem);
  std::vector<Row> rows(static_cast<std::size_t>(1 + random_below(random, 200)));
  for (Row& row : rows) {
    double sum = 0.0;
    for (int k = 0; k < n_classes; ++k) sum += row.probabilities.emplace_back(random.gamma(0.3));
    for (double& p : row.probabilities) p /= sum;
    if (random.uniform() < 0.1) { // called impossible and certain
      std::fill(row.probabilities.begin(), row.probabilities.end(), 0.0);
      row.probabilities[static_cast<std::size_t>(random_below(random, n_classes))] = 1.0;
    }
    row.prediction = static_cast<int>(std::max_element(row.probabilities.begin(), row.probabilities.end()) -
                                      row.probabilities.begin());
    for (int k = 0; k < n_classes; ++k)
      if (k != row.prediction) row.error_probability += row.probabilities[static_cast<std::size_t>(k)];
    row.error_probability = std::min(1.0, row.error_probability);
    row.label = random_below(random, n_classes);
  }
  return rows;
}

std::unique_ptr<Calibrator> fitted(CalibrationMethod method, const std::vector<Row>& rows) {
  CalibrationSet set(method, static_cast<Index>(rows.front().probabilities.size()));
  for (const Row& row : rows) set.add(row.label, row.prediction, row.error_probability, row.probabilities);
  return set.fit();
}

double calibrated(const Calibrator& calibrator, double q) {
  double result = q;
  std::vector<double> p{1.0 - q, q};
  calibrator.apply(0, result, p);
  return result;
}

// Two classes; the prediction is the first, wrong with probability `truth(q)`, and announced is q.
template <typename Truth>
std::vector<Row> simulated(int n, std::uint64_t index, Truth truth) {
  RandomStream random(42, RandomPurpose::simulation, index);
  std::vector<Row> rows;
  for (int i = 0; i < n; ++i) {
    const double q = (i + 0.5) / n;
    rows.push_back({random.uniform() < truth(q) ? 1 : 0, 0, q, {1.0 - q, q}});
  }
  return rows;
}

TEST(Calibrators, RowsStayDistributionsAndPredictionsStay) {
  for (std::uint64_t problem = 0; problem < n_problems; ++problem) {
    for (const int n_classes : {2, 3, 7}) {
      const auto rows = random_rows(problem, n_classes);
      for (const CalibrationMethod method : all_methods) {
        const auto calibrator = fitted(method, rows);
        for (const Row& row : rows) {
          double q = row.error_probability;
          std::vector<double> p = row.probabilities;
          calibrator->apply(row.prediction, q, p);
          EXPECT_NEAR(std::accumulate(p.begin(), p.end(), 0.0), 1.0, 1e-12);
          EXPECT_NEAR(q, 1.0 - p[static_cast<std::size_t>(row.prediction)], 1e-12);
          for (const double value : p) EXPECT_TRUE(value >= 0.0 && value <= 1.0) << value;
          EXPECT_TRUE(q >= 0.0 && q <= 1.0) << q;
        }
      }
    }
  }
}

TEST(Calibrators, TheOrderOfRowsDoesNotMatter) {
  for (std::uint64_t problem = 0; problem < n_problems; ++problem) {
    const auto rows = random_rows(problem, 3);
    const std::vector<Row> reversed(rows.rbegin(), rows.rend());
    for (const CalibrationMethod method : all_methods) {
      const auto a = fitted(method, rows)->parameters();
      const auto b = fitted(method, reversed)->parameters();
      for (std::size_t i = 0; i < a.size(); ++i) {
        EXPECT_EQ(a[i].first, b[i].first);
        EXPECT_NEAR(a[i].second, b[i].second,
                    method == CalibrationMethod::temperature ? 1e-9 * std::abs(a[i].second) : 0.0);
      }
    }
  }
}

TEST(Calibrators, OtherClassesKeepTheirProportions) {
  const auto calibrator = fitted(CalibrationMethod::isotonic, {{1, 0, 0.4, {0.6, 0.3, 0.1}}});
  double q = 0.2;
  std::vector<double> p{0.8, 0.05, 0.15};
  calibrator->apply(0, q, p);
  EXPECT_EQ(q, 1.0);
  EXPECT_EQ(p[0], 0.0);
  EXPECT_DOUBLE_EQ(p[1], 0.25);
  EXPECT_DOUBLE_EQ(p[2], 0.75);
  // Nothing was said about the others: they share evenly.
  q = 0.0;
  p = {0.0, 1.0, 0.0};
  calibrator->apply(1, q, p);
  EXPECT_EQ(p, (std::vector<double>{0.5, 0.0, 0.5}));
}

// --- Platt

TEST(Platt, SolvesItsOwnEquations) {
  for (std::uint64_t problem = 0; problem < n_problems; ++problem) {
    const auto rows = random_rows(problem, 3);
    const auto parameters = fitted(CalibrationMethod::platt, rows)->parameters();
    const double slope = parameters.at(0).second;
    const double intercept = parameters.at(1).second;
    double n_errors = 0.0;
    for (const Row& row : rows) n_errors += row.label != row.prediction ? 1.0 : 0.0;
    const auto n = static_cast<double>(rows.size());
    double gradient = 0.0;
    double gradient_x = 0.0;
    for (const Row& row : rows) {
      const double q = std::min(std::max(row.error_probability, 1e-12), 1.0 - 1e-12);
      const double x = std::log(q) - std::log1p(-q);
      const double target =
          row.label != row.prediction ? (n_errors + 1.0) / (n_errors + 2.0) : 1.0 / (n - n_errors + 2.0);
      gradient += logistic(slope * x + intercept) - target;
      gradient_x += (logistic(slope * x + intercept) - target) * x;
    }
    EXPECT_NEAR(gradient, 0.0, 1e-8 * n);
    EXPECT_NEAR(gradient_x, 0.0, 1e-7 * n);
  }
}

TEST(Platt, OneErrorProbabilityIsShiftedToTheSmoothedRate) {
  std::vector<Row> rows;
  for (int i = 0; i < 10; ++i) rows.push_back({i < 3 ? 1 : 0, 0, 0.2, {0.8, 0.2}});
  const auto calibrator = fitted(CalibrationMethod::platt, rows);
  EXPECT_EQ(calibrator->parameters().at(0).second, 1.0);
  const double target = (3.0 * (4.0 / 5.0) + 7.0 * (1.0 / 9.0)) / 10.0;
  EXPECT_NEAR(calibrated(*calibrator, 0.2), target, 1e-12);
}

// Where log odds of the truth are a line in those announced, Platt finds it. Six standard errors of the
// maximum likelihood estimate, from its information: two false alarms in 10^9.
TEST(Platt, FindsTheLineThatMadeTheData) {
  constexpr int n = 50'000;
  for (const auto& line : {std::pair(1.0, 0.0), std::pair(0.5, 0.7), std::pair(2.0, -1.0)}) {
    const auto truth = [&](double q) { return logistic(line.first * log_odds(q) + line.second); };
    double hxx = 0.0;
    double hx = 0.0;
    double h = 0.0;
    for (int i = 0; i < n; ++i) {
      const double q = (i + 0.5) / n;
      const double x = log_odds(q);
      const double weight = truth(q) * (1.0 - truth(q));
      hxx += weight * x * x;
      hx += weight * x;
      h += weight;
    }
    const double determinant = hxx * h - hx * hx;
    const auto found = fitted(CalibrationMethod::platt, simulated(n, 1, truth))->parameters();
    EXPECT_NEAR(found.at(0).second, line.first, 6.0 * std::sqrt(h / determinant));
    EXPECT_NEAR(found.at(1).second, line.second, 6.0 * std::sqrt(hxx / determinant));
    EXPECT_LT(6.0 * std::sqrt(h / determinant), 0.2); // the bound says something
  }
}

// --- Isotonic

TEST(IsotonicCalibration, LeavesNothingToMendOnItsOwnRows) {
  for (std::uint64_t problem = 0; problem < n_problems; ++problem) {
    const ScoredRows rows = random_scored_rows(problem);
    const auto calibrator = fit_isotonic(error_groups(rows));
    ScoredRows mended = rows;
    for (double& q : mended.error_probability) q = calibrator->calibrated(q);
    EXPECT_NEAR(corp_curve(error_groups(mended)).miscalibration, 0.0, 1e-13);
  }
}

// For a rising truth with slope at most 1, the fit lies within 2 sqrt(2 e) of it away from the ends, where e
// bounds the running sums of errors minus truth, over n: 1e-9 false alarms by Hoeffding
// (docs/math/evaluation.md, section 7).
TEST(IsotonicCalibration, FollowsARisingTruth) {
  constexpr int n = 200'000;
  const double bound = 2.0 * std::sqrt(2.0 * std::sqrt(std::log(2.0 / 1e-9) / (2.0 * n)));
  const double margin = std::sqrt(2.0 * std::sqrt(std::log(2.0 / 1e-9) / (2.0 * n)));
  for (const double base : {0.0, 0.4}) {
    const auto truth = [base](double q) { return base + (1.0 - base) * q; };
    const auto calibrator = fitted(CalibrationMethod::isotonic, simulated(n, 2, truth));
    for (double q = margin; q < 1.0 - margin; q += 0.01)
      EXPECT_NEAR(calibrated(*calibrator, q), truth(q), bound);
  }
  EXPECT_LT(bound, 0.25); // an untouched error probability would be caught
}

// --- Bayesian binning

TEST(Bbq, OneRowIsOneBin) {
  for (const bool is_error : {false, true}) {
    const auto calibrator = fit_bbq(error_groups(rows_of({{0.3, is_error}})));
    for (const double q : {0.0, 0.3, 1.0})
      EXPECT_NEAR(calibrator->calibrated(q), is_error ? 2.0 / 3.0 : 1.0 / 3.0, 1e-15);
    EXPECT_EQ(calibrator->parameters().at(0).second, 1.0);
  }
}

// Two error probabilities: one bin or two, weighed by hand.
TEST(Bbq, TwoGroupsByHand) {
  std::vector<std::pair<double, bool>> outcomes;
  for (int i = 0; i < 8; ++i) outcomes.push_back({0.2, i < 1});
  for (int i = 0; i < 8; ++i) outcomes.push_back({0.6, i < 7});
  const auto calibrator = fit_bbq(error_groups(rows_of(outcomes)));
  EXPECT_EQ(calibrator->parameters().at(0).second, 2.0);
  const double one = log_beta(8 + 1.0, 8 + 1.0) - log_beta(1.0, 1.0);
  // Cut halfway, at 0.4: prior guesses 0.2 and 0.7, one row's weight each.
  const double two =
      log_beta(1 + 0.2, 7 + 0.8) - log_beta(0.2, 0.8) + log_beta(7 + 0.7, 1 + 0.3) - log_beta(0.7, 0.3);
  const double weight = 1.0 / (1.0 + std::exp(one - two));
  EXPECT_NEAR(calibrator->calibrated(0.39), weight * 1.2 / 9.0 + (1.0 - weight) * 0.5, 1e-14);
  EXPECT_NEAR(calibrator->calibrated(0.4), weight * 7.7 / 9.0 + (1.0 - weight) * 0.5, 1e-14);
  EXPECT_GT(weight, 0.9);
}

TEST(Bbq, StaysStrictlyBetweenZeroAndOne) {
  const double tiny = std::numeric_limits<double>::denorm_min();
  for (const bool is_error : {false, true}) {
    const auto calibrator = fit_bbq(error_groups(rows_of({{0.0, is_error},
                                                          {tiny, is_error},
                                                          {0.5, is_error},
                                                          {std::nextafter(1.0, 0.0), is_error},
                                                          {1.0, is_error}})));
    for (const double q : {0.0, tiny, 0.25, 0.5, std::nextafter(1.0, 0.0), 1.0}) {
      EXPECT_GT(calibrator->calibrated(q), 0.0);
      EXPECT_LT(calibrator->calibrated(q), 1.0);
    }
  }
}

// --- Temperature

double mean_nll(const std::vector<Row>& rows, double temperature) {
  double sum = 0.0;
  for (const Row& row : rows) {
    std::vector<double> logs;
    for (const double p : row.probabilities) logs.push_back(std::log(std::max(p, 1e-300)) / temperature);
    sum += log_sum_exp(logs) - logs[static_cast<std::size_t>(row.label)];
  }
  return sum / static_cast<double>(rows.size());
}

TEST(Temperature, NoOtherTemperatureDoesBetter) {
  for (std::uint64_t problem = 0; problem < n_problems; ++problem) {
    const auto rows = random_rows(problem, 4);
    const double found = fitted(CalibrationMethod::temperature, rows)->parameters().at(0).second;
    const double best = mean_nll(rows, found);
    for (double log_t = -6.9; log_t < 6.9; log_t += 0.01)
      EXPECT_GE(mean_nll(rows, std::exp(log_t)), best - 1e-12);
  }
}

// For two classes a temperature is a line through the origin of the log odds: six standard errors, two false
// alarms in 10^9.
TEST(Temperature, FindsTheTemperatureThatMadeTheData) {
  constexpr int n = 50'000;
  for (const double temperature : {0.5, 1.0, 2.0}) {
    const auto truth = [&](double q) { return logistic(log_odds(q) / temperature); };
    double information = 0.0;
    for (int i = 0; i < n; ++i) {
      const double q = (i + 0.5) / n;
      information += truth(q) * (1.0 - truth(q)) * log_odds(q) * log_odds(q);
    }
    const auto found = fitted(CalibrationMethod::temperature, simulated(n, 3, truth))->parameters();
    EXPECT_NEAR(1.0 / found.at(0).second, 1.0 / temperature, 6.0 / std::sqrt(information));
  }
}

TEST(Temperature, LimitsAndNothingToLearn) {
  const auto temperature_of = [](const std::vector<Row>& rows) {
    return fitted(CalibrationMethod::temperature, rows)->parameters().at(0).second;
  };
  EXPECT_NEAR(temperature_of({{0, 0, 0.1, {0.9, 0.1}}}), 1e-3, 1e-15);
  EXPECT_NEAR(temperature_of({{1, 0, 0.1, {0.9, 0.1}}}), 1e3, 1e-9);
  EXPECT_EQ(temperature_of({{1, 0, 0.5, {0.5, 0.5}}}), 1.0);
  // Called impossible and came: only giving up helps.
  EXPECT_GT(temperature_of({{1, 0, 0.0, {1.0, 0.0}}, {0, 0, 0.0, {1.0, 0.0}}}), 100.0);
}

TEST(Temperature, DividesTheLogs) {
  const auto rows = random_rows(5, 3);
  const auto calibrator = fitted(CalibrationMethod::temperature, rows);
  const double temperature = calibrator->parameters().at(0).second;
  double q = 0.3;
  std::vector<double> p{0.1, 0.7, 0.2};
  calibrator->apply(1, q, p);
  EXPECT_NEAR(std::log(p[0] / p[1]), std::log(0.1 / 0.7) / temperature, 1e-12);
  EXPECT_NEAR(std::log(p[2] / p[1]), std::log(0.2 / 0.7) / temperature, 1e-12);
}

// --- Corners of all

TEST(Calibrators, OneKindOfOutcome) {
  for (const CalibrationMethod method : all_methods) {
    for (const int label : {0, 1}) {
      std::vector<Row> rows;
      for (const double q : {0.0, 0.1, 0.1, 0.3, 0.5}) rows.push_back({label, 0, q, {1.0 - q, q}});
      const auto calibrator = fitted(method, rows);
      for (const double q : {0.0, 0.05, 0.1, 0.4, 0.5, 1.0}) {
        const double mended = calibrated(*calibrator, q);
        EXPECT_TRUE(mended >= 0.0 && mended <= 1.0) << to_string(method);
      }
      if (method == CalibrationMethod::isotonic) {
        EXPECT_EQ(calibrated(*calibrator, 0.2), label);
      }
    }
  }
}

TEST(Calibrators, RefuseBadRowsAndNoRows) {
  for (const CalibrationMethod method : all_methods) {
    CalibrationSet set(method, 2);
    EXPECT_THROW(set.fit(), Error);
    const double good[] = {0.9, 0.1};
    const double bad[] = {0.9, std::nan("")};
    const double long_row[] = {0.8, 0.1, 0.1};
    EXPECT_THROW(set.add(2, 0, 0.1, good), Error);
    EXPECT_THROW(set.add(0, -1, 0.1, good), Error);
    EXPECT_THROW(set.add(0, 0, 1.1, good), Error);
    EXPECT_THROW(set.add(0, 0, 0.1, bad), Error);
    EXPECT_THROW(set.add(0, 0, 0.1, long_row), Error);
    EXPECT_EQ(set.n_rows(), 0);
    EXPECT_EQ(find_choice<CalibrationMethod>(to_string(method)), method);
  }
  EXPECT_FALSE(find_choice<CalibrationMethod>("magic"));
}

} // namespace
