#pragma once

#include <memory>
#include <optional>
#include <string>

#include "lacuna/conditional/conditional.hpp"

namespace lacuna {

/// Gradient-boosted trees by XGBoost, which is loaded when the first fit asks for it (xgboost_library.hpp);
/// what comes out are plain trees that need it no more (docs/math/conditional.md, section 3).
class BoostingFamily : public ConditionalFamily {
public:
  /// Without a number of rounds it is the larger the more labels there are.
  explicit BoostingFamily(std::optional<int> n_rounds = {}) : n_rounds_(n_rounds) {}
  std::string name() const override { return "boosting"; }
  /// Throws Error(usage) where there is no XGBoost.
  std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                         const ConditionalFitContext& context) const override;

private:
  std::optional<int> n_rounds_;
};

} // namespace lacuna
