#include "memory_file.hpp"
#include "table_properties.hpp"

/// The first byte chooses the options, the rest is the file.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const MemoryFile file(data + 1, size - 1);
  lacuna::TableOptions options;
  options.no_header = (data[0] & 1U) == 0;
  if ((data[0] & 2U) != 0) options.missing_label = "-1";
  if ((data[0] & 4U) != 0) options.categorical = {options.no_header ? "c1" : "x"};
  options.code_categories = (data[0] & 16U) != 0;
  if ((data[0] & 8U) != 0)
    options.labels = file.path(); // a file of labels that is its own table
  else
    options.label = options.no_header ? "c0" : "y";
  check_table(file.path(), options, 3);
  return 0;
}
