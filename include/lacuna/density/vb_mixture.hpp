#pragma once

#include <memory>

#include "lacuna/density/density.hpp"
#include "lacuna/density/vb_mixture_options.hpp"

namespace lacuna {

/// The family "vb-gmm": mixtures fitted by variational Bayes, with Gaussian numbers and Dirichlet categories
/// (docs/math/vb-mixture.md).
class VbMixtureFamily : public DensityFamily {
public:
  /// Throws Error(usage) when an option is outside its limits.
  explicit VbMixtureFamily(const VbMixtureOptions& options);
  std::shared_ptr<const Density> fit(const WeightedRows& rows,
                                     const DensityFitContext& context) const override;
  bool standardizes() const override { return true; }
  std::shared_ptr<const Density> fit_blocks(RowSource& rows, const DensityFitContext& context) const override;
  bool handles_missing_values() const override { return true; }
  bool handles_categories() const override { return true; }

private:
  VbMixtureOptions options_;
};

} // namespace lacuna
