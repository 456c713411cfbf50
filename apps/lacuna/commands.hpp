#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
}

namespace lacuna::cli {

/// The work of the subcommand that the user chose; it runs after the whole command line has been read.
using Command = std::function<void()>;

void add_fit(CLI::App& app, Command& command);
void add_predict(CLI::App& app, Command& command);
void add_evaluate(CLI::App& app, Command& command);
void add_compare(CLI::App& app, Command& command);
void add_info(CLI::App& app, Command& command);
void add_demo(CLI::App& app, Command& command);
void add_simulate(CLI::App& app, Command& command);
void add_reproduce(CLI::App& app, Command& command);

/// The help layout that the tool and its subcommands share.
void lay_out_help(CLI::App& app, const std::string& usage, const std::string& footer);
/// A subcommand with that layout.
CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& usage, const std::string& examples);

} // namespace lacuna::cli
