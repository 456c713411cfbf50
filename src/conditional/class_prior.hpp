#pragma once

#include <memory>
#include <string>

#include "lacuna/conditional/conditional.hpp"

namespace lacuna {

inline constexpr const char* class_prior_name = "class-prior";

/// The classes' shares of the labeled rows, whatever the features say: what a stack falls back to where they
/// say nothing.
class ClassPriorFamily : public ConditionalFamily {
public:
  std::string name() const override { return class_prior_name; }
  std::shared_ptr<const Conditional> fit(const DatasetView& data,
                                         const ConditionalFitContext& context) const override;
};

} // namespace lacuna
