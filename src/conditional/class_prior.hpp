#pragma once

#include <memory>
#include <string>

#include "lacuna/conditional/conditional.hpp"

namespace lacuna {

/// The classes' shares of the labeled rows, whatever the features say: what a stack falls back to where they
/// say nothing.
class ClassPriorFamily : public ConditionalFamily {
public:
  std::string name() const override { return "class-prior"; }
  std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                         const ConditionalFitContext& context) const override;
};

} // namespace lacuna
