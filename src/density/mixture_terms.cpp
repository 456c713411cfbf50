#include "density/mixture_terms.hpp"

#include <algorithm>

#include "density/kernels.hpp"

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

} // namespace

void evaluate_terms(const MixtureTerms& terms, RowBlock& block) {
  const Kernels& kernel = kernels();
  const Index n = block.n_padded();
  const Index d = terms.n_features();
  for (Index k = 0; k < terms.n_components(); ++k) {
    const auto at = static_cast<std::size_t>(k);
    const double* const mean = terms.mean.row(k);
    const double* const whitener = terms.whitener.row(k);
    double* const out = block.logits() + k * block.stride();
    if (terms.shape == MixtureTerms::Shape::student_product) {
      kernel.student_product(block.features(), block.stride(), n, d, mean, whitener, terms.constant[at],
                             terms.power[at], out);
      continue;
    }
    const auto quadratic = terms.is_diagonal ? kernel.quadratic_diagonal : kernel.quadratic_full;
    quadratic(block.features(), block.stride(), n, d, mean, whitener, out);
    if (terms.shape == MixtureTerms::Shape::gaussian)
      kernel.gaussian(out, n, terms.constant[at]);
    else
      kernel.student(out, n, terms.constant[at], terms.power[at], terms.factor[at]);
  }
  if (block.n_category_columns() > 0) add_levels(terms, block);
}

void write_log_density(const WeightedRows& rows, const Frame& frame, const MixtureTerms& terms,
                       std::span<double> out) {
  const double log_jacobian = frame.log_jacobian();
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
