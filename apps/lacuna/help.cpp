#include "help.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"
#include "style.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

constexpr std::size_t name_width = 28;
constexpr std::size_t line_width = 80;

/// A heading and what stands below it.
using Section = std::pair<std::string, std::string>;

/// A name and what it is, whose lines begin in one column.
std::string entry(const std::string& name, const std::string& text) {
  std::string first = "  " + name;
  std::string result;
  for (const std::string& line : wrapped(with_options(text, flag_style), line_width - name_width)) {
    if (first.size() >= name_width) { // no blank would be left between them
      result += first + "\n";
      first.clear();
    }
    result += fmt::format("{:<{}}{}\n", first, name_width, line);
    first.clear();
  }
  return result;
}

/// The choices, unless the sentence about them has named them all.
std::string unnamed_choices(const Argument& argument) {
  for (const std::string& choice : argument.choices)
    if (argument.help.find(choice) == std::string::npos)
      return "; one of " + listed(argument.choices, argument.choices.size());
  return "";
}

std::string option_entry(const Argument& option) {
  const bool is_flag = option.kind == OptionKind::flag;
  const std::string fallback = is_flag || option.default_text.empty() ? "" : " [" + option.default_text + "]";
  return entry(option.flags() + (is_flag ? "" : " " + option.value_name),
               option.help + unnamed_choices(option) + fallback);
}

/// A command that is wider than a line goes on in the next one, before an option.
std::string folded(const std::string& command, std::size_t indent, const std::string& end_of_line) {
  std::string text;
  std::string line;
  for (std::size_t start = 0; start < command.size();) {
    const std::size_t stop = std::min(command.find(" -", start + 1), command.size());
    const std::string part = command.substr(start, stop - start);
    if (!line.empty() && line.size() + part.size() + end_of_line.size() > line_width) {
      text += line + end_of_line + "\n";
      line = std::string(indent - 1, ' ');
    }
    line += part;
    start = stop;
  }
  return text + line + "\n";
}

/// Examples as they stand, but for their width; prose among them is one text.
std::string examples_text(const char* examples) {
  std::string text;
  std::string prose;
  const auto end_prose = [&] {
    if (prose.empty()) return;
    for (const std::string& line : wrapped(prose, line_width)) text += line + "\n";
    prose.clear();
  };
  std::istringstream lines(examples);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(' ')) {
      prose += (prose.empty() ? "" : " ") + line;
      continue;
    }
    end_prose();
    text += folded(line, 6, " \\");
  }
  end_prose();
  return text;
}

std::string usage_text(const char* usage) {
  std::string text;
  std::istringstream lines(usage);
  for (std::string line; std::getline(lines, line);)
    text += folded(text.empty() ? "Usage: " + line : line, 12, "");
  return text;
}

std::string page(const std::string& description, const char* usage, const std::vector<Section>& sections,
                 const std::string& end) {
  std::string text;
  for (const std::string& line : wrapped(description, line_width)) text += line + "\n";
  text += "\n" + usage_text(usage);
  for (const auto& [heading, body] : sections) text += "\n" + heading + ":\n" + body;
  return text + "\n" + end;
}

std::string help_entry() {
  return entry("-h,--help", "Print this help and stop");
}

std::vector<Argument> basic_options(const Command& command) {
  std::vector<Argument> basics;
  std::istringstream names(command.basics);
  for (std::string name; names >> name;) {
    const auto option = std::ranges::find(command.options, name, &Argument::name);
    if (option == command.options.end())
      throw Error(ErrorKind::internal, std::string("lacuna ") + command.name + " has no option " + name);
    basics.push_back(*option);
  }
  return basics;
}

std::vector<Section> all_options(const Command& command) {
  std::vector<Section> sections{{"General", help_entry()}};
  for (const Argument& option : command.options) {
    const std::string heading = with_options(option.group, flag_style);
    auto section = std::ranges::find(sections, heading, &Section::first);
    if (section == sections.end()) section = sections.insert(sections.end(), {heading, ""});
    section->second += option_entry(option);
  }
  return sections;
}

} // namespace

std::string help_text(const std::vector<Command>& commands) {
  std::string list;
  for (const Command& command : commands) list += entry(command.name, command.description);
  list += entry("help", "Explain a command: lacuna help COMMAND");
  return page(
      "Classification when labels are missing at random, with an error probability for every row",
      "lacuna COMMAND ...",
      {{"General", help_entry() + entry("--version", "Print the version and stop")}, {"Commands", list}},
      "lacuna COMMAND --help explains a command, with examples. To start: lacuna demo\n");
}

std::string help_text(const Command& command, HelpLength length) {
  const std::vector<Argument> basics = basic_options(command);
  const bool is_brief = length == HelpLength::brief && !basics.empty();
  std::vector<Section> sections;
  if (!command.positionals.empty()) sections.emplace_back("Arguments", "");
  for (const Argument& positional : command.positionals)
    sections.back().second += entry(positional.value_name, positional.help);
  std::string end = "Examples:\n" + examples_text(command.examples);
  if (is_brief) {
    std::string list = help_entry() + entry("--help-all", "Print all options and stop");
    for (const Argument& option : basics) list += option_entry(option);
    sections.emplace_back("Options", list);
    end += fmt::format("\nThese are {} of {} options; lacuna {} --help-all prints all.\n", basics.size(),
                       command.options.size(), command.name);
  } else {
    for (Section& section : all_options(command)) sections.push_back(std::move(section));
  }
  return page(command.description, command.usage, sections, end);
}

} // namespace lacuna::cli
