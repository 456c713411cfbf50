#pragma once

#include <cmath>
#include <numbers>
#include <vector>

#include <Eigen/Dense>

#include "lacuna/core/matrix.hpp"
#include "lacuna/core/random.hpp"
#include "lacuna/density/vb_mixture_options.hpp"

namespace lacuna::testing {

/// Rows from a few random Gaussian blobs.
inline Matrix random_blobs(std::uint64_t seed, Index n_rows, Index n_features, Index n_blobs,
                           double distance) {
  RandomStream random(seed, RandomPurpose::simulation);
  Matrix centers(n_blobs, n_features);
  Matrix spreads(n_blobs, n_features);
  for (double& c : centers.values()) c = distance * random.normal();
  for (double& s : spreads.values()) s = 0.3 + random.uniform();
  Matrix rows(n_rows, n_features);
  for (Index i = 0; i < n_rows; ++i) {
    const auto blob = static_cast<Index>(random.uniform() * static_cast<double>(n_blobs));
    double previous = 0.0; // correlates neighbouring features
    for (Index j = 0; j < n_features; ++j) {
      previous = spreads(blob, j) * random.normal() + 0.5 * previous;
      rows(i, j) = centers(blob, j) + previous;
    }
  }
  return rows;
}

inline std::vector<double> log_densities(const auto& density, const Matrix& rows) {
  std::vector<double> out(static_cast<std::size_t>(rows.n_rows()));
  density.log_density(rows.view(), out);
  return out;
}

/// log p(rows) of a single Gaussian with a conjugate prior, by the chain rule over rows: an independent route
/// that uses only the Student-t predictive of each next row.
inline double chain_rule_evidence(const Eigen::MatrixXd& z, CovarianceType type, double beta_0, double nu_0,
                                  double scatter) {
  const Index d = z.cols();
  const auto log_student = [](double dof, double dim, double log_det_precision, double quadratic) {
    return std::lgamma((dof + dim) / 2) - std::lgamma(dof / 2) + 0.5 * log_det_precision -
           dim / 2 * std::log(dof * std::numbers::pi) - (dof + dim) / 2 * std::log1p(quadratic / dof);
  };
  Eigen::VectorXd m = Eigen::VectorXd::Zero(d);
  Eigen::MatrixXd inverse_scale = scatter * Eigen::MatrixXd::Identity(d, d);
  double beta = beta_0;
  double nu = nu_0;
  double total = 0.0;
  for (Index i = 0; i < z.rows(); ++i) {
    const Eigen::VectorXd delta = z.row(i).transpose() - m;
    const double shrink = beta / (1.0 + beta);
    if (type == CovarianceType::diagonal) {
      for (Index j = 0; j < d; ++j) {
        const double precision = nu * shrink / inverse_scale(j, j);
        total += log_student(nu, 1.0, std::log(precision), precision * delta[j] * delta[j]);
      }
    } else if (type == CovarianceType::spherical) {
      const double dof = nu * static_cast<double>(d);
      const double precision = dof * shrink / inverse_scale.trace();
      total += log_student(dof, static_cast<double>(d), static_cast<double>(d) * std::log(precision),
                           precision * delta.squaredNorm());
    } else {
      const double dof = nu + 1.0 - static_cast<double>(d);
      const Eigen::MatrixXd precision = dof * shrink * inverse_scale.inverse();
      total += log_student(dof, static_cast<double>(d), std::log(precision.determinant()),
                           delta.dot(precision * delta));
    }
    inverse_scale += shrink * delta * delta.transpose();
    m += delta / (beta + 1.0);
    beta += 1.0;
    nu += 1.0;
  }
  return total;
}

} // namespace lacuna::testing
