#pragma once

#include <string>

#include <c10/util/Exception.h>

#include "lacuna/core/errors.hpp"

namespace lacuna {

/// Does work of libtorch's, with its exceptions turned into ours. They carry a stack trace of many lines; the
/// first line is for people.
template <typename Work>
auto guarded(const Work& work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    throw Error(ErrorKind::internal, std::string("libtorch: ") + error.what_without_backtrace());
  }
}

} // namespace lacuna
