#pragma once

#include <nlohmann/json_fwd.hpp>

#include "lacuna/learning/learner.hpp"

namespace LACUNA_API lacuna {

nlohmann::ordered_json stack_object(const StackSummary& stack);
StackSummary read_stack(const nlohmann::ordered_json& found);

} // namespace lacuna
