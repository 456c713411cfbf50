#pragma once

#include <string_view>
#include <vector>

#include "command.hpp"

namespace lacuna::cli {

Command fit_command();
Command predict_command();
Command explain_command();
Command evaluate_command();
Command compare_command();
Command diagnose_command();
Command advise_command();
Command info_command();
Command demo_command();
Command simulate_command();
Command reproduce_command();

/// In the order in which they are shown.
std::vector<Command> all_commands();
/// The command that is typed, or all of them where none is: their tables of options take longer to make than
/// a small file to read.
std::vector<Command> commands_for(std::string_view typed);

} // namespace lacuna::cli
