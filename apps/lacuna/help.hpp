#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace lacuna::cli {

/// What `lacuna --help` prints.
std::string help_text(const std::vector<Command>& commands);
/// What `lacuna COMMAND --help` prints.
std::string help_text(const Command& command);

} // namespace lacuna::cli
