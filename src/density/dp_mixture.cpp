#include "density/dp_mixture.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "density/gmm.hpp"
#include "math/special.hpp"

// Equation numbers refer to docs/math/dp-gmm.md.

namespace lacuna {

namespace {

/// Weights of all clusters of all draws, then of the base measure (eq. 19).
std::vector<double> make_weights(const DpDraws& draws) {
  const auto n_draws = static_cast<double>(draws.concentration.size());
  std::vector<double> weight;
  double of_base = 0.0;
  auto next = draws.rows.begin();
  for (std::size_t t = 0; t < draws.concentration.size(); ++t) {
    const auto end = next + static_cast<std::ptrdiff_t>(draws.n_clusters[t]);
    const double total = std::accumulate(next, end, draws.concentration[t]);
    of_base += draws.concentration[t] / total / n_draws;
    for (; next != end; ++next) weight.push_back(*next / total / n_draws);
  }
  weight.push_back(of_base);
  return weight;
}

MixtureTerms empty_terms(Index n, Index d) {
  MixtureTerms terms;
  terms.shape = MixtureTerms::Shape::student;
  terms.mean = Matrix(n, d);
  terms.whitener = Matrix(n, d * (d + 1) / 2);
  return terms;
}

void append(MixtureTerms& terms, const NormalInverseWishart& niw, double log_weight) {
  const auto k = static_cast<Index>(terms.constant.size());
  const StudentPredictive predictive(niw);
  std::copy(niw.mean.begin(), niw.mean.end(), terms.mean.row(k));
  std::copy(niw.whitener.begin(), niw.whitener.end(), terms.whitener.row(k));
  terms.constant.push_back(log_weight + predictive.constant);
  terms.power.push_back(predictive.power);
  terms.factor.push_back(predictive.factor);
}

/// The average of the draws' predictive densities as one mixture.
MixtureTerms make_terms(const DpDraws& draws, const std::vector<double>& weight) {
  const Index n = draws.mean.n_rows();
  MixtureTerms terms = empty_terms(n + 1, draws.n_features());
  for (Index k = 0; k < n; ++k) append(terms, draws.posterior(k), std::log(weight[at(k)]));
  append(terms, draws.base(), std::log(weight.back()));
  return terms;
}

/// Clusters yet unseen, by the Dirichlet process that is their prior (eq. 20). The last one has all that is
/// left, so that what is expected of them does not depend on how many there are.
void add_unseen(const NormalInverseWishart& base, double concentration, RandomStream& random,
                std::vector<double>& log_weight, std::vector<Normal>& normals) {
  constexpr int n_unseen = 10;
  double log_left = draw_log_gamma(random, concentration);
  for (int j = 0; j < n_unseen; ++j) {
    const double log_rest = std::log(random.uniform()) / concentration; // 1 - Beta(1, concentration)
    const bool is_last = j + 1 == n_unseen;
    log_weight.push_back(is_last ? log_left : log_left + std::log(-std::expm1(log_rest)));
    log_left += log_rest;
    normals.push_back(base.draw(random));
  }
}

/// Normals with weights in proportion to these.
GmmParameters mixture_of(const std::vector<Normal>& normals, const std::vector<double>& log_weight) {
  constexpr double least_weight = 1e-100;
  const double log_total = log_sum_exp(log_weight);
  std::vector<std::size_t> kept;
  for (std::size_t k = 0; k < normals.size(); ++k)
    if (log_weight[k] - log_total > std::log(least_weight)) kept.push_back(k);
  const auto n = static_cast<Index>(kept.size());
  const auto d = static_cast<Index>(normals.front().mean.size());
  GmmParameters result;
  result.mean = Matrix(n, d);
  result.whitener = Matrix(n, d * (d + 1) / 2);
  for (Index k = 0; k < n; ++k) {
    const Normal& normal = normals[kept[at(k)]];
    result.weight.push_back(std::exp(log_weight[kept[at(k)]] - log_total));
    result.log_det.push_back(-normal.log_det);
    std::copy(normal.mean.begin(), normal.mean.end(), result.mean.row(k));
    std::copy(normal.whitener.begin(), normal.whitener.end(), result.whitener.row(k));
  }
  return result;
}

} // namespace

NormalInverseWishart DpDraws::base() const {
  return make_base(at(n_features()), base_beta, base_nu, base_scatter);
}

NormalInverseWishart DpDraws::posterior(Index cluster) const {
  NormalInverseWishart result;
  const double n = rows[at(cluster)];
  result.beta = base_beta + n;
  result.nu = base_nu + n;
  result.mean.assign(mean.row(cluster), mean.row(cluster) + mean.n_cols());
  result.whitener.assign(whitener.row(cluster), whitener.row(cluster) + whitener.n_cols());
  result.log_det = -2.0 * log_diagonal(result.whitener.data(), result.mean.size());
  return result;
}

void DpDrawList::add(double concentration, std::span<const DpCluster> clusters) {
  draws_.concentration.push_back(concentration);
  draws_.n_clusters.push_back(static_cast<double>(clusters.size()));
  for (const DpCluster& cluster : clusters) {
    const NormalInverseWishart& posterior = cluster.posterior;
    draws_.rows.push_back(cluster.rows.n);
    mean_.insert(mean_.end(), posterior.mean.begin(), posterior.mean.end());
    whitener_.insert(whitener_.end(), posterior.whitener.begin(), posterior.whitener.end());
  }
}

DpDraws DpDrawList::finish() const {
  DpDraws result = draws_;
  result.base_beta = base_.beta;
  result.base_nu = base_.nu;
  result.base_scatter = base_.factor.front() * base_.factor.front();
  const auto n = static_cast<Index>(result.rows.size());
  const auto d = static_cast<Index>(base_.n_features());
  result.mean = Matrix(n, d, mean_);
  result.whitener = Matrix(n, d * (d + 1) / 2, whitener_);
  return result;
}

DpMixture::DpMixture(Frame frame, DpDraws draws, DensityFitSummary summary)
    : Density({"dp-gmm", frame.n_features(), std::move(summary)}), frame_(std::move(frame)),
      draws_(std::move(draws)), weight_(make_weights(draws_)), terms_(make_terms(draws_, weight_)) {}

void DpMixture::log_density(MatrixView rows, std::span<double> out) const {
  write_log_density(WeightedRows(rows), frame_, terms_, out);
}

void DpMixture::sample(RandomStream& random, std::span<double> out) const {
  double left = random.uniform();
  std::size_t k = 0;
  while (k + 1 < weight_.size() && (left -= weight_[k]) > 0.0) ++k;
  const auto component = static_cast<Index>(k);
  // Student-t = normal divided by the root of a scaled chi-square.
  const double degrees = 2.0 * terms_.power[k] - static_cast<double>(out.size());
  const double spread = std::sqrt(1.0 / (terms_.factor[k] * 2.0 * random.gamma(0.5 * degrees)));
  std::vector<double> z(out.size());
  for (double& value : z) value = random.normal();
  const double* row = terms_.whitener.row(component);
  for (std::size_t i = 0; i < z.size(); row += ++i) { // solve A y = z
    for (std::size_t j = 0; j < i; ++j) z[i] -= row[j] * z[j];
    z[i] /= row[i];
    out[i] =
        frame_.center[i] + frame_.scale[i] * (terms_.mean(component, static_cast<Index>(i)) + spread * z[i]);
  }
}

Index DpMixture::first_cluster(Index draw) const {
  Index first = 0;
  for (Index t = 0; t < draw; ++t) first += static_cast<Index>(draws_.n_clusters[at(t)]);
  return first;
}

std::shared_ptr<const Density> DpMixture::posterior_draw(Index draw, Index n_draws,
                                                         std::uint64_t seed) const {
  RandomStream random(seed, RandomPurpose::dp_mixture);
  const auto n_states = static_cast<Index>(draws_.concentration.size());
  const Index state = n_draws <= n_states ? draw * n_states / n_draws : draw % n_states;
  const double concentration = draws_.concentration[at(state)];
  const Index first = first_cluster(state);
  const Index end = first + static_cast<Index>(draws_.n_clusters[at(state)]);
  std::vector<double> log_weight;
  std::vector<Normal> normals;
  for (Index k = first; k < end; ++k) {
    log_weight.push_back(draw_log_gamma(random, draws_.rows[at(k)]));
    normals.push_back(draws_.posterior(k).draw(random));
  }
  add_unseen(draws_.base(), concentration, random, log_weight, normals);
  DensityFitSummary summary;
  summary.stop_reason = StopReason::sampled;
  summary.n_components = static_cast<Index>(normals.size());
  return std::make_shared<Gmm>(frame_, mixture_of(normals, log_weight), std::move(summary));
}

MixtureTerms DpMixture::draw_terms(Index draw) const {
  const Index first = first_cluster(draw);
  const auto n = static_cast<Index>(draws_.n_clusters[at(draw)]);
  MixtureTerms terms = empty_terms(n, n_features());
  for (Index k = 0; k < n; ++k)
    append(terms, draws_.posterior(first + k), std::log(draws_.rows[at(first + k)]));
  return terms;
}

void DpMixture::save_parts(Archive& archive, const std::string& prefix) const {
  frame_.save(archive, prefix);
  archive.put(prefix + "n_draws", static_cast<double>(draws_.concentration.size()));
  archive.put(prefix + "n_components", static_cast<double>(draws_.rows.size()));
  archive.put(prefix + "base", {draws_.base_beta, draws_.base_nu, draws_.base_scatter});
  archive.put(prefix + "concentration", draws_.concentration);
  archive.put(prefix + "n_clusters", draws_.n_clusters);
  archive.put(prefix + "rows", draws_.rows);
  archive.put(prefix + "mean", draws_.mean);
  archive.put(prefix + "whitener", draws_.whitener);
}

namespace {

/// Each draw has at least one cluster, and together they have all.
bool adds_up(const std::vector<double>& counts, Index total) {
  double sum = 0.0;
  for (const double n : counts) {
    if (!(n >= 1.0 && n <= static_cast<double>(total)) || n != std::floor(n)) return false;
    sum += n;
  }
  return sum == static_cast<double>(total);
}

} // namespace

std::shared_ptr<const DpMixture> DpMixture::load(const Archive& archive, const std::string& prefix,
                                                 DensityFacts facts) {
  const Index d = facts.n_features;
  const Index n_draws = archive.integer(prefix + "n_draws", 1, largest_saved_count);
  const Index n = archive.integer(prefix + "n_components", 1, largest_saved_count);
  DpDraws draws;
  const std::vector<double>& base = archive.vector(prefix + "base", 3);
  draws.concentration = archive.vector(prefix + "concentration", n_draws);
  draws.n_clusters = archive.vector(prefix + "n_clusters", n_draws);
  draws.rows = archive.vector(prefix + "rows", n);
  draws.mean = archive.matrix(prefix + "mean", n, d);
  draws.whitener = archive.matrix(prefix + "whitener", n, d * (d + 1) / 2);
  require_saved(all_weights(base) && base[1] > static_cast<double>(d) - 1.0, prefix,
                "a base measure outside its limits");
  draws.base_beta = base[0];
  draws.base_nu = base[1];
  draws.base_scatter = base[2];
  require_saved(adds_up(draws.n_clusters, n), prefix, "draws whose clusters do not add up");
  require_saved(all_weights(draws.concentration) && all_weights(draws.rows), prefix,
                "counts that are not positive");
  require_within(draws.mean.values(), largest_saved_mean, prefix + "mean");
  require_within(draws.whitener.values(), largest_saved_whitener, prefix + "whitener");
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < d; ++i)
      require_saved(draws.whitener(k, i * (i + 1) / 2 + i) > 0.0, prefix, "a component without a spread");
  return std::make_shared<DpMixture>(Frame::load(archive, prefix, d), std::move(draws),
                                     std::move(facts.summary));
}

} // namespace lacuna
