#pragma once

#include <memory>

#include "lacuna/density/density.hpp"
#include "lacuna/density/gmm_options.hpp"

namespace lacuna {

/// The family "gmm": Gaussian mixtures fitted by expectation maximisation (docs/math/gmm.md).
class GmmFamily : public DensityFamily {
public:
  /// Throws Error(usage) when an option is outside its limits.
  explicit GmmFamily(const GmmOptions& options);
  std::shared_ptr<const Density> fit(const WeightedRows& rows,
                                     const DensityFitContext& context) const override;
  bool standardizes() const override { return true; }
  std::shared_ptr<const Density> fit_blocks(RowSource& rows, const DensityFitContext& context) const override;

private:
  GmmOptions options_;
};

} // namespace lacuna
