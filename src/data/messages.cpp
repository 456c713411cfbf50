#include "data/messages.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include "core/escapes.hpp"
#include "core/nearest_name.hpp"

namespace lacuna {

namespace {

constexpr std::size_t longest_quote = 60;
constexpr std::size_t longest_list = 20;

bool is_continuation(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U;
}

/// As people may see it, and cut when long.
std::string shortened(std::string_view text) {
  std::string_view kept = text.substr(0, longest_quote);
  if (kept.size() < text.size())
    while (!kept.empty() && is_continuation(text[kept.size()])) kept.remove_suffix(1);
  return escaped(kept) + (kept.size() < text.size() ? "..." : "");
}

} // namespace

void fail_data(Place place, std::string statement, std::string remedy) {
  ErrorParts parts;
  parts.place = std::move(place);
  parts.statement = std::move(statement);
  parts.remedy = std::move(remedy);
  throw Error(ErrorKind::data, std::move(parts));
}

void fail_value(Place place, std::string found, std::string expected, std::string remedy) {
  ErrorParts parts;
  parts.place = std::move(place);
  parts.found = std::move(found);
  parts.expected = std::move(expected);
  parts.remedy = std::move(remedy);
  throw Error(ErrorKind::data, std::move(parts));
}

void fail_option(const std::string& option, std::string statement, std::string remedy) {
  ErrorParts parts;
  parts.option = option;
  parts.statement = std::move(statement);
  parts.remedy = std::move(remedy);
  throw Error(ErrorKind::usage, std::move(parts));
}

void fail_changed(const std::string& path) {
  fail_data(in_file(path), "it changed while it was read", "try again");
}

Place in_file(const std::string& path) {
  Place place;
  place.file = path;
  return place;
}

Place in_column(const std::string& path, std::string_view column) {
  Place place = in_file(path);
  place.column = shortened(column);
  return place;
}

bool is_valid_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto lead = static_cast<unsigned char>(text[i]);
    const std::size_t length = lead < 0x80   ? 1
                               : lead < 0xC2 ? 0
                               : lead < 0xE0 ? 2
                               : lead < 0xF0 ? 3
                               : lead < 0xF5 ? 4
                                             : 0;
    if (length == 0 || i + length > text.size()) return false;
    for (std::size_t k = 1; k < length; ++k)
      if (!is_continuation(text[i + k])) return false;
    if (length > 2) { // overlong forms, surrogates, beyond U+10FFFF
      const auto second = static_cast<unsigned char>(text[i + 1]);
      if ((lead == 0xE0 && second < 0xA0) || (lead == 0xED && second >= 0xA0) ||
          (lead == 0xF0 && second < 0x90) || (lead == 0xF4 && second >= 0x90))
        return false;
    }
    i += length;
  }
  return true;
}

std::string in_quotes(std::string_view text) {
  return "'" + shortened(text) + "'";
}

std::string name_list(const std::vector<std::string>& names) {
  std::string result;
  for (std::size_t i = 0; i < std::min(names.size(), longest_list); ++i)
    result += (i == 0 ? "" : ", ") + in_quotes(names[i]);
  if (names.size() > longest_list) result += " and " + std::to_string(names.size() - longest_list) + " more";
  return result;
}

std::string nearest_name_hint(std::string_view name, const std::vector<std::string>& names) {
  const std::string nearest = nearest_name(name, names);
  return nearest.empty() ? nearest : "did you mean " + in_quotes(nearest) + "?";
}

std::string shell_word(std::string_view name) {
  const bool is_plain = !name.empty() && std::ranges::all_of(name, [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == '.';
  });
  return is_plain ? std::string(name) : in_quotes(name);
}

} // namespace lacuna
