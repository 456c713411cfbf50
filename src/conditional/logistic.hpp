#pragma once

#include <memory>
#include <string>

#include "lacuna/conditional/conditional.hpp"

namespace lacuna {

/// Multinomial logistic regression with a ridge penalty (docs/math/conditional.md, section 2).
class LogisticFamily : public ConditionalFamily {
public:
  /// `ridge` is the penalty's strength: ridge / 2 times the sum of the squared slopes of all classes, in
  /// units of one row's log likelihood.
  explicit LogisticFamily(double ridge = 3.0) : ridge_(ridge) {}
  std::string name() const override { return "logistic"; }
  std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                         const ConditionalFitContext& context) const override;

private:
  double ridge_;
};

} // namespace lacuna
