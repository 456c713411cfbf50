#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace LACUNA_API lacuna {

/// Why something could not be done.
enum class ErrorKind {
  usage,        ///< an option or argument is wrong
  data,         ///< the content of an input is wrong
  no_input,     ///< an input does not exist or cannot be opened
  internal,     ///< a defect of lacuna itself
  cannot_write, ///< an output cannot be written
  config,       ///< a configuration file is wrong
  interrupted,  ///< the user asked to stop
  no_resources, ///< the system has not the memory or the threads to give
};

/// The name of an option inside a text: the library does not know how the reader writes options. The command
/// line shows `mention("max_iterations")` as --max-iterations, C++ and Python as max_iterations.
std::string mention(std::string_view option);

/// How an option's name is shown to the reader.
using OptionStyle = std::string (*)(std::string_view option);
/// "max_iterations": as C++ and Python write it.
std::string plain_style(std::string_view option);
/// A text in which every mentioned option is shown in that style.
std::string with_options(std::string_view text, OptionStyle style);

/// Where something was found. What is not known stays empty, or 0.
struct Place {
  std::string file;
  Index row = 0;  ///< from 1, header not counted
  Index line = 0; ///< of the file, from 1
  std::string column;
};

/// What an error has to say, part by part; any of them may be empty.
struct ErrorParts {
  Place place;
  std::string option;    ///< the option that is wrong: "max_iterations"
  std::string statement; ///< what is wrong, in words
  std::string found;     ///< the value found
  std::string expected;  ///< what would have been right
  std::string remedy;    ///< what to do about it
};

/// The one exception of lacuna. `what()` puts its parts into one text, with options in plain style.
class Error : public std::runtime_error {
public:
  Error(ErrorKind kind, const std::string& statement);
  Error(ErrorKind kind, ErrorParts parts);

  ErrorKind kind() const { return kind_; }
  const ErrorParts& parts() const { return parts_; }
  /// The text with options in the reader's style.
  std::string text(OptionStyle style) const;

private:
  ErrorKind kind_;
  ErrorParts parts_;
};

/// Collects the violations of a set of options, so that a user sees all of them at once.
class OptionChecks {
public:
  /// Notes a violation unless `holds`: "max_iterations: got 0, expected at least 1".
  void require(bool holds, const std::string& option, const std::string& found, const std::string& expected,
               const std::string& remedy = "");
  /// Throws one Error(usage) that lists every violation, or does nothing when there is none.
  void throw_if_any() const;

private:
  std::vector<ErrorParts> violations_;
};

} // namespace lacuna
