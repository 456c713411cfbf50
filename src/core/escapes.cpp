#include "core/escapes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

#include <fmt/format.h>

namespace lacuna {

namespace {

/// A character of a text in UTF-8; one of no bytes where they are none.
struct Character {
  char32_t code = 0;
  std::size_t n_bytes = 0;
};

Character first_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80U) return {first, 1};
  const std::size_t n = first >= 0xF0U ? 4 : first >= 0xE0U ? 3 : 2;
  if (first < 0xC2U || first > 0xF4U || text.size() < n) return {};
  char32_t code = first & (0xFFU >> (n + 1));
  for (std::size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = (code << 6U) | (byte(i) & 0x3FU);
  }
  // Longer than need be, half of a pair, or beyond the last character.
  constexpr std::array<char32_t, 5> smallest{0, 0, 0x80, 0x800, 0x10000};
  const bool is_half = code >= 0xD800 && code <= 0xDFFF;
  return code < smallest.at(n) || is_half || code > 0x10FFFF ? Character{} : Character{code, n};
}

/// Whether a terminal would obey a character instead of showing it.
bool is_obeyed(char32_t code) {
  const auto within = [&](char32_t low, char32_t high) { return code >= low && code <= high; };
  const bool is_control = code < 0x20 || within(0x7F, 0x9F);
  const bool turns =
      code == 0x061C || within(0x200E, 0x200F) || within(0x202A, 0x202E) || within(0x2066, 0x2069);
  const bool ends_line = within(0x2028, 0x2029);
  return is_control || turns || ends_line;
}

} // namespace

std::string escaped(std::string_view text, std::string_view kept) {
  std::string result;
  while (!text.empty()) {
    const Character character = first_character(text);
    const std::size_t n_bytes = std::max<std::size_t>(character.n_bytes, 1);
    if (character.n_bytes == 0)
      result += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    else if (!is_obeyed(character.code) || kept.find(text[0]) != std::string_view::npos)
      result += text.substr(0, n_bytes);
    else
      result += character.code < 0x80 ? fmt::format("\\x{:02x}", static_cast<unsigned>(character.code))
                                      : fmt::format("\\u{:04x}", static_cast<unsigned>(character.code));
    text.remove_prefix(n_bytes);
  }
  return result;
}

} // namespace lacuna
