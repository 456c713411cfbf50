#include "help.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "lacuna/core/errors.hpp"
#include "style.hpp"
#include "text.hpp"

namespace lacuna::cli {

namespace {

constexpr std::size_t name_width = 32;
constexpr std::size_t line_width = 100;

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

std::string page(const std::string& description, const std::string& usage,
                 const std::vector<Section>& sections, const std::string& end) {
  std::string text = description + "\n\nUsage: " + usage + "\n";
  for (const auto& [heading, body] : sections) text += "\n" + heading + ":\n" + body;
  return text + "\n" + end + "\n";
}

std::string help_entry() {
  return entry("-h,--help", "Print this help and stop");
}

} // namespace

std::string help_text(const std::vector<Command>& commands) {
  std::string list;
  for (const Command& command : commands) list += entry(command.name, command.description);
  return page(
      "Classification when labels are missing at random, with an error probability for every row",
      "lacuna COMMAND ...",
      {{"General", help_entry() + entry("--version", "Print the version and stop")}, {"Commands", list}},
      "lacuna COMMAND --help explains a command, with examples. To start: lacuna demo");
}

std::string help_text(const Command& command) {
  std::vector<Section> sections;
  if (!command.positionals.empty()) sections.emplace_back("Arguments", "");
  for (const Argument& positional : command.positionals)
    sections.back().second += entry(positional.value_name, positional.help);
  sections.emplace_back("General", help_entry());
  for (const Argument& option : command.options) {
    const std::string heading = with_options(option.group, flag_style);
    auto section = std::find_if(sections.begin(), sections.end(),
                                [&](const Section& known) { return known.first == heading; });
    if (section == sections.end()) section = sections.insert(sections.end(), {heading, ""});
    section->second += option_entry(option);
  }
  return page(command.description, command.usage, sections, std::string("Examples:\n") + command.examples);
}

} // namespace lacuna::cli
