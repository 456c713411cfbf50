#pragma once

#include <memory>

#include "lacuna/density/density.hpp"
#include "lacuna/density/vb_mixture_options.hpp"

namespace lacuna {

/// The family "vb-gmm": Gaussian mixtures fitted by variational Bayes (docs/math/vb-mixture.md).
class VbMixtureFamily : public DensityFamily {
public:
  /// Throws Error(usage) when an option is outside its limits.
  explicit VbMixtureFamily(const VbMixtureOptions& options);
  std::shared_ptr<const Density> fit(const WeightedRows& rows,
                                     const DensityFitContext& context) const override;

private:
  VbMixtureOptions options_;
};

} // namespace lacuna
