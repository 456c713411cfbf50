#pragma once

#include <vector>

#include "command.hpp"

namespace lacuna::cli {

/// Runs a command with what was given on the command line, and with what the configuration file gives that
/// was named there; the command line wins. An error about an option says where it was given.
void run_command(const Command& command, std::vector<GivenOption> given);

} // namespace lacuna::cli
