#include <csignal>
#include <cstdio>
#include <new>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include "commands.hpp"
#include "console.hpp"
#include "exit_codes.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/version.hpp"
#include "output.hpp"

namespace {

using namespace lacuna;
using namespace lacuna::cli;

int fail(ErrorKind kind, const std::string& text) {
  say("error: " + text);
  return exit_code(kind);
}

int usage_error(const CLI::App& app, const CLI::ParseError& error) {
  std::string name = "lacuna";
  for (const CLI::App* command : app.get_subcommands()) name += " " + command->get_name();
  return fail(ErrorKind::usage, std::string(error.what()) + "; see " + name + " --help");
}

int run(int argc, char** argv) {
  CLI::App app("Classification when labels are missing at random, with an error probability for every row",
               "lacuna");
  app.require_subcommand(0, 1);
  lay_out_help(app, "lacuna COMMAND ...",
               "lacuna COMMAND --help explains a command, with examples. To start: lacuna demo");
  app.set_version_flag("--version", std::string("lacuna ") + version(), "Print the version and stop")
      ->group("General");
  Command command;
  add_fit(app, command);
  add_predict(app, command);
  add_evaluate(app, command);
  add_compare(app, command);
  add_info(app, command);
  add_demo(app, command);
  add_simulate(app, command);
  add_reproduce(app, command);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    print(app.help());
    return 0;
  } catch (const CLI::CallForVersion& version_text) {
    print(std::string(version_text.what()) + "\n");
    return 0;
  } catch (const CLI::ParseError& error) {
    return usage_error(app, error);
  }
  if (!command) {
    std::fputs(app.help().c_str(), stderr);
    return exit_code(ErrorKind::usage);
  }
  command();
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  catch_interrupts();
  std::signal(SIGPIPE, SIG_IGN); // a closed pipe must not kill us before temporary files are gone
  try {
    return run(argc, argv);
  } catch (const OutputClosed&) {
    std::signal(SIGPIPE, SIG_DFL); // now end as every Unix tool does
    std::raise(SIGPIPE);
    return 0;
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::interrupted)
      say("interrupted");
    else
      return fail(error.kind(), error.what());
    return exit_code(error.kind());
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::internal,
                "out of memory: the data or the model does not fit; try fewer rows, fewer "
                "features or fewer components");
  } catch (const std::exception& error) {
    return fail(ErrorKind::internal, std::string("internal error, please report it: ") + error.what());
  }
}
