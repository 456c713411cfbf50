#pragma once

#include <stdexcept>
#include <string>
#include <vector>

namespace lacuna {

/// Why something could not be done. Each kind is one exit code of the command-line tool.
enum class ErrorKind {
  usage,        ///< an option or argument is wrong (64)
  data,         ///< the content of an input is wrong (65)
  no_input,     ///< an input does not exist or cannot be opened (66)
  internal,     ///< a defect of lacuna itself (70)
  cannot_write, ///< an output cannot be written (73)
  config,       ///< a configuration file is wrong (78)
  interrupted,  ///< the user asked to stop (130)
};

/// The exit code that belongs to a kind of error.
int exit_code(ErrorKind kind);

/// The one exception of lacuna. Its text names what was found, where, what was expected and the remedy.
class Error : public std::runtime_error {
public:
  Error(ErrorKind kind, const std::string& text) : std::runtime_error(text), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

private:
  ErrorKind kind_;
};

/// Collects the violations of a set of options, so that a user sees all of them at once.
class OptionChecks {
public:
  /// Notes a violation unless `holds`: "max_iterations: got 0, expected at least 1".
  void require(bool holds, const std::string& option, const std::string& got, const std::string& expected);
  /// Throws one Error(usage) that lists every violation, or does nothing when there is none.
  void throw_if_any() const;

private:
  std::vector<std::string> violations_;
};

} // namespace lacuna
