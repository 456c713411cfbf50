// The CSV parser against a slow reader of its own, and its numbers against strtod.
#include "data/cells.hpp"
#include "data/csv_parser.hpp"
#include "memory_file.hpp"
#include "properties.hpp"
#include "slow_csv.hpp"

namespace {

void check_number(const std::string& cell) {
  const lacuna::Number number = lacuna::parse_number(cell);
  if (cell.empty() || number.kind == lacuna::NumberKind::text || number.kind == lacuna::NumberKind::missing)
    return;
  char* end = nullptr;
  const double expected = std::strtod(cell.c_str(), &end);
  require(end == cell.c_str() + cell.size());
  switch (number.kind) {
  case lacuna::NumberKind::infinite: return require(std::isinf(expected));
  case lacuna::NumberKind::too_large: return require(std::abs(expected) > 1e99);
  default: return require(number.value == expected || std::abs(expected) < 1e-300); // tiny ones become 0
  }
}

} // namespace

/// The first byte chooses whether blank lines count.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2 || (data[1] == 0x1f && size > 2 && data[2] == 0x8b)) return 0; // gzip is fuzz_csv's
  const bool keeps_blank_lines = (data[0] & 1U) != 0;
  const SlowCsv expected =
      read_slowly({reinterpret_cast<const char*>(data + 1), size - 1}, keeps_blank_lines);
  const MemoryFile file(data + 1, size - 1);
  lacuna::ByteSource source(file.path());
  std::size_t n_records = 0;
  bool is_sound = true;
  try {
    lacuna::CsvParser parser(source, keeps_blank_lines);
    for (; parser.next(); ++n_records) {
      require(n_records < expected.records.size());
      const std::vector<std::string>& record = expected.records[n_records];
      require(parser.n_fields() == record.size());
      for (std::size_t j = 0; j < record.size(); ++j) {
        require(parser.field(j) == record[j]);
        check_number(std::string(lacuna::trim(record[j])));
      }
    }
  } catch (const lacuna::Error& error) {
    require(error.kind() == lacuna::ErrorKind::data);
    is_sound = false;
  }
  require(n_records == expected.records.size() && is_sound == expected.is_sound);
  return 0;
}
