#pragma once

#include <string>
#include <vector>

#include "command.hpp"

// What is made from the tables of the commands beside their help.

namespace lacuna::cli {

/// The man page of the tool, section 1.
std::string man_page(const std::vector<Command>& commands);
/// That of a command.
std::string man_page(const Command& command);

/// A script that teaches bash, and one that teaches zsh, what may follow on a command line.
std::string bash_completion(const std::vector<Command>& commands);
std::string zsh_completion(const std::vector<Command>& commands);

/// Whether a value of this kind is the name of a file or folder.
bool is_file(const Argument& argument);

} // namespace lacuna::cli
