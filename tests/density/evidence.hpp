#pragma once

#include <cmath>
#include <numbers>

#include <Eigen/Dense>

#include "lacuna/core/matrix.hpp"
#include "lacuna/density/options.hpp"

namespace lacuna::testing {

/// log p(rows) of a single Gaussian with a conjugate prior, by the chain rule over rows: an independent route
/// that uses only the Student-t predictive of each next row.
inline double chain_rule_evidence(const Eigen::MatrixXd& z, CovarianceType type, double beta_0, double nu_0,
                                  const Eigen::MatrixXd& scatter) {
  const Index d = z.cols();
  const auto log_student = [](double dof, double dim, double log_det_precision, double quadratic) {
    return std::lgamma((dof + dim) / 2) - std::lgamma(dof / 2) + 0.5 * log_det_precision -
           dim / 2 * std::log(dof * std::numbers::pi) - (dof + dim) / 2 * std::log1p(quadratic / dof);
  };
  Eigen::VectorXd m = Eigen::VectorXd::Zero(d);
  Eigen::MatrixXd inverse_scale = scatter;
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

inline double chain_rule_evidence(const Eigen::MatrixXd& z, CovarianceType type, double beta_0, double nu_0,
                                  double scatter) {
  return chain_rule_evidence(z, type, beta_0, nu_0,
                             Eigen::MatrixXd(scatter * Eigen::MatrixXd::Identity(z.cols(), z.cols())));
}

} // namespace lacuna::testing
