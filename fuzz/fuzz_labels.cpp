#include "table_properties.hpp"

/// A file of labels beside a sound table of three rows. The first byte chooses the word for "no label".
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  static const std::string text = "x,z\n1,a\n2,b\n4,a\n";
  static const MemoryFile table{text};
  const MemoryFile labels(data + 1, size - 1);
  lacuna::TableOptions options;
  options.labels = labels.path();
  if ((data[0] & 1U) != 0) options.missing_label = "0";
  options.code_categories = (data[0] & 2U) != 0;
  check_table(table.path(), options, 2);
  return 0;
}
