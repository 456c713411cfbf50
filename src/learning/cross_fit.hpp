#pragma once

#include <cstdint>
#include <vector>

#include "learning/density_fitter.hpp"

namespace lacuna {

/// The labeled rows under class models that did not see them. Rows of a class with one labeled row take no
/// part: no model of their class did not see them.
struct HeldOutRows {
  RowList rows; ///< fold by fold
  std::vector<int> label;
  Matrix log_density; ///< rows x classes: log q~(x|y,l=1), -inf for a class without a row
  Matrix log_joint;   ///< the same plus log q~(y|l=1)
};

/// Cross-fits the class models when the held-out rows are first asked for.
class CrossFit {
public:
  CrossFit(const DensityFitter& fitter, Index n_folds, std::uint64_t seed)
      : fitter_(fitter), n_folds_(n_folds), seed_(seed) {}

  const DensityFitter& fitter() const { return fitter_; }
  const HeldOutRows& held_out();

private:
  const DensityFitter& fitter_;
  Index n_folds_;
  std::uint64_t seed_;
  bool is_fitted_ = false;
  HeldOutRows held_out_;
};

/// The listed rows, one after another.
Matrix gather_rows(const DatasetView& data, const std::vector<Index>& rows);

} // namespace lacuna
