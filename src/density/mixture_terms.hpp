#pragma once

#include <span>
#include <vector>

#include "density/row_block.hpp"
#include "lacuna/core/matrix.hpp"

namespace lacuna {

/// A mixture ready for evaluation: for each component a centre, a whitening factor and the constants of its
/// log density. Every covariance type and density form of the mixtures comes down to one of these.
struct MixtureTerms {
  enum class Shape {
    gaussian,        ///< constant - q / 2
    student,         ///< constant - power log(1 + factor q)
    student_product, ///< constant - sum_j power log(1 + whitener_j (x_j - mean_j)^2)
  };

  Shape shape = Shape::gaussian;
  bool is_diagonal = false;     ///< whitener: one precision per feature instead of a packed triangle
  Matrix mean;                  ///< components x features, in the frame
  Matrix whitener;              ///< components x (features, or features (features + 1) / 2)
  std::vector<double> constant; ///< includes the log weight
  std::vector<double> power;
  std::vector<double> factor;
  Matrix log_level; ///< components x (levels of all category columns + 1); the last is 0, for a missing value

  Index n_components() const { return mean.n_rows(); }
  /// Numeric ones.
  Index n_features() const { return mean.n_cols(); }
};

/// logits[k * stride + b] = log (weight_k density_k(x_b)) for the rows of the block.
void evaluate_terms(const MixtureTerms& terms, RowBlock& block);

/// The log density of every row in the user's units: block by block, so that memory does not grow.
void write_log_density(const WeightedRows& rows, const Frame& frame, const MixtureTerms& terms,
                       std::span<double> out);

} // namespace lacuna
