#pragma once

#include <string>
#include <vector>

#include "command.hpp"

namespace lacuna::cli {

/// What the user typed.
struct CommandLine {
  const Command* command = nullptr; ///< null: there is only something to read
  std::vector<GivenOption> given;
  std::string text;               ///< help or version
  bool is_text_asked_for = false; ///< not so for the bare name of the tool
};

/// What was typed behind the name of the tool, `lacuna help COMMAND` as `lacuna COMMAND --help`.
std::vector<std::string> typed_words(int argc, const char* const* argv);

/// Throws Error(usage).
CommandLine read_command_line(const std::vector<Command>& commands, const std::vector<std::string>& words);

/// A list as it is typed: names with commas between them; double quotes around one that holds a comma.
std::vector<std::string> split_list(const std::string& option, const std::string& text);

} // namespace lacuna::cli
