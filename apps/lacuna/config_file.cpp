#include "config_file.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

#include <fmt/format.h>
#include <toml++/toml.h>

#include "lacuna/core/errors.hpp"

// The one file that knows toml++.

namespace lacuna::cli {

namespace {

constexpr std::size_t max_file_size = 1 << 20; // a configuration is a page, not a data file

std::string read_text(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::no_input, "cannot open '" + path + "': " + std::strerror(errno));
  std::string text(max_file_size + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) throw Error(ErrorKind::no_input, "cannot read '" + path + "'");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > max_file_size)
    throw Error(ErrorKind::config, "'" + path + "' is larger than a megabyte; is it a configuration file?");
  return text;
}

[[noreturn]] void fail(const std::string& path, const toml::source_region& where, std::string statement,
                       std::string remedy) {
  ErrorParts parts;
  parts.place.file = path;
  parts.place.line = where.begin.line;
  parts.statement = std::move(statement);
  parts.remedy = std::move(remedy);
  throw Error(ErrorKind::config, std::move(parts));
}

toml::table parse(const std::string& path) {
  try {
    return toml::parse(read_text(path), path);
  } catch (const toml::parse_error& problem) {
    const std::string statement(problem.description());
    fail(path, problem.source(), statement,
         statement.find("representable") != std::string::npos ? "put so large a number in quotes"
                                                              : "texts stand in quotes, as TOML wants it");
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
  fail(path, value.source(), "the value of '" + key + "' is none that an option has",
       "give a text in quotes, a number, true or false, or an array of these");
}

} // namespace

std::vector<ConfigItem> read_config(const std::string& path) {
  std::vector<ConfigItem> items;
  for (auto&& [name, value] : parse(path)) {
    ConfigItem item;
    item.key = std::string(name.str());
    item.line = name.source().begin.line;
    if (value.is_table() || value.is_array_of_tables())
      fail(path, value.source(), "'" + item.key + "' is a section, and sections are not used here",
           "write plain 'key = value' lines");
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
