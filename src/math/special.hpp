#pragma once

#include <span>

#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// log Gamma(x) for x > 0. std::lgamma writes a global and is not safe between threads.
double log_gamma(double x);

/// The derivative of log_gamma, for x > 0.
double digamma(double x);

/// log of the multivariate gamma function of dimension d at x > (d - 1) / 2.
double log_multivariate_gamma(double x, Index d);

/// log of the Beta function for a, b > 0.
double log_beta(double a, double b);

/// The x in [0, 1] below which a Beta(a, b) variable falls with probability p; a, b > 0.
double beta_quantile(double p, double a, double b);

/// The probability that at most k of n trials succeed, each with probability p; 0 for k < 0.
double binomial_at_most(Index k, Index n, double p);

/// log(sum(exp(values))) without overflow: -inf for no values or when all are -inf, NaN when one is NaN.
double log_sum_exp(std::span<const double> values);
/// The same of two values, to the bit.
double log_sum_exp(double a, double b);
/// The same of many pairs, to the bit. `out` must not be one of the others.
void log_sum_exp(std::span<const double> a, std::span<const double> b, std::span<double> out);
/// The same of each column, to the bit.
void log_sum_exp_columns(MatrixView terms, std::span<double> out);

} // namespace lacuna
