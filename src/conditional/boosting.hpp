#pragma once

#include <memory>
#include <string>

#include "lacuna/conditional/conditional.hpp"

namespace lacuna {

/// Gradient-boosted trees by XGBoost, which is loaded when the first fit asks for it (xgboost_library.hpp);
/// what comes out are plain trees that need it no more (docs/math/conditional.md, section 3).
class BoostingFamily : public ConditionalFamily {
public:
  explicit BoostingFamily(int n_rounds = 80) : n_rounds_(n_rounds) {}
  std::string name() const override { return "boosting"; }
  /// Throws Error(usage) where there is no XGBoost.
  std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                         const ConditionalFitContext& context) const override;

private:
  int n_rounds_;
};

} // namespace lacuna
