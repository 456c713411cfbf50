#pragma once

#include <memory>

#include "lacuna/density/density.hpp"
#include "lacuna/density/kde_options.hpp"

namespace lacuna {

/// The family "kde": a Gaussian kernel around every row, with a full bandwidth matrix (docs/math/kde.md). Its
/// densities hold the rows they were fitted to, and so do saved models.
class KdeFamily : public DensityFamily {
public:
  /// Throws Error(usage) when an option is outside its limits.
  explicit KdeFamily(const KdeOptions& options);
  std::shared_ptr<const Density> fit(const WeightedRows& rows,
                                     const DensityFitContext& context) const override;
  bool standardizes() const override { return true; }

private:
  KdeOptions options_;
};

} // namespace lacuna
