#include "run_command.hpp"

#include "config_file.hpp"
#include "console.hpp"
#include "core/nearest_name.hpp"
#include "lacuna/core/errors.hpp"
#include "style.hpp"

namespace lacuna::cli {

namespace {

/// An option's value in a configuration file.
struct ConfigOption : GivenOption {
  long line = 0;
};

/// The configuration file of a run.
struct Configuration {
  std::string path; ///< empty: there is none
  std::vector<ConfigOption> options;
};

template <class Named>
const Named* find_named(const std::vector<Named>& all, const std::string& name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Named& each) { return each.name == name; });
  return found != all.end() ? &*found : nullptr;
}

std::string help_of(const Command& command) {
  return std::string("see lacuna ") + command.name + " --help";
}

/// The option that a key names; the file itself can be named on the command line only.
const Argument* option_of(const Command& command, const std::string& key) {
  for (const Argument& option : command.options)
    if (key_style(option.name) == key && option.name != "config") return &option;
  return nullptr;
}

ConfigOption read_item(const Command& command, const std::string& path, const ConfigItem& item) {
  ErrorParts parts;
  parts.place.file = path;
  parts.place.line = item.line;
  const Argument* const option = option_of(command, item.key);
  if (option == nullptr) {
    parts.statement = "unknown key '" + item.key + "'";
    std::vector<std::string> keys;
    for (const Argument& known : command.options) keys.push_back(key_style(known.name));
    const std::string nearest = nearest_name(item.key, keys);
    parts.remedy = (nearest.empty() ? "" : "did you mean " + nearest + "? ") +
                   "keys are the options of lacuna " + command.name + " without their dashes, " +
                   help_of(command);
    throw Error(ErrorKind::config, std::move(parts));
  }
  if (option->is_list() != item.is_array) {
    parts.option = option->name;
    parts.found = item.is_array ? "an array" : "one value";
    parts.expected = item.is_array ? "one value" : "an array: [\"a\", \"b\"]";
    throw Error(ErrorKind::config, std::move(parts));
  }
  return {{option->name, item.texts}, item.line};
}

Configuration read_configuration(const Command& command, const std::vector<GivenOption>& given) {
  Configuration file;
  if (const GivenOption* const path = find_named(given, "config")) {
    file.path = path->texts.at(0);
    for (const ConfigItem& item : read_config(file.path))
      file.options.push_back(read_item(command, file.path, item));
  }
  return file;
}

/// Throws Error(usage) for the first required argument that was not given, or given as nothing.
void require_all(const Command& command, const std::vector<GivenOption>& given) {
  const auto is_missing = [&](const Argument& argument) {
    const GivenOption* const found = find_named(given, argument.name);
    return argument.is_required && (found == nullptr || found->texts.at(0).empty());
  };
  for (const Argument& positional : command.positionals)
    if (is_missing(positional))
      throw Error(ErrorKind::usage, positional.value_name + " is required; " + help_of(command));
  for (const Argument& option : command.options)
    if (is_missing(option))
      throw Error(ErrorKind::usage, option.flags() + " is required; " + help_of(command));
}

} // namespace

void run_command(const Command& command, std::vector<GivenOption> given) {
  Configuration file = read_configuration(command, given);
  std::erase_if(file.options, [&](const ConfigOption& option) { // the command line wins
    return find_named(given, option.name) != nullptr;
  });
  given.insert(given.end(), file.options.begin(), file.options.end());
  require_all(command, given);
  if (const GivenOption* const quiet = find_named(given, quiet_option)) {
    bool is_wanted = false;
    detail::parse_option(quiet_argument(), quiet->texts.at(0), is_wanted);
    if (is_wanted) be_quiet();
    std::erase_if(given, [](const GivenOption& option) { return option.name == quiet_option; });
  }
  try {
    command.run(given);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage || error.parts().option.empty()) throw;
    ErrorParts parts = error.parts();
    if (parts.remedy.empty()) parts.remedy = help_of(command);
    if (const Argument* const positional = find_named(command.positionals, parts.option)) {
      parts.option.clear(); // it has no flag
      parts.statement =
          positional->value_name + (parts.statement.empty() ? " is wrong" : ": " + parts.statement);
    }
    const ConfigOption* const option = find_named(file.options, parts.option);
    if (option == nullptr) throw Error(ErrorKind::usage, std::move(parts));
    parts.place.file = file.path;
    parts.place.line = option->line;
    throw Error(ErrorKind::config, std::move(parts));
  }
}

} // namespace lacuna::cli
