#pragma once

#include <cstddef>
#include <string_view>

namespace lacuna {

/// Deeper than anything that lacuna writes.
inline constexpr std::size_t deepest_json = 32;

/// Whether brackets and braces of a JSON text nest deeper than that. Asked before a foreign text becomes a
/// tree: trees are copied and compared level by level, so that a file of brackets would exhaust the stack.
/// What is no JSON is for the parser to tell.
inline bool nests_too_deeply(std::string_view json) {
  std::size_t depth = 0;
  bool is_in_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (is_in_text) {
      if (c == '\\') ++i;
      is_in_text = c != '"';
    } else if (c == '"') {
      is_in_text = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest_json) return true;
    } else if ((c == ']' || c == '}') && depth > 0) {
      --depth;
    }
  }
  return false;
}

} // namespace lacuna
