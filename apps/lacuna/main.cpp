#include <csignal>
#include <cstdio>
#include <new>

#include "command_line.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "exit_codes.hpp"
#include "lacuna/core/errors.hpp"
#include "output.hpp"
#include "run_command.hpp"
#include "style.hpp"

namespace {

using namespace lacuna;
using namespace lacuna::cli;

int run(int argc, char** argv) {
  const std::vector<Command> commands{fit_command(),      predict_command(),  evaluate_command(),
                                      compare_command(),  info_command(),     demo_command(),
                                      simulate_command(), reproduce_command()};
  const CommandLine line = read_command_line(commands, argc, argv);
  if (line.command != nullptr)
    run_command(*line.command, line.given);
  else if (line.is_text_asked_for)
    print(line.text);
  else
    std::fputs(line.text.c_str(), stderr);
  return line.command != nullptr || line.is_text_asked_for ? 0 : exit_code(ErrorKind::usage);
}

int fail(ErrorKind kind, const std::string& text) {
  say("error: " + text);
  return exit_code(kind);
}

int fail(const Error& error) {
  if (error.kind() != ErrorKind::interrupted)
    // A configuration file has no dashes before its keys.
    return fail(error.kind(), error.text(error.kind() == ErrorKind::config ? key_style : flag_style));
  say("interrupted");
  return exit_code(error.kind());
}

} // namespace

int main(int argc, char** argv) {
  take_standard_descriptors();
  catch_interrupts();
  std::signal(SIGPIPE, SIG_IGN); // a closed pipe must not kill us before temporary files are gone
  try {
    return run(argc, argv);
  } catch (const OutputClosed&) {
    std::signal(SIGPIPE, SIG_DFL); // now end as every Unix tool does
    std::raise(SIGPIPE);
    return 0;
  } catch (const Error& error) {
    return fail(error);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::internal,
                "out of memory: the data or the model does not fit; try fewer rows, fewer "
                "features or fewer components");
  } catch (const std::exception& error) {
    return fail(ErrorKind::internal, std::string("internal error, please report it: ") + error.what());
  }
}
