#include <sstream>

#include <fmt/format.h>

#include "lacuna/core/version.hpp"
#include "pages.hpp"
#include "style.hpp"

namespace lacuna::cli {

namespace {

/// Text as roff shows it: no command at the beginning of a line, and a dash that can be copied.
std::string roff(const std::string& text) {
  std::string result;
  bool is_line_start = true;
  for (const char c : text) {
    if (is_line_start && (c == '.' || c == '\'')) result += "\\&";
    is_line_start = c == '\n';
    if (c == '\\')
      result += "\\e";
    else if (c == '-')
      result += "\\-";
    else if (c == '^')
      result += "\\(ha";
    else if (c == '~')
      result += "\\(ti";
    else if (c == '`')
      result += "\\(ga";
    else if (c == '\'')
      result += "\\(aq";
    else
      result += c;
  }
  return result;
}

std::string title(const std::string& name) {
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return fmt::format(".TH {} 1 \"\" \"lacuna {}\" \"User Commands\"\n", roff(upper), version());
}

std::string heading(const std::string& name) {
  return ".SH " + roff(name) + "\n";
}

std::string entry(const std::string& name, const std::string& text) {
  return ".TP\n" + name + "\n" + roff(text) + "\n";
}

std::string bold(const std::string& text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string italic(const std::string& text) {
  return "\\fI" + roff(text) + "\\fR";
}

std::string option_entry(const Argument& option) {
  const bool is_flag = option.kind == OptionKind::flag;
  std::string name = option.name == "output" ? bold("-o") + ", " : "";
  name += bold(flag_style(option.name)) + (is_flag ? "" : " " + italic(option.value_name));
  std::string text = with_options(option.help, flag_style) + ".";
  if (!option.expected.empty() && !is_flag)
    text += "\nExpected: " + with_options(option.expected, flag_style) + ".";
  if (!option.default_text.empty() && !is_flag) text += "\nDefault: " + option.default_text + ".";
  return entry(name, text);
}

struct Examples {
  std::string prose;
  std::vector<std::string> commands;
};

Examples examples_of(const Command& command) {
  Examples examples;
  std::istringstream lines(command.examples);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with(' '))
      examples.commands.push_back(line.substr(line.find_first_not_of(' ')));
    else
      examples.prose += line + "\n";
  return examples;
}

std::string exit_status() {
  std::string text = heading("EXIT STATUS");
  for (const auto& [code, meaning] : {std::pair{"0", "done"},
                                      {"64", "wrong use: an option or argument"},
                                      {"65", "wrong data: the content of an input"},
                                      {"66", "no such input"},
                                      {"70", "a defect of lacuna"},
                                      {"71", "not enough memory or threads"},
                                      {"73", "an output cannot be written"},
                                      {"78", "wrong configuration file"},
                                      {"130, 143", "interrupted by SIGINT, by SIGTERM"}})
    text += entry(code, meaning);
  return text;
}

std::string general_options() {
  return entry(bold("-h") + ", " + bold("--help"), "Print a short help and stop.") +
         entry(bold("--help-all"), "Print all options and stop.");
}

} // namespace

bool is_file(const Argument& argument) {
  for (const char* const beginning : {"FILE", "MODEL", "DATA", "TRAIN", "TEST", "OUT", "DIR"})
    if (argument.value_name.starts_with(beginning)) return true;
  return false;
}

std::string man_page(const std::vector<Command>& commands) {
  std::string page =
      title("lacuna") + heading("NAME") + "lacuna \\- classification when labels are missing at random\n" +
      heading("SYNOPSIS") + bold("lacuna") + " " + italic("COMMAND") + " ...\n" + heading("DESCRIPTION") +
      "Finds the region where labels say something, learns there, admits ignorance elsewhere,\n"
      "and gives every prediction an error probability.\n" +
      heading("COMMANDS");
  std::string others;
  for (const Command& command : commands) {
    page += entry(bold(command.name), std::string(command.description) + ".");
    others += (others.empty() ? "" : ",\n") + bold(std::string("lacuna-") + command.name) + "(1)";
  }
  page += entry(bold("help") + " " + italic("COMMAND"), "Explain a command.");
  page += heading("OPTIONS") + entry(bold("-h") + ", " + bold("--help"), "Print a short help and stop.") +
          entry(bold("--version"), "Print the version and stop.");
  return page + exit_status() + heading("SEE ALSO") + others + "\n";
}

std::string man_page(const Command& command) {
  const std::string name = std::string("lacuna-") + command.name;
  const Examples examples = examples_of(command);
  std::string page = title(name) + heading("NAME") + roff(name) + " \\- " + roff(command.description) + "\n" +
                     heading("SYNOPSIS") + ".nf\n" + roff(command.usage) + "\n.fi\n" +
                     heading("DESCRIPTION") + roff(command.description) + ".\n";
  if (!examples.prose.empty()) page += ".PP\n" + roff(examples.prose);
  if (!command.positionals.empty()) page += heading("ARGUMENTS");
  for (const Argument& positional : command.positionals)
    page += entry(italic(positional.value_name), with_options(positional.help, flag_style) + ".");
  page += heading("OPTIONS") + general_options();
  std::vector<std::string> groups;
  for (const Argument& option : command.options)
    if (std::ranges::find(groups, option.group) == groups.end()) groups.push_back(option.group);
  for (const std::string& group : groups) {
    page += ".SS " + roff(with_options(group, flag_style)) + "\n";
    for (const Argument& option : command.options)
      if (option.group == group) page += option_entry(option);
  }
  page += heading("EXAMPLES") + ".nf\n";
  for (const std::string& example : examples.commands) page += roff(example) + "\n";
  return page + ".fi\n" + exit_status() + heading("SEE ALSO") + bold("lacuna") + "(1)\n";
}

} // namespace lacuna::cli
