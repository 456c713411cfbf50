// The record inside a model: read, or refused with Error(data); what was read comes back from its own text.
#include <set>

#include "json_mutator.hpp"
#include "pipeline/record_json.hpp"
#include "properties.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  lacuna::FitRecord record;
  try {
    record = lacuna::read_record({reinterpret_cast<const char*>(data), size});
  } catch (const lacuna::Error& error) {
    require_data_error(error);
    return 0;
  }
  // Names that were no UTF-8 may be one name in JSON, where counts of classes go by name.
  const std::set<std::string> names(record.classes.begin(), record.classes.end());
  if (names.size() < record.classes.size()) return 0;
  const std::string once = lacuna::record_json(record);
  require(lacuna::record_json(lacuna::read_record(once)) == once);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  return mutate_json(data, size, max_size, seed);
}
