#include "density/gmm.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "density/saved_whitener.hpp"
#include "lacuna/core/errors.hpp"
#include "math/cholesky.hpp"

// Equation numbers refer to docs/math/gmm.md.

namespace lacuna {

namespace {

/// Components that hold (nearly) no row are gone: dividing by their size would lose all digits.
constexpr double vanished = 1e-12;

/// n_k times the scatter of component k about its own mean, added to `to` as moments are packed.
void add_scatter(const MixtureMoments& moments, Index k, std::vector<double>& to) {
  const double n = moments.zeroth[at(k)];
  const double* const first = moments.first.row(k);
  const double* second = moments.second.row(k);
  std::size_t position = 0;
  for (Index i = 0; i < moments.n_features(); ++i)
    for (Index j = moments.is_diagonal ? i : 0; j <= i; ++j)
      to[position++] += *second++ - first[i] * first[j] / n;
}

/// Raises a covariance to the floor (eq. 5), writes its whitener and returns its log determinant.
double whiten(CovarianceType type, std::vector<double> covariance, double floor, Index d, double* whitener) {
  if (type == CovarianceType::spherical) {
    const double mean = std::accumulate(covariance.begin(), covariance.end(), 0.0) / static_cast<double>(d);
    std::fill(covariance.begin(), covariance.end(), mean);
  }
  if (type == CovarianceType::spherical || type == CovarianceType::diagonal) {
    double log_det = 0.0;
    for (Index j = 0; j < d; ++j) {
      const double variance = std::max(covariance[at(j)], floor);
      whitener[j] = 1.0 / variance;
      log_det += std::log(variance);
    }
    return log_det;
  }
  std::vector<double> square(at(d * d));
  const double* packed = covariance.data();
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j <= i; ++j) square[at(i * d + j)] = square[at(j * d + i)] = *packed++;
  raise_eigenvalues(square, d, floor);
  robust_cholesky(square, d);
  const double log_det = log_determinant(square, d);
  invert_lower(square, d);
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j <= i; ++j) *whitener++ = square[at(i * d + j)];
  return log_det;
}

void scale(std::vector<double>& values, double factor) {
  for (double& v : values) v *= factor;
}

} // namespace

GmmParameters maximise(const MixtureMoments& moments, CovarianceType covariance, double floor) {
  const Index d = moments.n_features();
  const double total = std::accumulate(moments.zeroth.begin(), moments.zeroth.end(), 0.0);
  std::vector<Index> alive;
  for (Index k = 0; k < moments.n_components(); ++k)
    if (moments.zeroth[at(k)] > vanished * total) alive.push_back(k);
  const auto n_alive = static_cast<Index>(alive.size());
  if (n_alive == 0)
    throw Error(ErrorKind::data,
                "a mixture lost all of its components: the rows hold something else than numbers, or "
                "changed while they were fitted");

  GmmParameters result;
  result.covariance = covariance;
  result.mean = Matrix(n_alive, d);
  result.whitener = Matrix(n_alive, moments.second.n_cols());
  std::vector<double> pooled(at(moments.second.n_cols()));
  double pooled_rows = 0.0;
  for (Index to = 0; to < n_alive; ++to) {
    const Index k = alive[at(to)];
    const double n = moments.zeroth[at(k)];
    pooled_rows += n;
    result.weight.push_back(n);
    for (Index j = 0; j < d; ++j) result.mean(to, j) = moments.shift(k, j) + moments.first(k, j) / n;
    add_scatter(moments, k, pooled);
    if (covariance == CovarianceType::tied) continue;
    scale(pooled, 1.0 / n);
    result.log_det.push_back(whiten(covariance, pooled, floor, d, result.whitener.row(to)));
    std::fill(pooled.begin(), pooled.end(), 0.0);
  }
  scale(result.weight, 1.0 / pooled_rows);
  if (covariance == CovarianceType::tied) {
    scale(pooled, 1.0 / pooled_rows);
    result.log_det.assign(alive.size(), whiten(covariance, pooled, floor, d, result.whitener.row(0)));
    for (Index k = 1; k < n_alive; ++k)
      std::copy_n(result.whitener.row(0), result.whitener.n_cols(), result.whitener.row(k));
  }
  return result;
}

MixtureTerms make_terms(const GmmParameters& parameters) {
  MixtureTerms terms;
  terms.is_diagonal = parameters.is_diagonal();
  terms.mean = parameters.mean;
  terms.whitener = parameters.whitener;
  const double log_2_pi = std::log(2.0 * std::numbers::pi);
  const auto d = static_cast<double>(terms.n_features());
  for (std::size_t k = 0; k < parameters.weight.size(); ++k)
    terms.constant.push_back(std::log(parameters.weight[k]) - 0.5 * (d * log_2_pi + parameters.log_det[k]));
  return terms;
}

namespace {

/// How many numbers can be chosen freely.
double n_free_parameters(const GmmParameters& parameters) {
  const auto k = static_cast<double>(parameters.n_components());
  const auto d = static_cast<double>(parameters.mean.n_cols());
  const double of_means_and_weights = k * d + k - 1.0;
  switch (parameters.covariance) {
  case CovarianceType::full: return of_means_and_weights + k * d * (d + 1.0) / 2.0;
  case CovarianceType::tied: return of_means_and_weights + d * (d + 1.0) / 2.0;
  case CovarianceType::diagonal: return of_means_and_weights + k * d;
  case CovarianceType::spherical: return of_means_and_weights + k;
  }
  return of_means_and_weights;
}

} // namespace

void describe(const GmmParameters& parameters, double total_weight, DensityFitSummary& summary) {
  summary.n_components = parameters.n_components();
  const double n_free = n_free_parameters(parameters);
  summary.measures["bic"] = n_free * std::log(total_weight) - 2.0 * summary.objective;
  summary.measures["aic"] = 2.0 * n_free - 2.0 * summary.objective;
}

Gmm::Gmm(Frame frame, GmmParameters parameters, DensityFitSummary summary)
    : Density({"gmm", frame.n_features(), std::move(summary)}), frame_(std::move(frame)),
      parameters_(std::move(parameters)), terms_(make_terms(parameters_)) {}

void Gmm::log_density(MatrixView rows, std::span<double> out) const {
  write_log_density(WeightedRows(rows), frame_, terms_, out);
}

void Gmm::sample(RandomStream& random, std::span<double> out) const {
  double left = random.uniform();
  std::size_t k = 0;
  while (k + 1 < parameters_.weight.size() && (left -= parameters_.weight[k]) > 0.0) ++k;
  const auto component = static_cast<Index>(k);
  std::vector<double> z(at(n_features()));
  for (double& value : z) value = random.normal();
  const double* row = parameters_.whitener.row(component);
  for (std::size_t i = 0; i < z.size(); ++i) {
    if (parameters_.is_diagonal()) {
      z[i] /= std::sqrt(row[i]);
    } else { // solve A y = z by forward substitution: then y has the component's covariance
      for (std::size_t j = 0; j < i; ++j) z[i] -= row[j] * z[j];
      z[i] /= row[i];
      row += i + 1;
    }
    out[i] = frame_.center[i] + frame_.scale[i] * (parameters_.mean(component, static_cast<Index>(i)) + z[i]);
  }
}

void Gmm::save_parts(Archive& archive, const std::string& prefix) const {
  frame_.save(archive, prefix);
  archive.put(prefix + "n_components", static_cast<double>(parameters_.n_components()));
  archive.put_choice(prefix + "covariance", parameters_.covariance);
  archive.put(prefix + "weight", parameters_.weight);
  archive.put(prefix + "mean", parameters_.mean);
  archive.put(prefix + "whitener", parameters_.whitener);
  archive.put(prefix + "log_det", parameters_.log_det);
}

std::shared_ptr<const Gmm> Gmm::load(const Archive& archive, const std::string& prefix, DensityFacts facts) {
  const Index d = facts.n_features;
  const Index n = archive.integer(prefix + "n_components", 1, largest_saved_count);
  GmmParameters parameters;
  parameters.covariance = archive.choice<CovarianceType>(prefix + "covariance");
  parameters.weight = archive.vector(prefix + "weight", n);
  parameters.mean = archive.matrix(prefix + "mean", n, d);
  const bool diagonal = parameters.is_diagonal();
  parameters.whitener = archive.matrix(prefix + "whitener", n, diagonal ? d : d * (d + 1) / 2);
  parameters.log_det = archive.vector(prefix + "log_det", n);
  require_saved(all_positive(parameters.weight), prefix, "weights that are not positive");
  require_saved(std::abs(std::accumulate(parameters.weight.begin(), parameters.weight.end(), 0.0) - 1.0) <
                    1e-6,
                prefix, "weights that do not sum to one");
  require_within(parameters.mean.values(), largest_saved_mean, prefix + "mean");
  require_within(parameters.whitener.values(), largest_saved_whitener, prefix + "whitener");
  for (Index k = 0; k < n; ++k)
    for (Index i = 0; i < d; ++i)
      require_saved(parameters.whitener(k, diagonal ? i : i * (i + 1) / 2 + i) > 0.0, prefix,
                    "a component without a spread");
  for (Index k = 0; k < n; ++k)
    require_saved(agrees(parameters.log_det[at(k)], -log_det_of(parameters.whitener.row(k), d, diagonal)),
                  prefix, "a determinant that is not that of its whitener");
  return std::make_shared<Gmm>(Frame::load(archive, prefix, d), std::move(parameters),
                               std::move(facts.summary));
}

} // namespace lacuna
