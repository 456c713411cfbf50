#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "command_line.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "core/files.hpp"
#include "exit_codes.hpp"
#include "lacuna/core/errors.hpp"
#include "output.hpp"
#include "run_command.hpp"
#include "style.hpp"

namespace {

using namespace lacuna;
using namespace lacuna::cli;

int run(int argc, char** argv) {
  const std::vector<std::string> words = typed_words(argc, argv);
  const std::vector<Command> commands = commands_for(words.empty() ? "" : words.front());
  const CommandLine line = read_command_line(commands, words);
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
  return exit_code_of_interrupt();
}

int run_and_report(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const OutputClosed&) {
    std::signal(SIGPIPE, SIG_DFL); // now end as every Unix tool does
    std::raise(SIGPIPE);
    return 0;
  } catch (const Error& error) {
    return fail(error);
  } catch (const std::bad_alloc&) {
    return fail(ErrorKind::no_resources,
                "out of memory: the data or the model does not fit; try fewer rows, fewer "
                "features, fewer components or " +
                    mention("threads") + " 1");
  } catch (const std::system_error& error) {
    const bool is_shortage = error.code() == std::errc::resource_unavailable_try_again ||
                             error.code() == std::errc::not_enough_memory;
    return fail(is_shortage ? ErrorKind::no_resources : ErrorKind::internal,
                (is_shortage ? std::string("the system has no more threads or memory to give: ")
                             : std::string("internal error, please report it: ")) +
                    error.what());
  } catch (const std::exception& error) {
    return fail(ErrorKind::internal, std::string("internal error, please report it: ") + error.what());
  }
}

bool has_ended = false;

/// A library that another one brings along may give up by itself: OpenMP's does without memory or threads,
/// with a line on stderr and exit code 1.
void at_exit() {
  if (has_ended) return;
  remove_part_files();
  _exit(exit_code(ErrorKind::no_resources));
}

[[noreturn]] void end_without_memory() noexcept {
  constexpr std::string_view words = "lacuna: error: out of memory\n";
  [[maybe_unused]] const auto n_written = write(STDERR_FILENO, words.data(), words.size());
  _exit(exit_code(ErrorKind::no_resources));
}

/// Such a library may also let an exception out of a thread of its own, where nobody can catch it, and give
/// it a type of its own. Where so little is not to be had, it was for want of memory.
[[noreturn]] void on_terminate() noexcept {
  constexpr std::size_t little = std::size_t{1} << 20U;
  remove_part_files();
  void* volatile rest = std::malloc(little);
  if (rest == nullptr) end_without_memory();
  try {
    if (const std::exception_ptr failure = std::current_exception()) std::rethrow_exception(failure);
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (...) { // a defect, and its core is of use
  }
  std::abort();
}

/// Objects of the libraries are made before main, and take memory.
[[gnu::constructor(101)]] void watch_from_the_start() {
  std::set_terminate(on_terminate);
}

} // namespace

int main(int argc, char** argv) {
  take_standard_descriptors();
  catch_interrupts();
  std::atexit(at_exit);
  std::signal(SIGPIPE, SIG_IGN); // a closed pipe must not kill us before temporary files are gone
  const int code = run_and_report(argc, argv);
  has_ended = true;
  return code;
}
