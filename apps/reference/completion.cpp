#include <fmt/format.h>

#include "pages.hpp"
#include "style.hpp"

namespace lacuna::cli {

namespace {

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> names_of(const std::vector<Command>& commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.emplace_back(command.name);
  names.emplace_back("help");
  return names;
}

/// In single quotes of a shell.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

/// The flags of a command and, for those with a value, what it may be: names, a file, or something else.
std::string bash_case(const Command& command) {
  std::vector<std::string> flags = {"--help", "--help-all"};
  std::vector<std::string> others;
  std::string values;
  for (const Argument& option : command.options) {
    const std::string flag = flag_style(option.name);
    flags.push_back(flag);
    const std::string pattern = option.name == "output" ? "-o|" + flag : flag;
    if (!option.choices.empty())
      values += fmt::format("      {}) names='{}' ;;\n", pattern, joined(option.choices));
    else if (is_file(option))
      values += fmt::format("      {}) kind=file ;;\n", pattern);
    else if (option.kind != OptionKind::flag)
      others.push_back(pattern);
  }
  if (!others.empty()) values += fmt::format("      {}) kind=other ;;\n", fmt::join(others, "|"));
  return fmt::format("  {})\n    flags='{}'\n    case $before in\n{}    esac ;;\n", command.name,
                     joined(flags), values);
}

/// A text inside of a zsh specification, in which brackets and colons have a meaning.
std::string zsh_text(const std::string& text) {
  std::string result;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') result += '\\';
    result += c;
  }
  return result;
}

std::string zsh_action(const Argument& argument) {
  if (!argument.choices.empty()) return "(" + joined(argument.choices) + ")";
  return is_file(argument) ? "_files" : " ";
}

std::string zsh_case(const Command& command) {
  std::string specs = "'(- *)'{-h,--help}'[Print a short help and stop]' \\\n"
                      "        '(- *)--help-all[Print all options and stop]'";
  for (const Argument& option : command.options) {
    const bool is_flag = option.kind == OptionKind::flag;
    const std::string flag = flag_style(option.name);
    const std::string value = is_flag ? "" : ":" + zsh_text(option.value_name) + ":" + zsh_action(option);
    const std::string help = "[" + zsh_text(with_options(option.help, flag_style)) + "]" + value;
    specs += " \\\n        ";
    if (option.name == "output")
      specs += "'(-o --output)'{-o,--output=}" + quoted(help);
    else
      specs += quoted((option.is_list() ? "*" : "") + flag + (is_flag ? "" : "=") + help);
  }
  for (const Argument& positional : command.positionals)
    specs += " \\\n        " + quoted(":" + zsh_text(positional.value_name) + ":_files");
  return fmt::format("    {})\n      _arguments -S \\\n        {} ;;\n", command.name, specs);
}

} // namespace

std::string bash_completion(const std::vector<Command>& commands) {
  std::string cases;
  for (const Command& command : commands) cases += bash_case(command);
  const std::string names = joined(names_of(commands));
  return "# Completion of lacuna's command lines for bash. Made from its tables of options.\n"
         "_lacuna() {\n"
         "  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} flags= names= kind=\n"
         "  COMPREPLY=()\n"
         "  if [[ $COMP_CWORD -eq 1 || ( $COMP_CWORD -eq 2 && $before == help ) ]]; then\n"
         "    COMPREPLY=($(compgen -W '" +
         names +
         " --help --version' -- \"$word\"))\n"
         "    return\n"
         "  fi\n"
         "  # \"--method=mar\" is three words.\n"
         "  if [[ $word == = ]]; then\n"
         "    word=\n"
         "  elif [[ $before == = ]]; then\n"
         "    before=${COMP_WORDS[COMP_CWORD-2]}\n"
         "  fi\n"
         "  case ${COMP_WORDS[1]} in\n" +
         cases +
         "  esac\n"
         "  if [[ -n $names ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$names\" -- \"$word\"))\n"
         "    compopt +o default 2>/dev/null\n"
         "  elif [[ $kind == other ]]; then\n"
         "    compopt +o default 2>/dev/null\n"
         "  elif [[ -z $kind && $word == -* ]]; then\n"
         "    COMPREPLY=($(compgen -W \"$flags\" -- \"$word\"))\n"
         "  fi # else files, as bash completes them\n"
         "}\n"
         "complete -o default -F _lacuna lacuna\n";
}

std::string zsh_completion(const std::vector<Command>& commands) {
  std::string list;
  std::string cases;
  for (const Command& command : commands) {
    list += "    " + quoted(zsh_text(command.name) + ":" + command.description) + "\n";
    cases += zsh_case(command);
  }
  return "#compdef lacuna\n"
         "# Completion of lacuna's command lines for zsh. Made from its tables of options.\n"
         "_lacuna() {\n"
         "  local -a commands=(\n" +
         list +
         "    'help:Explain a command'\n"
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    [[ $PREFIX == -* ]] && compadd -- --help --version\n"
         "    return\n"
         "  fi\n"
         "  local command=$words[2]\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $command in\n"
         "    help) (( CURRENT == 2 )) && _describe command commands ;;\n" +
         cases +
         "  esac\n"
         "}\n"
         "_lacuna \"$@\"\n";
}

} // namespace lacuna::cli
