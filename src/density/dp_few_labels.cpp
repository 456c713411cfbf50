#include <algorithm>
#include <cmath>

#include "core/index.hpp"
#include "density/dp_steps.hpp"

// Equation numbers refer to docs/math/dp-gmm.md.

namespace lacuna {

namespace {

/// Gibbs sampling of single labels with all parameters integrated out (eq. 10).
class SingleLabels {
public:
  explicit SingleLabels(DpState& state)
      : state_(state), base_predictive_(state.model.base), x_(at(state.frame.n_features())) {
    for (const DpCluster& cluster : state.clusters) predictive_.emplace_back(cluster.posterior);
  }

  void resample(Index unit, RandomStream& random) {
    state_.get(unit, x_);
    const std::int32_t old = state_.labels[at(unit)];
    const DpCluster before = state_.clusters[at(old)];
    const bool was_alone = before.n_units == 1;
    state_.labels[at(unit)] = -1;
    if (was_alone) {
      state_.drop(old);
      predictive_[at(old)] = predictive_.back();
      predictive_.pop_back();
    } else {
      take_out(unit, old);
    }
    const std::int32_t chosen = choose(random);
    state_.labels[at(unit)] = chosen;
    if (chosen == old && !was_alone)
      replace(old, before); // as it was, to the last digit
    else
      put_into(unit, chosen);
  }

private:
  void take_out(Index unit, std::int32_t k) {
    DpCluster cluster = state_.clusters[at(k)];
    const double weight = state_.units.weight(unit);
    cluster.rows.add(x_, -weight);
    --cluster.n_units;
    constexpr double cancelled = 1e-6;
    if (cluster.rows.n < cancelled * weight) cluster.rows = count_again(k);
    cluster.posterior = update(state_.model.base, cluster.rows);
    replace(k, std::move(cluster));
  }

  /// Where next to nothing is left of what was there, differences have no digits.
  RowStatistics count_again(std::int32_t k) const {
    RowStatistics rows(state_.clusters[at(k)].posterior.mean);
    std::vector<double> x(x_.size());
    for (Index i = 0; i < state_.units.size(); ++i) {
      if (state_.labels[at(i)] != k) continue;
      state_.get(i, x);
      rows.add(x, state_.units.weight(i));
    }
    return rows;
  }

  std::int32_t choose(RandomStream& random) {
    logits_.clear();
    for (std::size_t k = 0; k < state_.clusters.size(); ++k)
      logits_.push_back(std::log(state_.clusters[k].rows.n) +
                        predictive_[k].log_density(state_.clusters[k].posterior, x_));
    logits_.push_back(std::log(state_.concentration) + base_predictive_.log_density(state_.model.base, x_));
    const double largest = *std::max_element(logits_.begin(), logits_.end());
    double total = 0.0;
    for (double& logit : logits_) total += logit = std::exp(logit - largest);
    double left = random.uniform() * total;
    std::size_t k = 0;
    while (k + 1 < logits_.size() && (left -= logits_[k]) > 0.0) ++k;
    return static_cast<std::int32_t>(k);
  }

  void put_into(Index unit, std::int32_t k) {
    DpCluster cluster;
    if (k == state_.n_clusters()) {
      cluster.rows = RowStatistics(x_);
      state_.clusters.emplace_back();
      predictive_.push_back(base_predictive_);
    } else {
      cluster = state_.clusters[at(k)];
    }
    cluster.rows.add(x_, state_.units.weight(unit));
    ++cluster.n_units;
    cluster.posterior = update(state_.model.base, cluster.rows);
    replace(k, std::move(cluster));
  }

  void replace(std::int32_t k, DpCluster cluster) {
    predictive_[at(k)] = StudentPredictive(cluster.posterior);
    state_.clusters[at(k)] = std::move(cluster);
  }

  DpState& state_;
  StudentPredictive base_predictive_;
  std::vector<StudentPredictive> predictive_;
  std::vector<double> x_;
  std::vector<double> logits_;
};

} // namespace

void resample_few_labels(DpState& state, Index n_units, RandomStream& random) {
  SingleLabels labels(state);
  const Index n = state.units.size();
  for (Index i = 0; i < n_units; ++i) {
    const Index unit = std::min(n - 1, static_cast<Index>(random.uniform() * static_cast<double>(n)));
    // A row that is hardly there has as little chance to open a cluster (section 2).
    if (state.units.weight(unit) < 1.0 && random.uniform() > state.units.weight(unit)) continue;
    labels.resample(unit, random);
  }
}

void resample_concentration(DpState& state, RandomStream& random) {
  const double shape = state.model.concentration_shape;
  const auto n_clusters = static_cast<double>(state.clusters.size());
  // log of a Beta(concentration + 1, total weight) variable.
  const double a = draw_log_gamma(random, state.concentration + 1.0);
  const double b = draw_log_gamma(random, state.total_weight);
  const double log_eta = -std::log1p(std::exp(b - a));
  const double rate = state.model.concentration_rate - log_eta;
  const double odds = (shape + n_clusters - 1.0) / (state.total_weight * rate);
  const bool one_more = random.uniform() * (1.0 + odds) < odds;
  constexpr double least = 1e-300;
  state.concentration = std::max(least, random.gamma(shape + n_clusters - (one_more ? 0.0 : 1.0)) / rate);
}

} // namespace lacuna
