#pragma once

#include <string>
#include <string_view>

#include <c10/util/Exception.h>

#include "lacuna/core/errors.hpp"

namespace lacuna {

/// Whether memory ran out, on a GPU or, where libtorch computes on the CPU, there: it has one type of
/// exception for nearly everything.
inline bool is_out_of_memory(std::string_view text) {
  for (const char* words : {"out of memory", "can't allocate memory", "CUBLAS_STATUS_ALLOC_FAILED"})
    if (text.find(words) != text.npos) return true;
  return false;
}

/// Does work of libtorch's, with its exceptions turned into ours. They carry a stack trace of many lines; the
/// first line is for people.
template <typename Work>
auto guarded(const Work& work) {
  try {
    return work();
  } catch (const c10::Error& error) {
    const std::string text = error.what_without_backtrace();
    throw Error(is_out_of_memory(text) ? ErrorKind::no_resources : ErrorKind::internal,
                "libtorch: " + text.substr(0, text.find('\n')));
  }
}

} // namespace lacuna
