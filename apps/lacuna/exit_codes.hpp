#pragma once

#include "lacuna/core/errors.hpp"

namespace lacuna::cli {

/// The exit code of the tool for a kind of error; the table stands in ARCHITECTURE.md.
constexpr int exit_code(ErrorKind kind) {
  switch (kind) {
  case ErrorKind::usage: return 64;
  case ErrorKind::data: return 65;
  case ErrorKind::no_input: return 66;
  case ErrorKind::internal: return 70;
  case ErrorKind::no_resources: return 71;
  case ErrorKind::cannot_write: return 73;
  case ErrorKind::config: return 78;
  case ErrorKind::interrupted: return 130;
  }
  return 70;
}

} // namespace lacuna::cli
