// The chain behind dp-gmm against a sampler that shares nothing with it (docs/math/dp-gmm.md).

#include <cmath>
#include <map>
#include <numbers>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "density/dp_steps.hpp"
#include "lacuna/core/observer.hpp"
#include "tests/density/dp_chain.hpp"

namespace lacuna::dp_collapsed_test {
namespace {

using testing::Estimate;
using testing::most_standard_errors;

/// A plain collapsed Gibbs sampler: every label in turn, evidences from the rows by determinants, and the
/// concentration from a grid. Shares nothing with the library but the random numbers.
class CollapsedGibbs {
public:
  CollapsedGibbs(Eigen::MatrixXd rows, double beta, double nu, double scatter, double shape, double rate)
      : rows_(std::move(rows)), beta_(beta), nu_(nu), scatter_(scatter), shape_(shape), rate_(rate),
        labels_(static_cast<std::size_t>(rows_.rows()), 0) {}

  void sweep(RandomStream& random) {
    for (std::size_t i = 0; i < labels_.size(); ++i) resample(i, random);
    std::map<int, int> sizes;
    for (const int label : labels_) ++sizes[label];
    n_clusters = static_cast<int>(sizes.size());
    resample_concentration(random);
  }

  int n_clusters = 1;
  double concentration = 1.0;

private:
  void resample(std::size_t i, RandomStream& random) {
    labels_[i] = -1;
    std::map<int, std::vector<Index>> members;
    for (std::size_t j = 0; j < labels_.size(); ++j)
      if (labels_[j] >= 0) members[labels_[j]].push_back(static_cast<Index>(j));
    std::vector<int> names;
    std::vector<double> weights;
    const auto add = [&](int name, std::vector<Index> with, double prior) {
      const double before = log_evidence_of(with);
      with.push_back(static_cast<Index>(i));
      names.push_back(name);
      weights.push_back(prior * std::exp(log_evidence_of(with) - before));
    };
    int unused = 0;
    for (const auto& [name, with] : members) {
      add(name, with, static_cast<double>(with.size()));
      unused = std::max(unused, name + 1);
    }
    add(unused, {}, concentration);
    double total = 0.0;
    for (const double w : weights) total += w;
    double left = random.uniform() * total;
    std::size_t k = 0;
    while (k + 1 < weights.size() && (left -= weights[k]) > 0.0) ++k;
    labels_[i] = names[k];
  }

  double log_evidence_of(const std::vector<Index>& of) const {
    const Index d = rows_.cols();
    const auto n = static_cast<double>(of.size());
    if (of.empty()) return 0.0;
    Eigen::VectorXd mean = Eigen::VectorXd::Zero(d);
    for (const Index i : of) mean += rows_.row(i).transpose() / n;
    Eigen::MatrixXd psi = scatter_ * Eigen::MatrixXd::Identity(d, d);
    for (const Index i : of) {
      const Eigen::VectorXd e = rows_.row(i).transpose() - mean;
      psi += e * e.transpose();
    }
    psi += beta_ * n / (beta_ + n) * mean * mean.transpose();
    double result = -0.5 * n * static_cast<double>(d) * std::log(std::numbers::pi) +
                    0.5 * static_cast<double>(d) * std::log(beta_ / (beta_ + n)) +
                    0.5 * nu_ * static_cast<double>(d) * std::log(scatter_) -
                    0.5 * (nu_ + n) * std::log(psi.determinant());
    for (Index j = 0; j < d; ++j)
      result += std::lgamma(0.5 * (nu_ + n - static_cast<double>(j))) -
                std::lgamma(0.5 * (nu_ - static_cast<double>(j)));
    return result;
  }

  void resample_concentration(RandomStream& random) {
    constexpr int n_points = 400;
    const auto n = static_cast<double>(labels_.size());
    std::vector<double> weights;
    double total = 0.0;
    const auto point = [](int g) { return std::exp(-9.0 + 13.0 * g / n_points); };
    for (int g = 0; g < n_points; ++g) {
      const double a = point(g); // density of log a
      const double log_density =
          (shape_ + n_clusters) * std::log(a) - rate_ * a + std::lgamma(a) - std::lgamma(a + n);
      weights.push_back(std::exp(log_density + std::lgamma(n)));
      total += weights.back();
    }
    double left = random.uniform() * total;
    int g = 0;
    while (g + 1 < n_points && (left -= weights[static_cast<std::size_t>(g)]) > 0.0) ++g;
    concentration = point(g);
  }

  Eigen::MatrixXd rows_;
  double beta_;
  double nu_;
  double scatter_;
  double shape_;
  double rate_;
  std::vector<int> labels_;
};

// Probabilities of 1 to 7 clusters and the mean of the concentration: 8 comparisons, |z| below 5, so a right
// sampler fails with probability below 1e-5.
TEST(DpChain, NumberOfClustersIsThatOfAPlainCollapsedSamplerSlow) {
  constexpr Index n = 18;
  constexpr Index d = 2;
  constexpr int n_burn_in = 200;
  constexpr int n_sweeps = 20000;
  RandomStream random(4, RandomPurpose::simulation);
  Matrix rows(n, d);
  Eigen::MatrixXd same(n, d);
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < d; ++j)
      same(i, j) = rows(i, j) = (i % 3 == 0 ? 1.5 : i % 3 == 1 ? -1.0 : 0.0) + 0.5 * random.normal();
  const DpModel model = testing::small_model(d);
  const Frame frame = Frame::identity(d);
  const DpUnits units{WeightedRows(rows.view())};
  DpState state(units, frame, model, 1, silent_observer());
  CollapsedGibbs plain(same, 0.25, 4.0, 0.2, 2.0, 2.0);
  constexpr std::size_t n_functions = 8;
  std::vector<std::vector<double>> ours(n_functions);
  std::vector<std::vector<double>> theirs(n_functions);
  const auto note = [](std::vector<std::vector<double>>& traces, int n_clusters, double concentration) {
    for (std::size_t k = 1; k < n_functions; ++k)
      traces[k].push_back(n_clusters == static_cast<int>(k) ? 1.0 : 0.0);
    traces[0].push_back(concentration);
  };
  for (int i = 0; i < n_burn_in + n_sweeps; ++i) {
    iterate(state, 6, i);
    plain.sweep(random);
    if (i < n_burn_in) continue;
    note(ours, state.n_clusters(), state.concentration);
    note(theirs, plain.n_clusters, plain.concentration);
  }
  for (std::size_t f = 0; f < n_functions; ++f) {
    const Estimate a(ours[f]);
    const Estimate b(theirs[f]);
    EXPECT_LT(std::abs(a.mean - b.mean), most_standard_errors * std::sqrt(a.variance + b.variance))
        << f << ": " << a.mean << " and " << b.mean;
    EXPECT_LT(std::sqrt(a.variance + b.variance), 0.02) << f << ": the comparison would see nothing";
  }
}

} // namespace
} // namespace lacuna::dp_collapsed_test
