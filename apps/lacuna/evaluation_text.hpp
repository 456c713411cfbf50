#pragma once

#include <string>

#include "lacuna/pipeline/workflows.hpp"

namespace lacuna::cli {

/// What `lacuna evaluate` prints.
std::string evaluation_text(const EvaluateOutcome& outcome);

} // namespace lacuna::cli
