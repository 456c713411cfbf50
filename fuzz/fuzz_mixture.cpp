// Log densities of mixtures against the textbook: covariance matrices inverted one by one, in long double,
// with the features that a row lacks struck out (Bishop, PRML, eq. 2.159 and 10.81).
#include <numbers>

#include <fuzzer/FuzzedDataProvider.h>

#include "lacuna/density/density.hpp"
#include "properties.hpp"

namespace {

using namespace lacuna;
using Real = long double;
using Square = std::vector<std::vector<Real>>;

struct Component {
  Real log_weight = 0;
  Real dof = 0; ///< 0: a Gaussian
  std::vector<Real> mean;
  Square precision;
};

/// Gauss and Jordan; the log determinant too. Precisions are positive definite, so that no pivot is zero.
Square inverse(Square a, Real& log_det) {
  const std::size_t n = a.size();
  Square result(n, std::vector<Real>(n));
  log_det = 0;
  for (std::size_t i = 0; i < n; ++i) result[i][i] = 1;
  for (std::size_t i = 0; i < n; ++i) {
    const Real pivot = a[i][i];
    log_det += std::log(pivot);
    for (std::size_t j = 0; j < n; ++j) {
      a[i][j] /= pivot;
      result[i][j] /= pivot;
    }
    for (std::size_t k = 0; k < n; ++k) {
      const Real factor = k == i ? 0 : a[k][i];
      for (std::size_t j = 0; j < n; ++j) {
        a[k][j] -= factor * a[i][j];
        result[k][j] -= factor * result[i][j];
      }
    }
  }
  return result;
}

Real log_density(const Component& component, const std::vector<Real>& z) {
  std::vector<std::size_t> present;
  for (std::size_t j = 0; j < z.size(); ++j)
    if (!std::isnan(z[j])) present.push_back(j);
  Real log_det = 0;
  const Square covariance = inverse(component.precision, log_det);
  Square part(present.size(), std::vector<Real>(present.size()));
  for (std::size_t a = 0; a < present.size(); ++a)
    for (std::size_t b = 0; b < present.size(); ++b) part[a][b] = covariance[present[a]][present[b]];
  const Square precision = inverse(part, log_det); // the log determinant of the covariance
  Real distance = 0;
  for (std::size_t a = 0; a < present.size(); ++a)
    for (std::size_t b = 0; b < present.size(); ++b)
      distance += (z[present[a]] - component.mean[present[a]]) * precision[a][b] *
                  (z[present[b]] - component.mean[present[b]]);
  const auto d = static_cast<Real>(present.size());
  const Real pi = std::numbers::pi_v<Real>;
  const Real nu = component.dof;
  const Real log_p = nu == 0 ? -(d * std::log(2 * pi) + distance) / 2
                             : std::lgamma((nu + d) / 2) - std::lgamma(nu / 2) - d / 2 * std::log(nu * pi) -
                                   (nu + d) / 2 * std::log1p(distance / nu);
  return component.log_weight + log_p - log_det / 2;
}

/// A mixture as an archive holds it, and as the textbook does.
struct Mixture {
  Archive archive;
  std::vector<Component> components;
  std::vector<double> center, scale;
};

Mixture make_mixture(FuzzedDataProvider& bytes, bool is_student, Index d, Index n) {
  const auto number = [&] { return bytes.ConsumeIntegral<std::int8_t>() / 64.0; }; // -2 to 2
  const auto positive = [&] { return std::exp2(bytes.ConsumeIntegral<std::int8_t>() / 64.0); };
  Mixture mixture;
  std::vector<double> weight, log_det, beta, nu;
  Matrix mean(n, d), whitener(n, d * (d + 1) / 2);
  double total = 0.0;
  for (Index k = 0; k < n; ++k) {
    Component component;
    weight.push_back(positive());
    total += weight.back();
    beta.push_back(positive());
    nu.push_back(static_cast<double>(d) - 1.0 + positive());
    Square a(static_cast<std::size_t>(d), std::vector<Real>(static_cast<std::size_t>(d)));
    double sum = 0.0;
    for (Index i = 0, e = 0; i < d; ++i) {
      mean(k, i) = 2.0 * number();
      component.mean.push_back(mean(k, i));
      for (Index j = 0; j <= i; ++j, ++e) {
        whitener(k, e) = i == j ? positive() : number();
        a[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = whitener(k, e);
        if (i == j) sum += 2.0 * std::log(whitener(k, e));
      }
    }
    log_det.push_back(is_student ? sum : -sum);
    component.dof = is_student ? Real(nu.back()) + 1 - Real(d) : 0;
    const Real factor = is_student ? component.dof * Real(beta.back()) / (1 + Real(beta.back())) : 1;
    component.precision = Square(a.size(), std::vector<Real>(a.size()));
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < a.size(); ++j)
        for (std::size_t l = 0; l < a.size(); ++l) component.precision[i][j] += factor * a[l][i] * a[l][j];
    mixture.components.push_back(component);
  }
  for (Index j = 0; j < d; ++j) {
    mixture.center.push_back(16.0 * number());
    mixture.scale.push_back(positive());
  }
  constexpr double concentration = 0.5;
  const double whole = is_student ? total + concentration * static_cast<double>(n) : total;
  for (std::size_t k = 0; k < weight.size(); ++k)
    mixture.components[k].log_weight =
        std::log((Real(weight[k]) + (is_student ? Real(concentration) : 0)) / Real(whole));
  if (!is_student)
    for (double& w : weight) w /= total;

  Archive& archive = mixture.archive;
  DensityFacts facts;
  facts.family = is_student ? "vb-gmm" : "gmm";
  facts.n_features = d;
  facts.save(archive, "");
  archive.put("center", mixture.center);
  archive.put("scale", mixture.scale);
  archive.put("n_components", static_cast<double>(n));
  archive.put_text("covariance", "full");
  archive.put("mean", mean);
  archive.put("whitener", whitener);
  if (!is_student) {
    archive.put("weight", weight);
    archive.put("log_det", log_det);
    return mixture;
  }
  archive.put_text("weight_prior", "dirichlet");
  archive.put_text("density_form", "predictive");
  archive.put("prior", {static_cast<double>(n), concentration, 1.0, static_cast<double>(d), 1.0});
  archive.put("rows", weight);
  archive.put("mean_precision", beta);
  archive.put("degrees_of_freedom", nu);
  archive.put("log_det_scale", log_det);
  return mixture;
}

Real expected_log_density(const Mixture& mixture, const double* row) {
  std::vector<Real> z;
  Real log_jacobian = 0;
  bool is_empty = true;
  for (std::size_t j = 0; j < mixture.center.size(); ++j) {
    z.push_back((Real(row[j]) - Real(mixture.center[j])) / Real(mixture.scale[j]));
    if (std::isnan(row[j])) continue;
    is_empty = false;
    log_jacobian -= std::log(Real(mixture.scale[j]));
  }
  if (is_empty) return 0;
  std::vector<Real> logs;
  for (const Component& component : mixture.components) logs.push_back(log_density(component, z));
  const Real most = *std::max_element(logs.begin(), logs.end());
  Real sum = 0;
  for (const Real log_p : logs) sum += std::exp(log_p - most);
  return most + std::log(sum) + log_jacobian;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  FuzzedDataProvider bytes(data, size);
  const bool is_student = bytes.ConsumeBool();
  const Index d = bytes.ConsumeIntegralInRange<Index>(1, 4);
  const Index n = bytes.ConsumeIntegralInRange<Index>(1, 4);
  const Mixture mixture = make_mixture(bytes, is_student, d, n);
  const auto density = load_density(mixture.archive, "");
  Matrix rows(3, d);
  for (Index i = 0; i < rows.n_rows(); ++i)
    for (Index j = 0; j < d; ++j) {
      const auto byte = bytes.ConsumeIntegral<std::int8_t>();
      rows(i, j) = is_student && byte == -128 ? std::nan("") : byte;
    }
  std::vector<double> found(3);
  density->log_density(rows.view(), found);
  for (Index i = 0; i < rows.n_rows(); ++i) {
    const auto expected = static_cast<double>(expected_log_density(mixture, rows.row(i)));
    require(std::abs(found[static_cast<std::size_t>(i)] - expected) <= 1e-9 * (1.0 + std::abs(expected)));
  }
  return 0;
}
