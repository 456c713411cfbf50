#include "conditional/mixing_weights.hpp"

#include <algorithm>
#include <cmath>

#include "core/index.hpp"

namespace lacuna {

namespace {

/// The rows that each member is as if it had won.
constexpr double prior_rows = 0.5;

/// Adds what each member won of the rows under these weights; returns the objective.
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

} // namespace

double mixing_objective(const MixedLikelihoods& rows, std::span<const double> mixing) {
  std::vector<double> won(mixing.size());
  return share_rows(rows, mixing, won);
}

MixingFit fit_mixing(const MixedLikelihoods& rows) {
  constexpr int most_steps = 2000;
  constexpr double least_change = 1e-7;
  const std::size_t n_members = at(rows.likelihoods.n_cols);
  MixingFit fit;
  fit.mixing.assign(n_members, 1.0 / static_cast<double>(n_members));
  std::vector<double> won(n_members);
  double change = 1.0;
  for (int step = 0; step < most_steps && change > least_change; ++step) {
    fit.history.push_back(share_rows(rows, fit.mixing, won));
    double total = 0.0;
    for (const double rows_won : won) total += rows_won;
    change = 0.0;
    for (std::size_t j = 0; j < n_members; ++j) {
      change = std::max(change, std::abs(won[j] / total - fit.mixing[j]));
      fit.mixing[j] = won[j] / total;
    }
  }
  fit.history.push_back(mixing_objective(rows, fit.mixing));
  return fit;
}

} // namespace lacuna
