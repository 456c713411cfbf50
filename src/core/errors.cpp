#include "lacuna/core/errors.hpp"

namespace lacuna {

int exit_code(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::usage: return 64;
  case ErrorKind::data: return 65;
  case ErrorKind::no_input: return 66;
  case ErrorKind::internal: return 70;
  case ErrorKind::cannot_write: return 73;
  case ErrorKind::config: return 78;
  case ErrorKind::interrupted: return 130;
  }
  return 70;
}

void OptionChecks::require(bool holds, const std::string& option, const std::string& got,
                           const std::string& expected) {
  if (!holds) violations_.push_back(option + ": got " + got + ", expected " + expected);
}

void OptionChecks::throw_if_any() const {
  if (violations_.empty()) return;
  std::string text =
      violations_.size() == 1 ? "an option is outside its limits" : "options are outside their limits";
  for (const std::string& violation : violations_) text += "\n  " + violation;
  throw Error(ErrorKind::usage, text);
}

} // namespace lacuna
