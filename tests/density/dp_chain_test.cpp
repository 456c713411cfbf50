// The chain behind dp-gmm: does it sample what it should? (docs/math/dp-gmm.md)

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "density/dp_steps.hpp"
#include "lacuna/core/observer.hpp"
#include "tests/density/dp_chain.hpp"

namespace lacuna::dp_chain_test {
namespace {

using testing::Estimate;
using testing::most_standard_errors;
using testing::small_model;

/// Labels by the Chinese restaurant process.
std::vector<std::int32_t> draw_partition(Index n, double concentration, RandomStream& random) {
  std::vector<std::int32_t> labels;
  std::vector<double> sizes;
  for (Index i = 0; i < n; ++i) {
    double left = random.uniform() * (static_cast<double>(i) + concentration);
    std::size_t k = 0;
    while (k < sizes.size() && (left -= sizes[k]) > 0.0) ++k;
    if (k == sizes.size()) sizes.push_back(0.0);
    sizes[k] += 1.0;
    labels.push_back(static_cast<std::int32_t>(k));
  }
  return labels;
}

/// Rows given their labels: a normal per cluster from the base measure, by the textbook: the covariance is
/// the inverse of a sum of outer products of normals (nu is a whole number here).
void draw_rows(const std::vector<std::int32_t>& labels, const DpModel& model, RandomStream& random,
               Matrix& rows) {
  const Index d = rows.n_cols();
  const double scatter = model.base.factor[0] * model.base.factor[0];
  std::map<std::int32_t, std::pair<Eigen::VectorXd, Eigen::MatrixXd>> parameters; // mean, root of covariance
  const auto normals = [&] {
    Eigen::VectorXd z(d);
    for (Index j = 0; j < d; ++j) z(j) = random.normal();
    return z;
  };
  for (Index i = 0; i < rows.n_rows(); ++i) {
    const std::int32_t label = labels[static_cast<std::size_t>(i)];
    if (!parameters.contains(label)) {
      Eigen::MatrixXd precision = Eigen::MatrixXd::Zero(d, d);
      for (int m = 0; m < static_cast<int>(model.base.nu); ++m) {
        const Eigen::VectorXd z = normals();
        precision += z * z.transpose() / scatter;
      }
      const Eigen::MatrixXd covariance = precision.inverse();
      const Eigen::MatrixXd root = covariance.llt().matrixL();
      parameters[label] = {root * normals() / std::sqrt(model.base.beta), root};
    }
    const Eigen::VectorXd x = parameters[label].first + parameters[label].second * normals();
    for (Index j = 0; j < d; ++j) rows(i, j) = x(j);
  }
}

/// What the joint distribution test looks at.
std::vector<double> functions_of(const std::vector<std::int32_t>& labels, double concentration,
                                 const Matrix& rows) {
  std::map<std::int32_t, double> sizes;
  for (const std::int32_t label : labels) sizes[label] += 1.0;
  double largest = 0.0;
  double singles = 0.0;
  double pairs = 0.0;
  for (const auto& [label, size] : sizes) {
    largest = std::max(largest, size);
    singles += size == 1.0 ? 1.0 : 0.0;
    pairs += size * (size - 1.0);
  }
  const auto n_clusters = static_cast<double>(sizes.size());
  double spread = 0.0;
  for (Index i = 0; i < rows.n_rows(); ++i) spread += std::tanh(std::abs(rows(i, 0)));
  const bool together = labels[0] == labels[1];
  const double distance = std::abs(rows(0, 0) - rows(1, 0));
  const double last = rows(0, rows.n_cols() - 1) * rows(1, rows.n_cols() - 1);
  return {n_clusters,
          n_clusters * n_clusters,
          concentration,
          concentration * concentration,
          std::log(concentration),
          largest,
          singles,
          pairs,
          together ? 1.0 : 0.0,
          std::tanh(rows(0, 0)),
          spread,
          spread * n_clusters,
          std::exp(-distance),
          together ? std::exp(-distance) : 0.0,
          std::tanh(last),
          concentration * spread};
}

using Kernel = std::function<void(DpState&, std::uint64_t, Index)>;

/// The largest |z| over all test functions between draws from the joint distribution of concentration, labels
/// and rows, and a chain that alternates the kernel with new rows given the labels.
double largest_z(Index n, Index d, Index n_steps, const Kernel& kernel) {
  const DpModel model = small_model(d);
  const Frame frame = Frame::identity(d);
  Matrix rows(n, d);
  RandomStream random(17, RandomPurpose::simulation, static_cast<std::uint64_t>(d));
  const auto draw_concentration = [&] {
    return random.gamma(model.concentration_shape) / model.concentration_rate;
  };

  const Index n_free = 200000;
  std::vector<double> sum;
  std::vector<double> sum_of_squares;
  for (Index i = 0; i < n_free; ++i) {
    const double concentration = draw_concentration();
    const std::vector<std::int32_t> labels = draw_partition(n, concentration, random);
    draw_rows(labels, model, random, rows);
    const std::vector<double> values = functions_of(labels, concentration, rows);
    sum.resize(values.size());
    sum_of_squares.resize(values.size());
    for (std::size_t f = 0; f < values.size(); ++f) {
      sum[f] += values[f];
      sum_of_squares[f] += values[f] * values[f];
    }
  }

  double concentration = draw_concentration();
  std::vector<std::int32_t> labels = draw_partition(n, concentration, random);
  draw_rows(labels, model, random, rows);
  const DpUnits units{WeightedRows(rows.view())};
  DpState state(units, frame, model, 1, silent_observer());
  state.concentration = concentration;
  state.set_labels(labels);
  std::vector<std::vector<double>> traces(sum.size());
  for (Index i = 0; i < n_steps; ++i) {
    kernel(state, 5, i);
    draw_rows(state.labels, model, random, rows);
    state.set_labels(state.labels);
    const std::vector<double> values = functions_of(state.labels, state.concentration, rows);
    for (std::size_t f = 0; f < values.size(); ++f) traces[f].push_back(values[f]);
  }

  double largest = 0.0;
  for (std::size_t f = 0; f < traces.size(); ++f) {
    const auto count = static_cast<double>(n_steps);
    double mean = 0.0;
    double square = 0.0;
    for (const double v : traces[f]) {
      mean += v / count;
      square += v * v / count;
    }
    const double free_mean = sum[f] / n_free;
    const double free_error = (sum_of_squares[f] / n_free - free_mean * free_mean) / n_free;
    const double error = (square - mean * mean) / effective_sample_size(traces[f]);
    const double z = std::abs(mean - free_mean) / std::sqrt(error + free_error);
    largest = std::max(largest, z);
  }
  return largest;
}

// 16 functions, so that a right sampler fails with probability below 1e-5 per chain.
TEST(DpChain, JointDistributionTestSlow) {
  EXPECT_LT(largest_z(9, 1, 30000, iterate), most_standard_errors);
  EXPECT_LT(largest_z(9, 2, 30000, iterate), most_standard_errors);
}

// Without the step that moves single labels, so that an error of the others cannot hide behind it.
TEST(DpChain, JointDistributionTestOfSplitsAndMergesSlow) {
  const Kernel kernel = [](DpState& state, std::uint64_t seed, Index iteration) {
    RandomStream random(seed, RandomPurpose::dp_step, static_cast<std::uint64_t>(iteration));
    resample_labels(state, random);
    for (int i = 0; i < 8; ++i) split_or_merge(state, random);
    resample_concentration(state, random);
  };
  EXPECT_LT(largest_z(6, 1, 40000, kernel), most_standard_errors);
  EXPECT_LT(largest_z(6, 2, 40000, kernel), most_standard_errors);
}

/// Labels renumbered in the order of their first rows, as a text.
std::string partition_name(const std::vector<std::int32_t>& labels) {
  std::map<std::int32_t, char> names;
  std::string text;
  for (const std::int32_t label : labels)
    text += names.emplace(label, static_cast<char>('a' + static_cast<int>(names.size()))).first->second;
  return text;
}

/// All partitions of n rows.
std::vector<std::vector<std::int32_t>> all_partitions(std::size_t n) {
  std::vector<std::vector<std::int32_t>> result = {{0}};
  for (std::size_t i = 1; i < n; ++i) {
    std::vector<std::vector<std::int32_t>> longer;
    for (const auto& labels : result)
      for (std::int32_t k = 0; k <= *std::max_element(labels.begin(), labels.end()) + 1; ++k) {
        longer.push_back(labels);
        longer.back().push_back(k);
      }
    result = std::move(longer);
  }
  return result;
}

/// The integral over the concentration of prior times a^K Gamma(a) / Gamma(a + n), times a^power.
double concentration_integral(const DpModel& model, double n_clusters, double n, double power) {
  double sum = 0.0;
  for (double t = -25.0; t < 6.0; t += 0.002) { // over log a
    const double a = std::exp(t);
    sum += 0.002 * std::exp((model.concentration_shape + n_clusters + power) * t -
                            model.concentration_rate * a + std::lgamma(a) - std::lgamma(a + n));
  }
  return sum;
}

Matrix five_rows() {
  return {5, 1, {-0.8, -0.5, 0.1, 0.9, 1.0}};
}

/// The posterior of every partition of five rows into `n_clusters` (0: any number), by enumeration.
std::map<std::string, double> enumerate(std::size_t n_clusters) {
  const Matrix rows = five_rows();
  const DpModel model = small_model(1);
  std::map<std::string, double> result;
  double total = 0.0;
  for (const auto& labels : all_partitions(5)) {
    const int most = *std::max_element(labels.begin(), labels.end()) + 1;
    if (n_clusters > 0 && most != static_cast<int>(n_clusters)) continue;
    double value = concentration_integral(model, most, 5.0, 0.0);
    for (int k = 0; k < most; ++k) {
      double n = 0.0;
      double mean = 0.0;
      double squares = 0.0;
      for (std::size_t i = 0; i < 5; ++i) {
        if (labels[i] != k) continue;
        const double x = rows(static_cast<Index>(i), 0);
        n += 1.0;
        mean += x;
        squares += x * x;
      }
      mean /= n;
      // A normal with unknown mean and variance: beta = 0.25, nu = 3, psi = 0.2.
      const double psi = 0.2 + squares - n * mean * mean + 0.25 * n / (0.25 + n) * mean * mean;
      value *= std::tgamma(n) * std::pow(std::numbers::pi, -0.5 * n) * std::sqrt(0.25 / (0.25 + n)) *
               std::pow(0.2, 1.5) / std::pow(psi, 0.5 * (3.0 + n)) * std::tgamma(0.5 * (3.0 + n)) /
               std::tgamma(1.5);
    }
    result[partition_name(labels)] = value;
    total += value;
  }
  for (auto& [name, value] : result) value /= total;
  return result;
}

/// How often a chain visits each partition, against the posterior.
void expect_frequencies(std::size_t n_clusters, int n_steps, const Kernel& kernel) {
  const std::map<std::string, double> expected = enumerate(n_clusters);
  const Matrix rows = five_rows();
  const DpModel model = small_model(1);
  const Frame frame = Frame::identity(1);
  const DpUnits units{WeightedRows(rows.view())};
  DpState state(units, frame, model, 1, silent_observer());
  std::vector<std::int32_t> start;
  for (std::int32_t i = 0; i < 5; ++i)
    start.push_back(i % static_cast<std::int32_t>(std::max<std::size_t>(1, n_clusters)));
  state.set_labels(start);
  std::vector<std::string> visits;
  for (int i = 0; i < n_steps; ++i) {
    kernel(state, 12, i);
    visits.push_back(partition_name(state.labels));
  }
  for (const auto& [name, probability] : expected) {
    std::vector<double> trace;
    for (const std::string& visit : visits) trace.push_back(visit == name ? 1.0 : 0.0);
    const Estimate found(trace);
    EXPECT_LT(std::abs(found.mean - probability), most_standard_errors * std::sqrt(found.variance) + 1e-4)
        << name << ": " << found.mean << ", expected " << probability;
  }
}

// Every partition of five rows: 15 and 25 of them, then all 52. |z| below 5 (and 1e-4 for those that are
// hardly ever seen): a right sampler fails with probability below 1e-4.
TEST(DpChain, AllLabelsAtOnceKeepTheirDistributionSlow) {
  const Kernel labels_alone = [](DpState& state, std::uint64_t seed, Index iteration) {
    RandomStream random(seed, RandomPurpose::dp_step, static_cast<std::uint64_t>(iteration));
    resample_labels(state, random);
  };
  expect_frequencies(2, 100000, labels_alone);
  expect_frequencies(3, 100000, labels_alone);
}

TEST(DpChain, PartitionsHaveTheirPosteriorProbabilitiesSlow) {
  expect_frequencies(0, 30000, iterate);
}

// Its mean and mean square; both fail with probability below 1e-6.
TEST(DpChain, ConcentrationHasItsPosterior) {
  const Matrix rows = five_rows();
  const DpModel model = small_model(1);
  const Frame frame = Frame::identity(1);
  const DpUnits units{WeightedRows(rows.view())};
  DpState state(units, frame, model, 1, silent_observer());
  state.set_labels({0, 1, 0, 2, 2});
  RandomStream random(3, RandomPurpose::dp_step);
  std::vector<double> first;
  std::vector<double> second;
  for (int i = 0; i < 400000; ++i) {
    resample_concentration(state, random);
    first.push_back(state.concentration);
    second.push_back(state.concentration * state.concentration);
  }
  const double mass = concentration_integral(model, 3.0, 5.0, 0.0);
  const Estimate mean(first);
  const Estimate square(second);
  EXPECT_NEAR(mean.mean, concentration_integral(model, 3.0, 5.0, 1.0) / mass,
              most_standard_errors * std::sqrt(mean.variance));
  EXPECT_NEAR(square.mean, concentration_integral(model, 3.0, 5.0, 2.0) / mass,
              most_standard_errors * std::sqrt(square.variance));
}

TEST(DpChain, EffectiveSampleSizeOfAnAutoregression) {
  RandomStream random(8, RandomPurpose::simulation);
  for (const double rho : {0.0, 0.5, 0.9}) {
    std::vector<double> trace = {0.0};
    for (int i = 1; i < 40000; ++i)
      trace.push_back(rho * trace.back() + std::sqrt(1.0 - rho * rho) * random.normal());
    const double expected = 40000.0 * (1.0 - rho) / (1.0 + rho);
    // The estimate's relative standard deviation is about 4 % at 0.9 and less below; a quarter is six of
    // them.
    EXPECT_NEAR(effective_sample_size(trace), expected, 0.25 * expected) << rho;
  }
  EXPECT_EQ(effective_sample_size(std::vector<double>(10, 3.0)), 10.0);
  EXPECT_EQ(effective_sample_size(std::vector<double>()), 0.0);
}

// No step may lose a unit, leave a cluster empty or let statistics drift from the labels.
TEST(DpChain, StatisticsAreThoseOfTheLabels) {
  RandomStream random(9, RandomPurpose::simulation);
  Matrix rows(400, 3);
  std::vector<double> weights;
  for (Index i = 0; i < 400; ++i) {
    for (Index j = 0; j < 3; ++j) rows(i, j) = static_cast<double>(i % 3) + 0.3 * random.normal();
    weights.push_back(i % 5 == 0 ? 3.0 : i % 5 == 1 ? 0.4 : 1.0);
  }
  const DpModel model = small_model(3);
  const Frame frame = Frame::identity(3);
  const DpUnits units{WeightedRows(rows.view(), weights)};
  EXPECT_EQ(units.rows().size(), 80 * 3 + 320);
  DpState state(units, frame, model, 1, silent_observer());
  int most_clusters = 0;
  for (Index i = 0; i < 200; ++i) {
    iterate(state, 3, i);
    most_clusters = std::max(most_clusters, static_cast<int>(state.n_clusters()));
    DpState again(units, frame, model, 1, silent_observer());
    again.set_labels(state.labels);
    ASSERT_EQ(again.clusters.size(), state.clusters.size());
    for (std::size_t k = 0; k < state.clusters.size(); ++k) {
      ASSERT_EQ(state.clusters[k].n_units, again.clusters[k].n_units);
      ASSERT_GT(state.clusters[k].n_units, 0);
      ASSERT_NEAR(state.clusters[k].rows.n, again.clusters[k].rows.n, 1e-9);
      ASSERT_NEAR(state.clusters[k].posterior.log_det, again.clusters[k].posterior.log_det, 1e-9);
    }
    again.concentration = state.concentration;
    ASSERT_NEAR(state.log_joint(), again.log_joint(), 1e-7);
  }
  EXPECT_GE(most_clusters, 3);
}

// The joint density by its parts: the prior of the concentration, the probability of the labels as rows come
// one after another (Chinese restaurant), and the evidence of each cluster.
TEST(DpChain, TheJointDensityIsTheProductOfItsParts) {
  const Matrix rows(4, 1, {-1.0, 2.0, -0.5, 2.25});
  const DpModel model = small_model(1);
  const Frame frame = Frame::identity(1);
  const DpUnits units{WeightedRows(rows.view())};
  DpState state(units, frame, model, 1, silent_observer());
  for (const std::vector<std::int32_t>& labels :
       {std::vector<std::int32_t>{0, 0, 0, 0}, std::vector<std::int32_t>{0, 1, 0, 1},
        std::vector<std::int32_t>{0, 1, 2, 1}, std::vector<std::int32_t>{0, 1, 2, 3}}) {
    state.set_labels(labels);
    state.concentration = 1.7;
    double expected = 2.0 * std::log(2.0) + std::log(1.7) - 2.0 * 1.7; // Gamma(2, 2)
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const auto before =
          std::count(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(i), labels[i]);
      expected +=
          std::log((before == 0 ? 1.7 : static_cast<double>(before)) / (1.7 + static_cast<double>(i)));
    }
    for (const DpCluster& cluster : state.clusters) expected += log_evidence(model.base, cluster.posterior);
    EXPECT_NEAR(state.log_joint(), expected, 1e-10);
  }
}

} // namespace
} // namespace lacuna::dp_chain_test
