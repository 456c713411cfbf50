#pragma once

#include <string>
#include <vector>

namespace lacuna::cli {

/// One `key = value` of a configuration file.
struct ConfigItem {
  std::string key;
  std::vector<std::string> values; ///< one text; any number for an array
  bool is_array = false;
  int line = 0;
};

/// Reads a flat TOML file: keys with strings, numbers, booleans and arrays of these. CLI11's own reader is
/// not used because it guesses where TOML is strict: it cuts strings at '#', splits them at blanks and skips
/// short lines. Throws Error(no_input) or Error(config) that names file and line.
std::vector<ConfigItem> read_config(const std::string& path);

} // namespace lacuna::cli
