#pragma once

#include <span>
#include <vector>

#include "density/row_block.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/core/random.hpp"

namespace lacuna {

/// A mixture ready for evaluation: for each component a centre, a whitening factor and the constants of its
/// log density. Every covariance type and density form of the mixtures comes down to one of these.
struct MixtureTerms {
  enum class Shape {
    gaussian,        ///< constant - q / 2
    student,         ///< constant - power log(1 + factor q)
    student_product, ///< constant - sum_j power_j log(1 + whitener_j (x_j - mean_j)^2)
    student_steps,   ///< a Student-t of some features, one of the next given these, and so on
  };

  /// The features of one step, those before `end` that no earlier step has, given those of the earlier steps
  /// (docs/math/vb-mixture.md, eq. 24). Numbers are per component.
  struct Step {
    Index end = 0;
    std::vector<double> dof;      ///< degrees of freedom, before those that earlier features add
    std::vector<double> share;    ///< how many each of these adds
    std::vector<double> factor;   ///< of the quadratic form of its own features
    std::vector<double> leverage; ///< of the quadratic form of the features before

    /// Degrees of freedom given `first` features before.
    double dof_given(Index first, Index k) const {
      const auto at = static_cast<std::size_t>(k);
      return dof[at] + share[at] * static_cast<double>(first);
    }
  };

  Shape shape = Shape::gaussian;
  bool is_diagonal = false;     ///< whitener: one precision per feature instead of a packed triangle
  Matrix mean;                  ///< components x features, in the frame
  Matrix whitener;              ///< components x (features, or features (features + 1) / 2)
  std::vector<double> constant; ///< includes the log weight
  std::vector<double> power;
  std::vector<double> factor;
  Matrix feature_power;    ///< of student_product, components x features; empty: `power` for all
  std::vector<Step> steps; ///< of student_steps
  Matrix log_level; ///< components x (levels of all category columns + 1); the last is 0, for a missing value

  Index n_components() const { return mean.n_rows(); }
  /// Numeric ones.
  Index n_features() const { return mean.n_cols(); }
};

/// What a component of student_steps has for its constant, without the weight (docs/math/vb-mixture.md, eq.
/// 25).
double step_constant(const MixtureTerms& terms, Index k);

/// A random vector, in the frame, from one component.
std::vector<double> draw_component(const MixtureTerms& terms, Index k, RandomStream& random);

/// logits[k * stride + b] = log (weight_k density_k(x_b)) for the rows of the block.
void evaluate_terms(const MixtureTerms& terms, RowBlock& block);

/// The log density of every row in the user's units: block by block, so that memory does not grow; or where
/// PassesAt says, if these are terms and rows for that.
void write_log_density(const WeightedRows& rows, const Frame& frame, const MixtureTerms& terms,
                       std::span<double> out);

} // namespace lacuna
