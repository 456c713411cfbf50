#pragma once

#include <memory>
#include <string>
#include <utility>

#include "lacuna/conditional/conditional.hpp"

namespace lacuna {

/// Multinomial logistic regression with a ridge penalty (docs/math/conditional.md, section 2). A stack that
/// is not sure of the strength takes two of them, under names of their own.
class LogisticFamily : public ConditionalFamily {
public:
  /// `ridge` is the penalty's strength: ridge / 2 times the sum of the squared slopes of all classes, in
  /// units of one row's log likelihood.
  explicit LogisticFamily(double ridge = 3.0, std::string name = "logistic")
      : ridge_(ridge), name_(std::move(name)) {}
  std::string name() const override { return name_; }
  std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                         const ConditionalFitContext& context) const override;

private:
  double ridge_;
  std::string name_;
};

} // namespace lacuna
