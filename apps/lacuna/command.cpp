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

} // namespace lacuna::cli
