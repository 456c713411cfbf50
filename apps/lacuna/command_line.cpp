#include "command_line.hpp"

#include <algorithm>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "core/nearest_name.hpp"
#include "help.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/version.hpp"
#include "style.hpp"

// The one file that knows CLI11, which takes the words of a command line apart. What they mean is decided by
// the tables of the commands.

namespace lacuna::cli {

namespace {

/// An argument, and where CLI11 keeps what was typed for it.
struct Entry {
  const Argument* argument;
  const CLI::Option* typed;
};

std::vector<Entry> add_arguments(CLI::App& app, const Command& command) {
  const auto keep_texts = CLI::callback_t([](const CLI::results_t&) { return true; });
  std::vector<Entry> entries;
  for (const Argument& positional : command.positionals)
    entries.push_back({&positional, app.add_option(positional.value_name, keep_texts)->expected(1)});
  for (const Argument& option : command.options) {
    if (option.kind == OptionKind::flag) {
      entries.push_back({&option, app.add_flag(option.flags())});
      continue;
    }
    CLI::Option* const added = app.add_option(option.flags(), keep_texts)->type_size(1)->expected(1);
    if (option.is_list()) added->multi_option_policy(CLI::MultiOptionPolicy::TakeLast); // all are kept
    entries.push_back({&option, added});
  }
  return entries;
}

std::vector<std::string> texts_of(const Entry& entry) {
  if (!entry.argument->is_list()) return entry.typed->results();
  std::vector<std::string> all;
  for (const std::string& text : entry.typed->results())
    for (std::string& part : split_list(entry.argument->name, text)) all.push_back(std::move(part));
  return all;
}

std::string question(const std::string& nearest) {
  return nearest.empty() ? "" : "; did you mean " + nearest + "?";
}

/// What to say of words that nothing takes; `command` is null where none was typed.
std::string about_extras(const std::vector<Command>& commands, const Command* command,
                         const std::vector<std::string>& extras) {
  const auto is_flag = [](const std::string& word) { return word.size() > 1 && word.front() == '-'; };
  if (const auto flag = std::ranges::find_if(extras, is_flag); flag != extras.end()) {
    const std::string typed = flag->substr(0, flag->find('='));
    std::vector<std::string> flags = {"--help", "--help-all"};
    if (command == nullptr) flags.emplace_back("--version");
    if (command != nullptr)
      for (const Argument& option : command->options) flags.push_back(flag_style(option.name));
    return "there is no option '" + typed + "'" + question(nearest_name(typed, flags));
  }
  if (command == nullptr) {
    std::vector<std::string> names;
    for (const Command& known : commands) names.emplace_back(known.name);
    return "there is no command '" + extras.front() + "'" + question(nearest_name(extras.front(), names));
  }
  std::string words;
  for (const std::string& word : extras) words += (words.empty() ? "'" : ", '") + word + "'";
  // A shell makes many names of a pattern that nobody quoted.
  return words + (extras.size() == 1 ? " is" : " are") +
         " more than the command takes; files of one table go by a pattern in quotes, such as 'part-*.csv'";
}

} // namespace

std::vector<std::string> typed_words(int argc, const char* const* argv) {
  std::vector<std::string> words(argv + std::min(argc, 1), argv + argc);
  // `lacuna help fit` is `lacuna fit --help`.
  const auto command = std::ranges::find_if(words, [](const std::string& word) { return word != "help"; });
  if (command == words.begin()) return words;
  words.erase(words.begin(), command);
  words.insert(words.begin() + (words.empty() ? 0 : 1), "--help");
  return words;
}

CommandLine read_command_line(const std::vector<Command>& commands, const std::vector<std::string>& words) {
  CLI::App app;
  app.require_subcommand(0, 1);
  app.set_help_all_flag("--help-all"); // those of commands have it, too
  app.set_version_flag("--version", std::string("lacuna ") + version() + "\n");
  std::vector<std::vector<Entry>> entries;
  for (const Command& command : commands)
    entries.push_back(add_arguments(*app.add_subcommand(command.name), command));

  CommandLine line;
  const auto chosen = [&]() -> const Command* {
    for (std::size_t c = 0; c < commands.size(); ++c)
      if (app.get_subcommand(commands[c].name)->parsed()) return &commands[c];
    return nullptr;
  };
  const auto fail = [&](const std::string& what) {
    const std::string tool = chosen() != nullptr ? std::string("lacuna ") + chosen()->name : "lacuna";
    throw Error(ErrorKind::usage, what + (what.ends_with('?') ? "" : "; see " + tool + " --help"));
  };
  const auto show_help = [&](HelpLength length) {
    if (chosen() == nullptr && !app.remaining().empty())
      fail(about_extras(commands, nullptr, app.remaining()));
    line.text = chosen() != nullptr ? help_text(*chosen(), length) : help_text(commands);
    line.is_text_asked_for = true;
    return line;
  };
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend())); // CLI11 takes them from behind
  } catch (const CLI::CallForHelp&) {
    return show_help(HelpLength::brief);
  } catch (const CLI::CallForAllHelp&) {
    return show_help(HelpLength::full);
  } catch (const CLI::CallForVersion& version_text) {
    line.text = version_text.what();
    line.is_text_asked_for = true;
    return line;
  } catch (const CLI::ExtrasError&) {
    fail(about_extras(commands, chosen(), app.remaining(true)));
  } catch (const CLI::ParseError& error) {
    fail(error.what());
  }
  line.command = chosen();
  if (line.command == nullptr) {
    line.text = help_text(commands);
    return line;
  }
  for (const Entry& entry : entries[static_cast<std::size_t>(line.command - commands.data())])
    if (entry.typed->count() > 0) line.given.push_back({entry.argument->name, texts_of(entry)});
  return line;
}

std::vector<std::string> split_list(const std::string& option, const std::string& text) {
  std::vector<std::string> names(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_doubled = is_quoted && text[i] == '"' && i + 1 < text.size() && text[i + 1] == '"';
    if (is_doubled)
      names.back() += text[i++];
    else if (text[i] == '"')
      is_quoted = !is_quoted;
    else if (text[i] == ',' && !is_quoted)
      names.emplace_back();
    else
      names.back() += text[i];
  }
  if (is_quoted) {
    ErrorParts parts;
    parts.option = option;
    parts.found = "'" + text + "'";
    parts.expected = "a closing double quote";
    throw Error(ErrorKind::usage, std::move(parts));
  }
  return names;
}

} // namespace lacuna::cli
