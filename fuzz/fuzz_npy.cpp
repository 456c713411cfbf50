#include "memory_file.hpp"
#include "table_properties.hpp"

/// What stands between the magic bytes and the end of the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::string bytes = "\x93NUMPY";
  bytes.append(reinterpret_cast<const char*>(data), size);
  const MemoryFile file(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  lacuna::TableOptions first_column;
  first_column.label = "c0";
  check_table(file.path(), first_column, 3);
  lacuna::TableOptions labels_beside;
  labels_beside.labels = file.path();
  check_table(file.path(), labels_beside, 2);
  return 0;
}
