#include <memory>
#include <string>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"

namespace lacuna::cli {

namespace {

constexpr std::size_t name_width = 32;
constexpr std::size_t line_width = 100;

std::string wrapped(const std::string& text, std::size_t width) {
  std::string result;
  std::size_t line = 0;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t stop = std::min(text.find(' ', start), text.size());
    if (line > 0 && line + 1 + stop - start > width) {
      result += '\n';
      line = 0;
    } else if (line > 0) {
      result += ' ';
      ++line;
    }
    result += text.substr(start, stop - start);
    line += stop - start;
    start = stop + 1;
  }
  return result;
}

class HelpLayout : public CLI::Formatter {
public:
  explicit HelpLayout(std::string usage) : usage_(std::move(usage)) {
    column_width(name_width);
    label("Positionals", "Arguments");
  }
  std::string make_usage(const CLI::App*, std::string) const override { return "\nUsage: " + usage_ + "\n"; }
  // Only what a reader needs: not the types and limits that CLI11 would add.
  std::string make_option_opts(const CLI::Option* option) const override {
    return option->get_type_name().empty() || option->get_positional() ? "" : " " + value_name(*option);
  }
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at))
      text.erase(at, 1);
    return text;
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return wrapped(option->get_description(), line_width - name_width);
  }

private:
  // CLI11 appends the names of checks to the type: "T:INT in [0 - 1024]".
  static std::string value_name(const CLI::Option& option) {
    const std::string name = option.get_type_name();
    return name.substr(0, name.find(':'));
  }

  std::string usage_;
};

} // namespace

CLI::App& add_command(CLI::App& app, const std::string& name, const std::string& description,
                      const std::string& usage, const std::string& examples) {
  CLI::App& command = *app.add_subcommand(name, description);
  command.group("Commands");
  lay_out_help(command, usage, "Examples:\n" + examples);
  return command;
}

void lay_out_help(CLI::App& app, const std::string& usage, const std::string& footer) {
  app.formatter(std::make_shared<HelpLayout>(usage));
  app.footer(footer);
  app.get_help_ptr()->description("Print this help and stop")->group("General");
}

} // namespace lacuna::cli
