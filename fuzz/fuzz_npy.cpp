#include "table_properties.hpp"

/// What stands between the magic bytes and the end of the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_array("\x93NUMPY", data, size);
  return 0;
}
