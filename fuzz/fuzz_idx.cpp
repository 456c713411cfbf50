#include "table_properties.hpp"

/// What stands behind the two zero bytes of the magic number.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  check_array(std::string(2, '\0'), data, size);
  return 0;
}
