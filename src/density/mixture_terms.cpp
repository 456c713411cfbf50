#include "density/mixture_terms.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/index.hpp"
#include "density/kernels.hpp"
#include "density/placed_rows.hpp"
#include "density/product_mixture.hpp"
#include "math/special.hpp"

// Equation numbers refer to docs/math/vb-mixture.md.

namespace lacuna {

namespace {

/// Given its component, a row's categories are independent of everything else in it.
void add_levels(const MixtureTerms& terms, RowBlock& block) {
  for (Index k = 0; k < terms.n_components(); ++k) {
    const double* const log_level = terms.log_level.row(k);
    double* const out = block.logits() + k * block.stride();
    for (Index c = 0; c < block.n_category_columns(); ++c) {
      const std::int32_t* const level = block.levels() + c * block.stride();
      for (Index b = 0; b < block.n_padded(); ++b) out[b] += log_level[level[b]];
    }
  }
}

/// Adds -power log(1 + q_b) to the logits of a component; q is lost.
void add_student(double* q, double power, const RowBlock& block, double* out) {
  kernels().student(q, block.n_padded(), 0.0, power, 1.0);
  for (Index b = 0; b < block.n_padded(); ++b) out[b] += q[b];
}

/// Every feature a Student-t with degrees of freedom of its own.
void evaluate_features(const MixtureTerms& terms, Index k, RowBlock& block, double* out) {
  double* const q = block.scratch();
  std::fill_n(out, block.n_padded(), terms.constant[at(k)]);
  for (Index j = 0; j < terms.n_features(); ++j) {
    kernels().quadratic_diagonal(block.features() + j * block.stride(), block.stride(), block.n_padded(), 1,
                                 terms.mean.row(k) + j, terms.whitener.row(k) + j, q);
    add_student(q, terms.feature_power(k, j), block, out);
  }
}

/// One step after another (eq. 24).
void evaluate_steps(const MixtureTerms& terms, Index k, RowBlock& block, double* out) {
  double* const before = block.scratch(); // the quadratic form of the features of earlier steps
  double* const own = before + block.stride();
  double* const sum = own + block.stride();
  const Index n = block.n_padded();
  std::fill_n(before, n, 0.0);
  std::fill_n(out, n, terms.constant[at(k)]);
  Index first = 0;
  for (const MixtureTerms::Step& step : terms.steps) {
    const double dof = step.dof_given(first, k);
    const double leverage = step.leverage[at(k)];
    std::fill_n(own, n, 0.0);
    kernels().add_quadratic(block.features(), block.stride(), n, first, step.end, terms.mean.row(k),
                            terms.whitener.row(k), own);
    for (Index b = 0; b < n; ++b) sum[b] = leverage * before[b] + step.factor[at(k)] * own[b];
    add_student(sum, 0.5 * (dof + static_cast<double>(step.end - first)), block, out);
    if (first > 0) {
      for (Index b = 0; b < n; ++b) sum[b] = leverage * before[b];
      add_student(sum, -0.5 * dof, block, out);
    }
    for (Index b = 0; b < n; ++b) before[b] += own[b];
    first = step.end;
  }
}

/// Normal deviates become Student-t ones by a random factor that those of one step share.
class StudentFactors {
public:
  StudentFactors(const MixtureTerms& terms, Index k, RandomStream& random)
      : terms_(terms), k_(k), random_(random) {}

  /// The factor of feature j; `squares` is the quadratic form of the features before it.
  double next(Index j, double squares) {
    using Shape = MixtureTerms::Shape;
    if (terms_.shape == Shape::gaussian) return 1.0;
    if (terms_.shape == Shape::student) {
      const auto d = static_cast<double>(terms_.n_features());
      if (j == 0) factor_ = draw(2.0 * terms_.power[at(k_)] - d, terms_.factor[at(k_)]);
    } else if (terms_.shape == Shape::student_product) {
      const bool is_common = terms_.feature_power.n_rows() == 0;
      factor_ = draw(2.0 * (is_common ? terms_.power[at(k_)] : terms_.feature_power(k_, j)) - 1.0, 1.0);
    } else if (j == first_) {
      const MixtureTerms::Step& step = terms_.steps[n_steps_++];
      const double spread = step.factor[at(k_)] / (1.0 + step.leverage[at(k_)] * squares);
      factor_ = draw(step.dof_given(j, k_), spread);
      first_ = step.end;
    }
    return factor_;
  }

private:
  double draw(double dof, double factor) {
    return std::sqrt(1.0 / (factor * 2.0 * random_.gamma(0.5 * dof)));
  }

  const MixtureTerms& terms_;
  Index k_;
  RandomStream& random_;
  std::size_t n_steps_ = 0;
  Index first_ = 0;
  double factor_ = 1.0;
};

} // namespace

double step_constant(const MixtureTerms& terms, Index k) {
  double sum = 0.0;
  for (Index i = 0; i < terms.n_features(); ++i) sum += std::log(terms.whitener(k, i * (i + 1) / 2 + i));
  Index first = 0;
  for (const MixtureTerms::Step& step : terms.steps) {
    const double dof = step.dof_given(first, k);
    const auto n = static_cast<double>(step.end - first);
    sum += log_gamma(0.5 * (dof + n)) - log_gamma(0.5 * dof) +
           0.5 * n * std::log(step.factor[at(k)] / std::numbers::pi);
    first = step.end;
  }
  return sum;
}

std::vector<double> draw_component(const MixtureTerms& terms, Index k, RandomStream& random) {
  const Index d = terms.n_features();
  std::vector<double> x(at(d));
  StudentFactors factors(terms, k, random);
  double squares = 0.0;
  for (Index j = 0; j < d; ++j) {
    const double factor = factors.next(j, squares);
    const double z = factor * random.normal();
    squares += z * z;
    if (terms.is_diagonal) {
      x[at(j)] = z / std::sqrt(terms.whitener(k, j));
    } else { // solve A x = z by forward substitution
      const double* const a = terms.whitener.row(k) + j * (j + 1) / 2;
      double rest = z;
      for (Index i = 0; i < j; ++i) rest -= a[i] * x[at(i)];
      x[at(j)] = rest / a[j];
    }
  }
  for (Index j = 0; j < d; ++j) x[at(j)] += terms.mean(k, j);
  return x;
}

void evaluate_terms(const MixtureTerms& terms, RowBlock& block) {
  const Kernels& kernel = kernels();
  const Index n = block.n_padded();
  const Index d = terms.n_features();
  for (Index k = 0; k < terms.n_components(); ++k) {
    const double* const mean = terms.mean.row(k);
    const double* const whitener = terms.whitener.row(k);
    double* const out = block.logits() + k * block.stride();
    if (terms.shape == MixtureTerms::Shape::student_steps) {
      evaluate_steps(terms, k, block, out);
      continue;
    }
    if (terms.feature_power.n_rows() > 0) {
      evaluate_features(terms, k, block, out);
      continue;
    }
    if (terms.shape == MixtureTerms::Shape::student_product) {
      kernel.student_product(block.features(), block.stride(), n, d, mean, whitener, terms.constant[at(k)],
                             terms.power[at(k)], out);
      continue;
    }
    const auto quadratic = terms.is_diagonal ? kernel.quadratic_diagonal : kernel.quadratic_full;
    if (d > 0)
      quadratic(block.features(), block.stride(), n, d, mean, whitener, out);
    else
      std::fill_n(out, n, 0.0); // categories alone: there are no values to point to
    if (terms.shape == MixtureTerms::Shape::gaussian)
      kernel.gaussian(out, n, terms.constant[at(k)]);
    else
      kernel.student(out, n, terms.constant[at(k)], terms.power[at(k)], terms.factor[at(k)]);
  }
  if (block.n_category_columns() > 0) add_levels(terms, block);
}

void write_log_density(const WeightedRows& rows, const Frame& frame, const MixtureTerms& terms,
                       std::span<double> out) {
  const double log_jacobian = frame.log_jacobian();
  if (ProductForm::suits(terms))
    if (const auto placed = PlacedRows::place(rows, frame); placed && placed->log_density(terms, out)) {
      for (double& value : out) value += log_jacobian;
      return;
    }
  RowBlock block(frame, terms.n_components(), rows.size());
  for (Index first = 0; first < rows.size(); first += block.capacity()) {
    block.load(rows, first, std::min(block.capacity(), rows.size() - first));
    evaluate_terms(terms, block);
    kernels().log_sum_exp(block.logits(), block.stride(), block.n_padded(), terms.n_components(),
                          block.totals());
    for (Index b = 0; b < block.n_rows(); ++b)
      out[static_cast<std::size_t>(first + b)] = block.totals()[b] + log_jacobian;
  }
}

} // namespace lacuna
