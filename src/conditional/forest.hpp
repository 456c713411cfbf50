#pragma once

#include <memory>
#include <string>

#include "lacuna/conditional/conditional.hpp"

namespace lacuna {

/// Extremely randomised trees: cuts are drawn, the best of a few is taken, and many whole trees are averaged
/// (docs/math/conditional.md, section 4). Good where labels are few and boosting learns their noise.
class ForestFamily : public ConditionalFamily {
public:
  std::string name() const override { return "forest"; }
  std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                         const ConditionalFitContext& context) const override;
};

} // namespace lacuna
