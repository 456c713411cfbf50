#include "command.hpp"

#include "style.hpp"

namespace lacuna::cli {

std::string Argument::flags() const {
  // The one option that everybody types.
  return (name == "output" ? "-o," : "") + flag_style(name);
}

std::vector<Argument> fit_arguments() {
  std::vector<Argument> arguments;
  for (const Option<FitRequest>& row : fit_options()) {
    FitRequest defaults;
    if (!row.families.empty()) defaults.density = row.families.front();
    arguments.push_back({row, row.get ? to_string(row.get(defaults)) : "", false});
  }
  return arguments;
}

Argument quiet_argument() {
  Argument quiet;
  quiet.name = quiet_option;
  quiet.kind = OptionKind::flag;
  quiet.group = "General";
  quiet.help = "No progress, notes or summary; warnings and errors stay";
  return quiet;
}

} // namespace lacuna::cli
