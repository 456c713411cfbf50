#include "density/product_mixture.hpp"

#include <algorithm>
#include <cmath>

#include "core/index.hpp"
#include "math/cholesky.hpp"

// Equation numbers refer to docs/math/products.md.

namespace lacuna {

namespace {

/// Beyond this amplification of rounding errors a component is far: below it they stay under 1e-10.
constexpr double most_amplified = 1e5;

double square(double x) {
  return x * x;
}

/// A whitener with zeros above the diagonal.
std::vector<double> unpacked(const double* packed, Index d) {
  std::vector<double> full(at(d * d));
  for (Index i = 0; i < d; ++i)
    for (Index j = 0; j <= i; ++j) full[at(i * d + j)] = *packed++;
  return full;
}

double sum_of_squares(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double v : values) sum += square(v);
  return sum;
}

/// How many times more than its own size the quadratic form of component k loses to rounding when its
/// products are added up (eq. 3 and 4).
double amplification(const MixtureTerms& terms, Index k) {
  const Index d = terms.n_features();
  const double* const mean = terms.mean.row(k);
  const double* const whitener = terms.whitener.row(k);
  // What a unit of q means in nats, where it is not a half.
  const double scale = terms.shape == MixtureTerms::Shape::student
                           ? std::max(1.0, 2.0 * terms.power[at(k)] * terms.factor[at(k)])
                           : 1.0;
  double reach = 0.0;
  if (terms.is_diagonal) {
    for (Index j = 0; j < d; ++j) reach += whitener[j] * square(std::abs(mean[j]) + 1.0);
    return scale * reach;
  }
  std::vector<double> factor = unpacked(whitener, d);
  for (Index i = 0; i < d; ++i) {
    double sum = 0.0;
    for (Index j = 0; j <= i; ++j) sum += std::abs(factor[at(i * d + j)]) * (std::abs(mean[j]) + 1.0);
    reach += square(sum);
  }
  const double size = sum_of_squares(factor);
  invert_lower(factor, d);
  return std::max(scale * reach, size * sum_of_squares(factor));
}

} // namespace

bool ProductForm::suits(const MixtureTerms& terms) {
  using Shape = MixtureTerms::Shape;
  return (terms.shape == Shape::gaussian || terms.shape == Shape::student) && terms.n_features() > 0 &&
         terms.log_level.n_cols() == 0 && terms.feature_power.n_rows() == 0;
}

ProductForm::ProductForm(const MixtureTerms& terms) : terms_(terms) {
  const Index d = terms.n_features();
  for (Index k = 0; k < terms.n_components(); ++k)
    // Not a number is far, where it does what it does in the kernels.
    (amplification(terms, k) <= most_amplified ? near_ : far_).push_back(k);
  mixture_.is_diagonal = terms.is_diagonal;
  mixture_.is_student = terms.shape == MixtureTerms::Shape::student;
  mixture_.forms = Matrix(static_cast<Index>(near_.size()), n_products(d, terms.is_diagonal));
  mixture_.far_mean = Matrix(n_far(), d);
  mixture_.far_whitener = Matrix(n_far(), terms.is_diagonal ? d : d * d);
  for (std::size_t i = 0; i < near_.size(); ++i)
    add_near(near_[i], mixture_.forms.row(static_cast<Index>(i)));
  for (std::size_t i = 0; i < far_.size(); ++i) add_far(far_[i], static_cast<Index>(i));
  for (const std::vector<Index>& list : {near_, far_})
    for (const Index k : list) {
      mixture_.constant.push_back(terms.constant[at(k)]);
      if (!mixture_.is_student) continue;
      mixture_.power.push_back(terms.power[at(k)]);
      mixture_.factor.push_back(terms.factor[at(k)]);
    }
}

/// The coefficients of q = x' W x - 2 (W m)' x + m' W m, or of constant - q / 2 (eq. 2).
void ProductForm::add_near(Index k, double* form) {
  const Index d = terms_.n_features();
  const double* const mean = terms_.mean.row(k);
  const double* const whitener = terms_.whitener.row(k);
  const double unit = mixture_.is_student ? 1.0 : -0.5;
  double* const last = form + mixture_.forms.n_cols() - 1;
  double* const linear = last - d;
  double of_mean = 0.0;
  if (terms_.is_diagonal) {
    for (Index j = 0; j < d; ++j) {
      form[j] = unit * whitener[j];
      linear[j] = unit * -2.0 * whitener[j] * mean[j];
      of_mean += whitener[j] * square(mean[j]);
    }
  } else {
    const std::vector<double> factor = unpacked(whitener, d);
    for (Index i = 0; i < d; ++i) {
      double white = 0.0; // (A m)_i
      for (Index j = 0; j <= i; ++j) white += factor[at(i * d + j)] * mean[j];
      for (Index j = 0; j <= i; ++j) linear[j] += unit * -2.0 * factor[at(i * d + j)] * white;
      of_mean += square(white);
      for (Index j = 0; j <= i; ++j, ++form) {
        double sum = 0.0; // W_ij
        for (Index e = i; e < d; ++e) sum += factor[at(e * d + i)] * factor[at(e * d + j)];
        *form = unit * (i == j ? 1.0 : 2.0) * sum;
      }
    }
  }
  *last = unit * of_mean + (mixture_.is_student ? 0.0 : terms_.constant[at(k)]);
}

void ProductForm::add_far(Index k, Index place) {
  const Index d = terms_.n_features();
  std::copy_n(terms_.mean.row(k), d, mixture_.far_mean.row(place));
  if (terms_.is_diagonal) {
    std::copy_n(terms_.whitener.row(k), d, mixture_.far_whitener.row(place));
    return;
  }
  const std::vector<double> factor = unpacked(terms_.whitener.row(k), d);
  std::copy(factor.begin(), factor.end(), mixture_.far_whitener.row(place));
}

MixtureMoments ProductForm::moments(const ProductSums& sums) const {
  MixtureMoments result(terms_.mean, terms_.is_diagonal);
  result.log_likelihood = sums.log_likelihood;
  const Index d = terms_.n_features();
  const Index n_second = result.second.n_cols();
  const auto take = [&](const double* from, Index k, const std::vector<double>& mean) { // eq. 5
    const double* const linear = from + n_second;
    const double n = linear[d];
    result.zeroth[at(k)] = n;
    double* second = result.second.row(k);
    for (Index i = 0; i < d; ++i) {
      const double first = linear[i] - n * mean[at(i)];
      result.first(k, i) = first;
      for (Index j = terms_.is_diagonal ? i : 0; j <= i; ++j)
        *second++ = *from++ - first * mean[at(j)] - mean[at(i)] * linear[j];
    }
  };
  for (std::size_t i = 0; i < near_.size(); ++i) {
    const double* const mean = terms_.mean.row(near_[i]);
    take(sums.near.row(static_cast<Index>(i)), near_[i], {mean, mean + d});
  }
  const std::vector<double> own(at(d));
  for (std::size_t i = 0; i < far_.size(); ++i) take(sums.far.row(static_cast<Index>(i)), far_[i], own);
  return result;
}

} // namespace lacuna
