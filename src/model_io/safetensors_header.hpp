#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna::safetensors {

/// One tensor as the header describes it. Its numbers are still unchecked against each other and the file.
struct TensorEntry {
  std::string name;
  std::vector<Index> shape;
  std::vector<Index> data_offsets; ///< two: begin and end, counted from the end of the header
  bool is_single = false;          ///< F32, not F64
};

struct Header {
  std::vector<std::pair<std::string, std::string>> metadata; ///< names strictly ascending
  std::vector<TensorEntry> tensors;                          ///< names strictly ascending
};

/// Parses a header without ever building more than it describes: depth, kinds of values and the order of
/// names are checked while reading. Throws Error(data) whose text says what is wrong, not in which file.
Header parse_header(std::string_view text);

} // namespace lacuna::safetensors
