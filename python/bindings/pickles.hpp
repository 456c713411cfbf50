#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <pybind11/pybind11.h>

#include "lacuna/core/archive.hpp"
#include "model_io/archive_file.hpp"

// What can be saved to an archive can be pickled: a pickle holds the bytes of the archive.

namespace lacuna::python {

inline constexpr const char* pickle_prefix = "pickled/";

template <class Thing>
pybind11::bytes to_pickle(const Thing& thing) {
  Archive archive;
  thing.save(archive, pickle_prefix);
  const std::vector<char> bytes = encode_archive(archive);
  return {bytes.data(), bytes.size()};
}

/// The archive of such a pickle; `name` is what errors call it.
inline Archive from_pickle(const pybind11::bytes& state, const std::string& name) {
  return decode_archive(std::string_view(state), name);
}

} // namespace lacuna::python
