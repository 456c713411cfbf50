#include <algorithm>
#include <cmath>

#include "core/index.hpp"
#include "density/dp_pairs.hpp"
#include "density/dp_steps.hpp"
#include "density/kernels.hpp"
#include "math/special.hpp"

// Section and equation numbers refer to docs/math/dp-gmm.md.

namespace lacuna {

namespace {

/// Merges that stand no chance are found out without a look at the rows (eq. 16 and 17), so they are tried
/// more often.
constexpr double split_probability = 0.25;

/// One proposal. Ratios are those of eq. 12, in which the labels of the rows have cancelled.
class SplitOrMerge {
public:
  SplitOrMerge(DpState& state, RandomStream& random)
      : state_(state), random_(random), is_informed_(random.uniform() < 0.5) {}

  void split() {
    const std::int32_t k = draw_cluster(state_.n_clusters());
    const DpCluster& cluster = state_.clusters[at(k)];
    if (cluster.n_units < 2) return; // one of the halves would be empty
    const UnitList units = state_.members(k);
    const double log_u = std::log(random_.uniform());
    NormalPair pair;
    double log_proposed = 0.0;
    if (is_informed_) {
      const Launch launched = launch(state_, units, cluster.posterior, random_);
      pair = launched.draw(random_);
      log_proposed = log_evidence(state_.model.base, cluster.posterior) + launched.log_density(pair);
    } else {
      const std::optional<NormalPair> drawn = draw_matched_pair(cluster.posterior, random_);
      if (!drawn) return;
      pair = *drawn;
      const std::optional<double> found = log_matched_density(pair, state_.model.base, cluster.rows);
      if (!found) return;
      log_proposed = *found;
    }
    const MixtureTerms terms = make_terms(pair.part, pair.log_share);
    const double log_ratio = -log_merge_ratio(pair, log_proposed, log_likelihood(units.rows(), state_, terms),
                                              state_.n_clusters() + 1);
    if (log_u < log_ratio) divide(k, units, terms);
  }

  void merge() {
    const std::int32_t n = state_.n_clusters();
    if (n < 2) return;
    const std::int32_t a = draw_cluster(n);
    const std::int32_t other = draw_cluster(n - 1);
    const std::int32_t b = other < a ? other : other + 1;
    const std::array<const DpCluster*, 2> halves = {&state_.clusters[at(a)], &state_.clusters[at(b)]};
    RowStatistics rows = halves[0]->rows;
    rows.add(halves[1]->rows);
    DpCluster whole = state_.make_cluster(std::move(rows), halves[0]->n_units + halves[1]->n_units);
    const NormalPair pair = draw_pair(halves);
    const double log_u = std::log(random_.uniform());

    // Each row's own half alone bounds the mixture's density from below.
    double least_likelihood = 0.0;
    for (std::size_t h = 0; h < 2; ++h)
      least_likelihood +=
          halves[h]->rows.n * pair.log_share[h] + pair.part[h].log_likelihood(halves[h]->rows);
    const std::optional<double> most = most_proposed(pair, whole);
    if (!most || !(log_u < log_merge_ratio(pair, *most, least_likelihood, n))) return;

    const UnitList units = state_.members(a, b);
    const double log_proposed = is_informed_
                                    ? log_evidence(state_.model.base, whole.posterior) +
                                          launch(state_, units, whole.posterior, random_).log_density(pair)
                                    : *most;
    const MixtureTerms terms = make_terms(pair.part, pair.log_share);
    const double mixture = log_likelihood(units.rows(), state_, terms);
    if (!(log_u < log_merge_ratio(pair, log_proposed, mixture, n))) return;
    std::replace(state_.labels.begin(), state_.labels.end(), b, a);
    state_.clusters[at(a)] = std::move(whole);
    state_.drop(b);
  }

private:
  std::int32_t draw_cluster(std::int32_t n) {
    return std::min(n - 1, static_cast<std::int32_t>(random_.uniform() * static_cast<double>(n)));
  }

  /// The parameters of two clusters and their shares, given their rows (eq. 11).
  NormalPair draw_pair(const std::array<const DpCluster*, 2>& halves) {
    NormalPair pair;
    const double a = draw_log_gamma(random_, halves[0]->rows.n);
    const double b = draw_log_gamma(random_, halves[1]->rows.n);
    pair.log_share = {-std::log1p(std::exp(b - a)), -std::log1p(std::exp(a - b))};
    for (std::size_t h = 0; h < 2; ++h) pair.part[h] = halves[h]->posterior.draw(random_);
    return pair;
  }

  /// log (evidence times density of the proposal) for the pair, or a bound of it where that is not yet known.
  std::optional<double> most_proposed(const NormalPair& pair, const DpCluster& whole) const {
    if (!is_informed_) return log_matched_density(pair, state_.model.base, whole.rows);
    double bound = log_evidence(state_.model.base, whole.posterior) + std::log(whole.rows.n + 1.0);
    for (const Normal& normal : pair.part) bound += whole.posterior.largest_log_density(normal);
    return bound;
  }

  /// log of the ratio of a merge that starts with n clusters (eq. 12); a split's is the inverse.
  double log_merge_ratio(const NormalPair& pair, double log_proposed, double mixture, std::int32_t n) const {
    double ratio = log_proposed - std::log(state_.concentration) - mixture +
                   std::log(static_cast<double>(n)) + std::log(split_probability / (1.0 - split_probability));
    for (std::size_t h = 0; h < 2; ++h)
      ratio += pair.log_share[h] - state_.model.base.log_density(pair.part[h]);
    return ratio;
  }

  /// Draws which half each unit goes to; unless all go to the same, the cluster is split.
  void divide(std::int32_t k, const UnitList& units, const MixtureTerms& terms) {
    const std::uint64_t seed = random_.next();
    const auto d = at(terms.n_features());
    std::vector<char> side(at(units.size()));
    Index n_units[2] = {0, 0};
    RowStatistics rows[2] = {RowStatistics({terms.mean.row(0), terms.mean.row(0) + d}),
                             RowStatistics({terms.mean.row(1), terms.mean.row(1) + d})};
    RowBlock block(state_.frame, 2, units.size());
    std::vector<double> x(d);
    for (Index first = 0; first < units.size(); first += block.capacity()) {
      block.load(units.rows(), first, std::min(block.capacity(), units.size() - first));
      evaluate_terms(terms, block);
      kernels().responsibilities(block.logits(), block.stride(), block.n_padded(), 2, block.weights(),
                                 block.totals());
      for (Index b = 0; b < block.n_rows(); ++b) {
        const Index unit = units.unit(first + b);
        RandomStream random(seed, RandomPurpose::dp_label, static_cast<std::uint64_t>(unit));
        const std::size_t h = random.uniform() * block.weights()[b] < block.logits()[b] ? 0 : 1;
        side[at(first + b)] = static_cast<char>(h);
        ++n_units[h];
        state_.get(unit, x);
        rows[h].add(x, block.weights()[b]);
      }
    }
    if (n_units[0] == 0 || n_units[1] == 0) return;
    const std::int32_t new_label = state_.n_clusters();
    state_.clusters[at(k)] = state_.make_cluster(std::move(rows[0]), n_units[0]);
    state_.clusters.push_back(state_.make_cluster(std::move(rows[1]), n_units[1]));
    for (Index i = 0; i < units.size(); ++i)
      if (side[at(i)] == 1) state_.labels[at(units.unit(i))] = new_label;
  }

  DpState& state_;
  RandomStream& random_;
  bool is_informed_;
};

} // namespace

void split_or_merge(DpState& state, RandomStream& random) {
  SplitOrMerge proposal(state, random);
  if (random.uniform() < split_probability)
    proposal.split();
  else
    proposal.merge();
}

} // namespace lacuna
