// How lacuna splits CSV texts: csv_probe TEXTS SCRATCH prints for each text of a JSON array its records, up
// to the first error, and whether there was one. Each text is read from the file SCRATCH.

#include <cstdio>
#include <fstream>
#include <string>

#include <nlohmann/json.hpp>

#include "data/csv_parser.hpp"
#include "lacuna/core/errors.hpp"

namespace {

using nlohmann::json;

json split(const std::string& path) {
  json records = json::array();
  try {
    lacuna::ByteSource source(path);
    lacuna::CsvParser parser(source, true);
    while (parser.next()) {
      json record = json::array();
      for (std::size_t j = 0; j < parser.n_fields(); ++j) record.push_back(parser.field(j));
      records.push_back(std::move(record));
    }
  } catch (const lacuna::Error&) {
    return {{"records", records}, {"is_sound", false}};
  }
  return {{"records", records}, {"is_sound", true}};
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: csv_probe TEXTS SCRATCH\n", stderr);
    return 64;
  }
  json result = json::array();
  for (const std::string text : json::parse(std::ifstream(argv[1]))) {
    std::ofstream(argv[2], std::ios::binary) << text;
    result.push_back(split(argv[2]));
  }
  std::puts(result.dump().c_str());
  return 0;
}
