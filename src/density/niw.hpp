#pragma once

#include <span>
#include <vector>

#include "density/triangle.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

/// Weight, first and second moments of some rows about a shift that lies near them, so that no digits cancel.
struct RowStatistics {
  RowStatistics() = default;
  explicit RowStatistics(std::vector<double> about)
      : shift(std::move(about)), first(shift.size()), second(triangle_size(shift.size())) {}

  /// A negative weight takes a row out again.
  void add(std::span<const double> x, double weight);
  void add(const RowStatistics& other);
  std::size_t n_features() const { return shift.size(); }

  double n = 0.0;
  std::vector<double> shift;
  std::vector<double> first;
  Triangle second;
};

/// A normal distribution with precision R' R.
struct Normal {
  std::vector<double> mean;
  Triangle whitener;    ///< R
  double log_det = 0.0; ///< log |R' R|

  /// Sum over rows of weight times log density.
  double log_likelihood(const RowStatistics& rows) const;
};

/// Normal-inverse-Wishart: Sigma ~ IW(Psi, nu), mu ~ N(m, Sigma / beta) (docs/math/dp-gmm.md, eq. 2).
struct NormalInverseWishart {
  double beta = 1.0;
  double nu = 1.0;
  std::vector<double> mean;
  Triangle factor;      ///< lower Cholesky factor of Psi
  Triangle whitener;    ///< its inverse
  double log_det = 0.0; ///< log |Psi|

  std::size_t n_features() const { return mean.size(); }
  Normal draw(RandomStream& random) const;
  /// In terms of (mu, Sigma) (eq. 5).
  double log_density(const Normal& normal) const;
  /// The largest that log_density(normal) can be for any distribution with these beta and nu (eq. 17).
  double largest_log_density(const Normal& normal) const;
  /// log of the normaliser without its powers of pi and 2: differences of it are evidences (eq. 4).
  double log_normaliser() const;
};

/// One row's Student-t predictive: constant - power log(1 + factor |A (x - m)|^2) (eq. 6).
struct StudentPredictive {
  explicit StudentPredictive(const NormalInverseWishart& of);
  double log_density(const NormalInverseWishart& of, std::span<const double> x) const;

  double constant;
  double power;
  double factor;
};

/// The base measure of the mixture in the frame: mean 0, Psi = scatter I.
NormalInverseWishart make_base(std::size_t n_features, double beta, double nu, double scatter);

/// What the base measure becomes with the rows (eq. 3).
NormalInverseWishart update(const NormalInverseWishart& base, const RowStatistics& rows);

/// log of the rows' density with the parameters integrated out (eq. 4).
double log_evidence(const NormalInverseWishart& base, const NormalInverseWishart& updated);

/// The logarithm of a Gamma(shape, 1) variable: tiny shapes give values that a double cannot hold.
double draw_log_gamma(RandomStream& random, double shape);

} // namespace lacuna
