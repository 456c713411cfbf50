#include "config_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "lacuna/core/errors.hpp"

// The one file that knows toml++.

namespace lacuna::cli {

namespace {

constexpr std::size_t max_file_size = 1 << 20; // a configuration is a page, not a data file

std::string read_text(const std::string& path) {
  std::error_code unknown; // then opening it says why
  const auto status = std::filesystem::status(path, unknown);
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status))
    throw Error(ErrorKind::no_input,
                "cannot read '" + path +
                    "': it is no regular file; a configuration from a pipe or a device might "
                    "never end; save it to a file first");
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::no_input, "cannot open '" + path + "': " + std::strerror(errno));
  std::string text;
  std::array<char, 4096> part{};
  while (file && text.size() <= max_file_size) {
    file.read(part.data(), part.size());
    text.append(part.data(), static_cast<std::size_t>(file.gcount()));
  }
  if (file.bad()) throw Error(ErrorKind::no_input, "cannot read '" + path + "'");
  if (text.size() > max_file_size)
    throw Error(ErrorKind::config, "'" + path + "' is larger than a megabyte; is it a configuration file?");
  return text;
}

ErrorParts at_line(const std::string& path, long line) {
  ErrorParts parts;
  parts.place.file = path;
  parts.place.line = line;
  return parts;
}

/// The whole line, as the reader of an error knows it; cut when long.
std::string quoted_line(const std::string& text, long line) {
  constexpr std::size_t longest = 60;
  std::istringstream stream(text);
  std::string found;
  for (long i = 0; i < line; ++i) std::getline(stream, found);
  for (char& c : found)
    if (static_cast<unsigned char>(c) < ' ') c = ' ';
  return "'" + (found.size() > longest ? found.substr(0, longest) + "..." : found) + "'";
}

toml::table parse(const std::string& path) {
  const std::string text = read_text(path);
  try {
    return toml::parse(text, std::string_view(path));
  } catch (const toml::parse_error& problem) {
    const std::string description(problem.description());
    const auto tells = [&](const char* words) { return description.find(words) != std::string::npos; };
    ErrorParts parts = at_line(path, problem.source().begin.line);
    parts.statement = "this is not TOML: " + description;
    parts.found = quoted_line(text, parts.place.line);
    if (tells("representable")) parts.remedy = "put so large a number in quotes";
    if (tells("value type")) parts.remedy = "put a text in quotes";
    throw Error(ErrorKind::config, std::move(parts));
  }
}

/// A number keeps its type: 7.0 is no whole number.
std::string number_text(double value) {
  std::string text = fmt::format("{}", value);
  return text.find_first_not_of("-0123456789") == std::string::npos ? text + ".0" : text;
}

std::string value_text(const std::string& path, const std::string& key, const toml::node& value) {
  if (const auto* const text = value.as_string()) return text->get();
  if (const auto* const number = value.as_integer()) return std::to_string(number->get());
  if (const auto* const number = value.as_floating_point()) return number_text(number->get());
  if (const auto* const truth = value.as_boolean()) return truth->get() ? "true" : "false";
  ErrorParts parts = at_line(path, value.source().begin.line);
  parts.statement = "the value of '" + key + "' is none that an option has";
  parts.expected = "a text in quotes, a number, true or false, or an array of these";
  throw Error(ErrorKind::config, std::move(parts));
}

} // namespace

std::vector<ConfigItem> read_config(const std::string& path) {
  std::vector<ConfigItem> items;
  for (auto&& [name, value] : parse(path)) {
    ConfigItem item;
    item.key = std::string(name.str());
    item.line = name.source().begin.line;
    if (value.is_table() || value.is_array_of_tables()) {
      ErrorParts parts = at_line(path, item.line);
      parts.statement = "'" + item.key + "' is a section, and sections are not used here";
      parts.remedy = "write plain 'key = value' lines";
      throw Error(ErrorKind::config, std::move(parts));
    }
    if (const auto* const array = value.as_array()) {
      item.is_array = true;
      for (const toml::node& each : *array) item.texts.push_back(value_text(path, item.key, each));
    } else {
      item.texts.push_back(value_text(path, item.key, value));
    }
    items.push_back(std::move(item));
  }
  std::sort(items.begin(), items.end(),
            [](const ConfigItem& a, const ConfigItem& b) { return a.line < b.line; });
  return items;
}

} // namespace lacuna::cli
