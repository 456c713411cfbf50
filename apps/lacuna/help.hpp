#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace lacuna::cli {

/// What `lacuna --help` prints.
std::string help_text(const std::vector<Command>& commands);
enum class HelpLength { brief, full };

/// What `lacuna COMMAND --help` and `--help-all` print.
std::string help_text(const Command& command, HelpLength length);

} // namespace lacuna::cli
