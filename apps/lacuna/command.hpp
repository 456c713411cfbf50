#pragma once

#include <algorithm>
#include <concepts>
#include <functional>
#include <string>
#include <vector>

#include "lacuna/core/options.hpp"
#include "lacuna/pipeline/fit.hpp"

namespace lacuna::cli {

/// An option or a positional argument, without the struct that holds its value.
struct Argument : OptionInfo {
  std::string default_text; ///< empty: there is none to tell
  bool is_required = false;

  /// As the user writes it: "-o,--output", "--max-iterations".
  std::string flags() const;
};

/// What a user reads about a command.
struct CommandText {
  const char* name;
  const char* description;
  const char* usage;
  const char* examples;    ///< lines that begin with blanks are commands, the others one text
  const char* basics = ""; ///< the options of the short help, with blanks between them; empty: all
};

/// A command as data. Command line, configuration file and help are made from it, and hand back what was
/// given.
struct Command : CommandText {
  std::vector<Argument> positionals; ///< in their order; each is called by its value_name
  std::vector<Argument> options;
  std::function<void(const std::vector<GivenOption>& given)> run;
};

/// Where a command's arguments go: rows for fields of its struct.
template <class Arguments>
struct ArgumentTables {
  OptionTable<Arguments> positionals = {};
  OptionTable<Arguments> options =
      {}; ///< beside those of a fit, which a struct derived from FitRequest has too
  std::vector<std::string> required = {}; ///< names of these that must be given
};

/// The options of a fit.
std::vector<Argument> fit_arguments();

/// What every command has; it is about the tool, and no command sees it.
inline constexpr const char* quiet_option = "quiet";
Argument quiet_argument();

template <class Arguments>
std::vector<Argument> arguments_of(const OptionTable<Arguments>& table,
                                   const std::vector<std::string>& required) {
  const Arguments defaults{};
  std::vector<Argument> arguments;
  for (const Option<Arguments>& row : table) {
    const bool is_required = std::find(required.begin(), required.end(), row.name) != required.end();
    arguments.push_back({row, is_required ? "" : to_string(row.get(defaults)), is_required});
  }
  return arguments;
}

/// A command that fills its struct of arguments, checks their limits and works.
template <class Arguments>
Command make_command(const CommandText& text, const ArgumentTables<Arguments>& tables,
                     void (*work)(const Arguments& arguments)) {
  constexpr bool fits = std::derived_from<Arguments, FitRequest>;
  Command command{text, arguments_of(tables.positionals, tables.required), {}, {}};
  if constexpr (fits) command.options = fit_arguments();
  for (Argument& own : arguments_of(tables.options, tables.required))
    command.options.push_back(std::move(own));
  command.options.push_back(quiet_argument());

  OptionTable<Arguments> rows = tables.positionals;
  rows.insert(rows.end(), tables.options.begin(), tables.options.end());
  command.run = [rows, work](const std::vector<GivenOption>& given) {
    Arguments arguments;
    std::vector<GivenOption> of_the_fit;
    for (const GivenOption& each : given) {
      const auto row =
          std::find_if(rows.begin(), rows.end(), [&](const auto& known) { return known.name == each.name; });
      if (row != rows.end())
        row->set(arguments, each.texts);
      else
        of_the_fit.push_back(each);
    }
    if constexpr (fits) set_options(arguments, of_the_fit);
    OptionChecks checks;
    for (const Option<Arguments>& row : rows) row.check(arguments, checks);
    checks.throw_if_any();
    work(arguments);
  };
  return command;
}

} // namespace lacuna::cli
