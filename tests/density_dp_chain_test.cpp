// The chain behind dp-gmm: does it sample what it should? (docs/math/dp-gmm.md)

#include <cmath>
#include <functional>
#include <map>

#include <gtest/gtest.h>

#include "density/chain_diagnostics.hpp"
#include "density/dp_steps.hpp"
#include "lacuna/core/observer.hpp"

namespace lacuna {
namespace {

Frame plain_frame(Index d) {
  Frame frame;
  frame.center.assign(static_cast<std::size_t>(d), 0.0);
  frame.scale.assign(static_cast<std::size_t>(d), 1.0);
  for (Index j = 0; j < d; ++j) frame.columns.push_back(j);
  return frame;
}

DpModel small_model(Index d) {
  DpModel model;
  model.base = make_base(static_cast<std::size_t>(d), 0.25, static_cast<double>(d) + 2.0, 0.2);
  model.concentration_shape = 2.0;
  model.concentration_rate = 2.0;
  return model;
}

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
  const Frame frame = plain_frame(d);
  Matrix rows(n, d);
  RandomStream random(17, RandomPurpose::simulation, static_cast<std::uint64_t>(d));
  const auto draw_concentration = [&] {
    return random.gamma(model.concentration_shape) / model.concentration_rate;
  };

  const Index n_free = 400000;
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
    if (std::getenv("DP_VERBOSE"))
      std::printf("f %zu chain %.5f free %.5f z %.2f ess %.0f\n", f, mean, free_mean, z,
                  effective_sample_size(traces[f]));
    largest = std::max(largest, z);
  }
  return largest;
}

// 16 functions; |z| above 5 has a probability of 6e-7 each, so a right sampler fails with probability
// below 1e-5 per chain.
constexpr double bound = 5.0;

TEST(DpChain, JointDistributionTestSlow) {
  EXPECT_LT(largest_z(9, 1, 60000, iterate), bound);
  EXPECT_LT(largest_z(9, 2, 60000, iterate), bound);
}

// Without the step that moves single labels, so that an error of the others cannot hide behind it.
TEST(DpChain, JointDistributionTestOfSplitsAndMergesSlow) {
  const Kernel kernel = [](DpState& state, std::uint64_t seed, Index iteration) {
    RandomStream random(seed, RandomPurpose::dp_step, static_cast<std::uint64_t>(iteration));
    resample_labels(state, random);
    for (int i = 0; i < 8; ++i) split_or_merge(state, random);
    resample_concentration(state, random);
  };
  EXPECT_LT(largest_z(6, 1, 100000, kernel), bound);
  EXPECT_LT(largest_z(6, 2, 100000, kernel), bound);
}

} // namespace
} // namespace lacuna
