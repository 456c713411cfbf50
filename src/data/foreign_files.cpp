#include "data/foreign_files.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include <fmt/format.h>

#include "data/messages.hpp"

namespace lacuna {

namespace {

enum class Remedy { none, unpack, pandas, save_as_csv, numpy };

/// What bytes or an ending tell. The remedy's word: a command, or the name of a function.
struct Foreign {
  std::string_view mark;
  const char* what;
  Remedy remedy = Remedy::none;
  const char* word = "";
};

using namespace std::string_view_literals;

constexpr std::array by_bytes{
    Foreign{"\xFD\x37zXZ\x00"sv, "compressed by xz", Remedy::unpack, "xz -dk"},
    Foreign{"\x28\xB5\x2F\xFD"sv, "compressed by zstd", Remedy::unpack, "zstd -d"},
    Foreign{"\x1F\x9D"sv, "compressed by compress", Remedy::unpack, "gzip -dk"},
    Foreign{"7z\xBC\xAF\x27\x1C"sv, "a 7-Zip archive", Remedy::unpack, "7z e"},
    Foreign{"PAR1"sv, "a Parquet file", Remedy::pandas, "read_parquet"},
    Foreign{"ARROW1\x00"sv, "an Arrow or Feather file", Remedy::pandas, "read_feather"},
    Foreign{"\x89HDF"sv, "an HDF5 file", Remedy::pandas, "read_hdf"},
    Foreign{"\xD0\xCF\x11\xE0"sv, "an old Excel file", Remedy::save_as_csv},
    Foreign{"SQLite format 3"sv, "an SQLite database", Remedy::none},
    Foreign{"\xFF\xFE"sv, "text in UTF-16, not UTF-8", Remedy::none},
    Foreign{"\xFE\xFF"sv, "text in UTF-16, not UTF-8", Remedy::none},
};

constexpr std::array zip_by_ending{
    Foreign{".xlsx"sv, "an Excel file", Remedy::save_as_csv},
    Foreign{".xlsm"sv, "an Excel file", Remedy::save_as_csv},
    Foreign{".ods"sv, "an OpenDocument spreadsheet", Remedy::save_as_csv},
    Foreign{".npz"sv, "an NPZ archive", Remedy::numpy},
};

bool ends_in(const std::string& path, std::string_view ending) {
  return path.size() >= ending.size() &&
         std::equal(ending.begin(), ending.end(), path.end() - static_cast<std::ptrdiff_t>(ending.size()),
                    [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

/// A JSON text, if it is one: an object or an array of such.
bool looks_like_json(const std::string& path, std::string_view head) {
  std::string marks;
  for (const char c : head)
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') marks += c;
  const bool begins = marks.starts_with('{') || marks.starts_with('[');
  return marks.starts_with("{\"") || marks.starts_with("[{") ||
         (begins && (ends_in(path, ".json") || ends_in(path, ".jsonl") || ends_in(path, ".ndjson")));
}

std::string remedy_of(const Foreign& foreign, const std::string& path) {
  const std::string file = shell_word(path);
  switch (foreign.remedy) {
  case Remedy::unpack: return fmt::format("unpack it first, with {} {}", foreign.word, file);
  case Remedy::pandas:
    return fmt::format("write it as CSV, in Python with pandas.{}({}).to_csv('table.csv', index=False)",
                       foreign.word, in_quotes(path));
  case Remedy::save_as_csv:
    return "open it in a spreadsheet and save the sheet as CSV in UTF-8; semicolons and decimal commas are "
           "fine";
  case Remedy::numpy:
    return fmt::format("save one array of it, in Python with numpy.save('table.npy', numpy.load({})['NAME'])",
                       in_quotes(path));
  case Remedy::none: break;
  }
  return "write it as CSV in UTF-8";
}

[[noreturn]] void refuse(const std::string& path, const Foreign& foreign) {
  fail_data(in_file(path), fmt::format("it is {}", foreign.what),
            "lacuna reads CSV, NPY and IDX, plain or gzip; " + remedy_of(foreign, path));
}

} // namespace

void refuse_foreign(const std::string& path, std::string_view head) {
  for (const Foreign& foreign : by_bytes)
    if (head.starts_with(foreign.mark)) refuse(path, foreign);
  if (head.starts_with("BZh") && head.size() > 4 && head.substr(4).starts_with("1AY"))
    refuse(path, {"", "compressed by bzip2", Remedy::unpack, "bzip2 -dk"});
  if (head.starts_with("PK\x03\x04")) {
    for (const Foreign& foreign : zip_by_ending)
      if (ends_in(path, foreign.mark)) refuse(path, foreign);
    refuse(path, {"", "a zip archive", Remedy::unpack, "unzip"});
  }
  if (looks_like_json(path, head)) refuse(path, {"", "JSON", Remedy::pandas, "read_json"});
}

} // namespace lacuna
