#pragma once

#include <string>
#include <vector>

namespace lacuna::cli {

/// One `key = value` of a configuration file.
struct ConfigItem {
  std::string key;
  std::vector<std::string> texts; ///< one, or any number for an array
  bool is_array = false;
  long line = 0;
};

/// Reads a flat TOML file: keys with strings, numbers, booleans and arrays of these, in the order of its
/// lines. Throws Error(no_input), or Error(config) that names file and line.
std::vector<ConfigItem> read_config(const std::string& path);

} // namespace lacuna::cli
