#pragma once

#include <memory>

#include "lacuna/density/density.hpp"
#include "lacuna/density/dp_mixture_options.hpp"

namespace lacuna {

/// The family "dp-gmm": Dirichlet process mixtures of Gaussians, sampled by a Markov chain and averaged over
/// draws (docs/math/dp-gmm.md).
class DpMixtureFamily : public DensityFamily {
public:
  /// Throws Error(usage) when an option is outside its limits.
  explicit DpMixtureFamily(const DpMixtureOptions& options);
  std::shared_ptr<const Density> fit(const WeightedRows& rows,
                                     const DensityFitContext& context) const override;
  bool standardizes() const override { return true; }

private:
  DpMixtureOptions options_;
};

} // namespace lacuna
