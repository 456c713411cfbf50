#pragma once

#include <string>

#include "lacuna/pipeline/evaluate.hpp"

namespace lacuna::cli {

/// What `lacuna evaluate` prints.
std::string evaluation_text(const EvaluateOutcome& outcome);

} // namespace lacuna::cli
