#pragma once

#include <string>
#include <utility>
#include <vector>

#include "lacuna/learning/learner.hpp"

namespace lacuna::cli {

/// What a stack is made of, and what it found out about itself: name and value of each line. None where there
/// is no stack.
std::vector<std::pair<std::string, std::string>> stack_lines(const StackSummary& stack);

} // namespace lacuna::cli
