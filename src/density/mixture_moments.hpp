#pragma once

#include <vector>

#include "density/mixture_terms.hpp"
#include "density/row_groups.hpp"
#include "lacuna/core/matrix.hpp"
#include "lacuna/core/observer.hpp"

namespace lacuna {

class PlacedRows; // placed_rows.hpp

/// Sufficient statistics of a mixture: for each component the weight, first and second moments of its rows
/// about a shift, and how many of them have each category. The shift is the component's current centre, so no
/// digits cancel however far it lies from the origin.
struct MixtureMoments {
  MixtureMoments(Matrix shifts, bool diagonal, Index n_levels = 0);
  /// Of the same shifts. A sign of -1 takes away what was added before.
  void add(const MixtureMoments& other, double sign = 1.0);

  bool is_diagonal;
  Matrix shift; ///< components x features
  std::vector<double> zeroth;
  Matrix first;                ///< components x features
  Matrix second;               ///< components x (features, or packed lower triangle)
  Matrix levels;               ///< components x (levels of all category columns + 1, for missing values)
  Matrix lacking;              ///< components x features: the weight of the rows that have no value there
  double log_likelihood = 0.0; ///< sum over rows of weight * log sum_k exp(logit_k)

  Index n_components() const { return shift.n_rows(); }
  Index n_features() const { return shift.n_cols(); }
};

/// The same statistics after the rows of component `from` have joined component `into`; `from` is gone.
MixtureMoments merge_components(const MixtureMoments& moments, Index from, Index into);

/// One pass over the rows: responsibilities under `terms` and the moments they give. Memory does not grow
/// with the number of rows; the result has the same bits for any number of threads.
MixtureMoments collect_moments(const WeightedRows& rows, const Frame& frame, const MixtureTerms& terms,
                               int threads, const Observer& observer);

/// The same for rows of which some lack values: those count with what is expected of the missing ones, given
/// what is there and the component (docs/math/vb-mixture.md, section 8). The complete rows may have a place
/// of their own.
MixtureMoments collect_moments(const RowGroups& rows, const Frame& frame, const MixtureTerms& terms,
                               int threads, const Observer& observer, const PlacedRows* complete = nullptr);

/// The same for fixed assignments: row i belongs to component assignment[i] whole. A missing value counts as
/// one at the centre with the spread of those that are there: good enough for a start. Rows may come in
/// blocks; where one ends changes no bit. The frame must outlive this.
class AssignedMoments {
public:
  AssignedMoments(const Frame& frame, const Matrix& centers, bool diagonal);
  void add(const WeightedRows& rows, const std::vector<int>& assignment, int threads);
  MixtureMoments result() const;

private:
  /// Whether a row lacks a value.
  bool add_cluster(const WeightedRows& rows, const std::vector<int>& assignment, Index k);

  const Frame& frame_;
  MixtureMoments sums_;
  Matrix present_; ///< components x features: the weight of the rows that have a value
  bool has_gaps_ = false;
};

MixtureMoments collect_assigned_moments(const WeightedRows& rows, const Frame& frame, const Matrix& centers,
                                        const std::vector<int>& assignment, bool diagonal);

} // namespace lacuna
