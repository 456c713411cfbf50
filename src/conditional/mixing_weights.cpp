#include "conditional/mixing_weights.hpp"

#include <cmath>
#include <numeric>

#include "core/index.hpp"
#include "math/lbfgs.hpp"
#include "math/special.hpp"

namespace lacuna {

namespace {

/// The rows that each member is as if it had won.
constexpr double prior_rows = 0.5;

/// Writes what each member won of the rows under these weights; returns the objective.
double share_rows(const MixedLikelihoods& rows, std::span<const double> mixing, std::span<double> won) {
  double objective = 0.0;
  for (std::size_t j = 0; j < mixing.size(); ++j) {
    won[j] = prior_rows;
    objective += prior_rows * std::log(mixing[j]);
  }
  for (Index i = 0; i < rows.likelihoods.n_rows; ++i) {
    const double* row = rows.likelihoods.row(i);
    const double weight = rows.weights[at(i)];
    double sum = 0.0;
    for (std::size_t j = 0; j < mixing.size(); ++j) sum += mixing[j] * row[j];
    objective += weight * std::log(sum);
    for (std::size_t j = 0; j < mixing.size(); ++j) won[j] += weight * mixing[j] * row[j] / sum;
  }
  return objective;
}

/// Weights as exponentials, which sum to one and are never 0.
std::vector<double> softmax(std::span<const double> x) {
  const double log_sum = log_sum_exp(x);
  std::vector<double> shares;
  for (const double value : x) shares.push_back(std::exp(value - log_sum));
  return shares;
}

} // namespace

double mixing_objective(const MixedLikelihoods& rows, std::span<const double> mixing) {
  std::vector<double> won(mixing.size());
  return share_rows(rows, mixing, won);
}

std::vector<double> fit_mixing(const MixedLikelihoods& rows) {
  const std::size_t n_members = at(rows.likelihoods.n_cols);
  const double total =
      std::accumulate(rows.weights.begin(), rows.weights.end(), prior_rows * static_cast<double>(n_members));
  std::vector<double> x(n_members, 0.0);
  lbfgs_minimise(
      [&](std::span<const double> here, std::span<double> gradient) {
        const std::vector<double> mixing = softmax(here);
        const double objective = share_rows(rows, mixing, gradient);
        for (std::size_t j = 0; j < n_members; ++j) gradient[j] = mixing[j] - gradient[j] / total;
        return -objective / total;
      },
      x);
  return softmax(x);
}

} // namespace lacuna
