#include "density/dp_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

#include "core/index.hpp"
#include "density/dp_steps.hpp"
#include "math/special.hpp"

// Section and equation numbers refer to docs/math/dp-gmm.md.

namespace lacuna {

namespace {

/// The parameters of the matrix Beta that divides the covariance (eq. 14): wide, around equal shapes.
double beta_parameter(double share, std::size_t d) {
  const double n = static_cast<double>(d) + 1.0;
  return 0.5 * n + n * share;
}

/// The lower factor of a Wishart matrix with unit scale.
Triangle draw_wishart_factor(std::size_t d, double degrees, RandomStream& random) {
  Triangle factor(triangle_size(d));
  std::size_t to = 0;
  for (std::size_t i = 0; i < d; ++i) {
    for (std::size_t j = 0; j < i; ++j) factor[to++] = random.normal();
    factor[to++] = std::sqrt(2.0 * random.gamma(0.5 * (degrees - static_cast<double>(i))));
  }
  return factor;
}

/// The normal with covariance Y Y' / share.
Normal make_normal(std::vector<double> mean, const Triangle& y, double share) {
  Normal normal;
  normal.whitener = inverse(y, mean.size());
  for (double& value : normal.whitener) value *= std::sqrt(share);
  normal.log_det = 2.0 * log_diagonal(normal.whitener.data(), mean.size());
  normal.mean = std::move(mean);
  return normal;
}

Triangle covariance_of(const Normal& normal) {
  return square(inverse(normal.whitener, normal.mean.size()), normal.mean.size());
}

/// A random vector in the unit ball: uniform direction, uniform length.
std::vector<double> draw_offset(std::size_t d, RandomStream& random) {
  std::vector<double> a(d);
  for (double& value : a) value = random.normal();
  const double length = random.uniform() / std::sqrt(sum_of_squares(a));
  for (double& value : a) value *= length;
  return a;
}

double log_offset_density(double squared_length, std::size_t d) {
  const double half = 0.5 * static_cast<double>(d);
  const double log_sphere = std::numbers::ln2 + half * std::log(std::numbers::pi) - log_gamma(half);
  return -log_sphere - (half - 0.5) * std::log(squared_length);
}

/// The square matrix v v' times a factor, added to a symmetric matrix.
void add_outer(Triangle& to, const std::vector<double>& v, double factor) {
  std::size_t position = 0;
  for (std::size_t i = 0; i < v.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) to[position++] += factor * v[i] * v[j];
}

bool is_usable(const Normal& normal) {
  return std::isfinite(normal.log_det) && std::isfinite(sum_of_squares(normal.whitener)) &&
         std::isfinite(sum_of_squares(normal.mean));
}

} // namespace

std::optional<NormalPair> draw_matched_pair(const NormalInverseWishart& whole, RandomStream& random) {
  const std::size_t d = whole.n_features();
  const Normal center = whole.draw(random);
  const Triangle l = inverse(center.whitener, d);
  const double share = random.uniform();
  const double shares[2] = {share, 1.0 - share};
  const std::vector<double> a = draw_offset(d, random);
  const std::vector<double> offset = multiply(l, a);

  Triangle inner(triangle_size(d)); // I - a a'
  for (std::size_t i = 0; i < d; ++i) inner[i * (i + 1) / 2 + i] = 1.0;
  add_outer(inner, a, -1.0);
  const Triangle w[2] = {draw_wishart_factor(d, 2.0 * beta_parameter(shares[0], d), random),
                         draw_wishart_factor(d, 2.0 * beta_parameter(shares[1], d), random)};
  Triangle sum = square(w[0], d);
  const Triangle other = square(w[1], d);
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += other[i];
  if (!cholesky(inner, d) || !cholesky(sum, d)) return {};
  const Triangle frame = product(product(l, inner, d), inverse(sum, d), d);

  NormalPair pair;
  for (std::size_t h = 0; h < 2; ++h) {
    const double step = (h == 0 ? -1.0 : 1.0) * std::sqrt(shares[1 - h] / shares[h]);
    std::vector<double> mean = center.mean;
    for (std::size_t j = 0; j < d; ++j) mean[j] += step * offset[j];
    pair.part[h] = make_normal(std::move(mean), product(frame, w[h], d), shares[h]);
    pair.log_share[h] = std::log(shares[h]);
    if (!is_usable(pair.part[h])) return {};
  }
  return pair;
}

std::optional<double> log_matched_density(const NormalPair& pair, const NormalInverseWishart& base,
                                          const RowStatistics& rows) {
  const std::size_t d = rows.n_features();
  const auto n = static_cast<double>(d);
  const double shares[2] = {std::exp(pair.log_share[0]), std::exp(pair.log_share[1])};
  const double log_product = pair.log_share[0] + pair.log_share[1];

  // Back to the one normal: its mean and covariance are those of the pair (eq. 13).
  Triangle within = covariance_of(pair.part[0]);
  const Triangle other = covariance_of(pair.part[1]);
  std::vector<double> mean(d);
  std::vector<double> apart(d);
  for (std::size_t i = 0; i < within.size(); ++i) within[i] = shares[0] * within[i] + shares[1] * other[i];
  for (std::size_t j = 0; j < d; ++j) {
    mean[j] = shares[0] * pair.part[0].mean[j] + shares[1] * pair.part[1].mean[j];
    apart[j] = pair.part[1].mean[j] - pair.part[0].mean[j];
  }
  Triangle l = within;
  add_outer(l, apart, shares[0] * shares[1]);
  if (!cholesky(within, d) || !cholesky(l, d)) return {};
  const Normal center = make_normal(std::move(mean), l, 1.0);
  if (!is_usable(center)) return {};

  const double log_within = 2.0 * log_diagonal(within.data(), d); // log |T|
  const double squared_length = shares[0] * shares[1] * squared_norm(center.whitener.data(), apart);
  double log_beta_density = 0.0;
  double parameters[2];
  for (std::size_t h = 0; h < 2; ++h) {
    parameters[h] = beta_parameter(shares[h], d);
    const double log_det = n * pair.log_share[h] - pair.part[h].log_det - log_within; // of B, of I - B
    log_beta_density += (parameters[h] - 0.5 * (n + 1.0)) * log_det -
                        log_multivariate_gamma(parameters[h], static_cast<Index>(d));
  }
  log_beta_density += log_multivariate_gamma(parameters[0] + parameters[1], static_cast<Index>(d));
  const double log_jacobian = 0.5 * (-n * (n + 2.0) * log_product - center.log_det + (n + 1.0) * log_within);
  const double result = base.log_density(center) + center.log_likelihood(rows) +
                        log_offset_density(squared_length, d) + log_beta_density - log_jacobian;
  if (!std::isfinite(result)) return {};
  return result;
}

NormalPair Launch::draw(RandomStream& random) const {
  NormalPair pair;
  const double a = draw_log_gamma(random, n[0] + 1.0);
  const double b = draw_log_gamma(random, n[1] + 1.0);
  pair.log_share = {-std::log1p(std::exp(b - a)), -std::log1p(std::exp(a - b))};
  for (std::size_t h = 0; h < 2; ++h) pair.part[h] = half[h].draw(random);
  return pair;
}

double Launch::log_density(const NormalPair& pair) const {
  double sum = log_gamma(n[0] + n[1] + 2.0);
  for (std::size_t h = 0; h < 2; ++h)
    sum += n[h] * pair.log_share[h] - log_gamma(n[h] + 1.0) + half[h].log_density(pair.part[h]);
  return sum;
}

namespace {

/// A half's most plausible normal, for EM.
Normal plug_in(const NormalInverseWishart& niw) {
  Normal normal{niw.mean, niw.whitener, 0.0};
  for (double& value : normal.whitener) value *= std::sqrt(niw.nu);
  normal.log_det = static_cast<double>(niw.n_features()) * std::log(niw.nu) - niw.log_det;
  return normal;
}

Launch halves_of(const MixtureMoments& moments, const NormalInverseWishart& base) {
  Launch result;
  for (std::size_t h = 0; h < 2; ++h) {
    const RowStatistics rows = statistics_of(moments, static_cast<Index>(h));
    result.n[h] = rows.n;
    result.half[h] = update(base, rows);
  }
  return result;
}

MixtureTerms em_terms(const Launch& current) {
  const double total = current.n[0] + current.n[1];
  std::vector<double> log_weights;
  std::vector<Normal> normals;
  for (std::size_t h = 0; h < 2; ++h) {
    log_weights.push_back(std::log((current.n[h] + 0.5) / (total + 1.0)));
    normals.push_back(plug_in(current.half[h]));
  }
  return make_terms(normals, log_weights);
}

/// Evenly spaced units with a random start.
std::vector<Index> subsample(const UnitList& units, Index most, RandomStream& random) {
  const double step = static_cast<double>(units.size()) / static_cast<double>(most);
  const double start = random.uniform();
  std::vector<Index> chosen;
  for (Index i = 0; i < most; ++i) {
    const auto place = static_cast<Index>((static_cast<double>(i) + start) * step);
    chosen.push_back(units.unit(std::min(place, units.size() - 1)));
  }
  return chosen;
}

/// A place, with probabilities in proportion to the masses.
std::size_t draw_place(const std::vector<double>& mass, RandomStream& random) {
  double left = random.uniform() * std::accumulate(mass.begin(), mass.end(), 0.0);
  std::size_t place = 0;
  while (place + 1 < mass.size() && (left -= mass[place]) > 0.0) ++place;
  return place;
}

/// Two units far from each other, as centres, and the nearer one of each unit.
struct TwoCenters {
  TwoCenters(const DpState& state, const UnitList& units, const NormalInverseWishart& whole,
             RandomStream& random)
      : centers(2, state.frame.n_features()), assignment(at(units.size())) {
    std::vector<double> mass(at(units.size()));
    for (Index i = 0; i < units.size(); ++i) mass[at(i)] = units.rows().weight(i);
    set(state, 0, units.units()[draw_place(mass, random)]);
    std::vector<double> x(at(state.frame.n_features()));
    std::vector<double> nearest(at(units.size()));
    for (Index i = 0; i < units.size(); ++i) {
      state.get(units.unit(i), x);
      nearest[at(i)] = distance(whole, x, 0);
      mass[at(i)] *= nearest[at(i)];
    }
    set(state, 1, units.units()[draw_place(mass, random)]);
    for (Index i = 0; i < units.size(); ++i) {
      state.get(units.unit(i), x);
      assignment[at(i)] = distance(whole, x, 1) < nearest[at(i)] ? 1 : 0;
    }
  }

  Matrix centers;
  std::vector<int> assignment;

private:
  void set(const DpState& state, Index center, Index unit) {
    state.get(unit, {centers.row(center), at(centers.n_cols())});
  }

  double distance(const NormalInverseWishart& whole, std::vector<double> x, Index center) const {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] -= centers(center, static_cast<Index>(j));
    return squared_norm(whole.whitener.data(), x);
  }
};

} // namespace

Launch launch(const DpState& state, const UnitList& units, const NormalInverseWishart& whole,
              RandomStream& random) {
  constexpr Index most_units = 1024;
  constexpr int n_steps = 5;
  const bool is_part = units.size() > most_units;
  const UnitList few(state.units, is_part ? subsample(units, most_units, random) : units.units());
  const TwoCenters start(state, few, whole, random);
  Launch result =
      halves_of(collect_assigned_moments(few.rows(), state.frame, start.centers, start.assignment, false),
                state.model.base);
  for (int step = 0; step < n_steps; ++step)
    result = halves_of(collect_moments(few.rows(), state.frame, em_terms(result), 1, state.observer),
                       state.model.base);
  if (is_part) // the halves as all rows see them
    result =
        halves_of(collect_moments(units.rows(), state.frame, em_terms(result), state.threads, state.observer),
                  state.model.base);
  return result;
}

} // namespace lacuna
