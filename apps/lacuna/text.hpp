#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna::cli {

/// A text as people may see it: control characters, those that turn the direction of writing, and bytes that
/// are no UTF-8 become escapes (\x1b, \u202e), since a terminal would obey them. Lines and tabs stay.
std::string shown(std::string_view text);
/// A name in one line: its line ends and tabs become escapes, too.
std::string shown_name(std::string_view name);

/// 1234567 as "1,234,567".
std::string grouped(Index number);
/// "1 row", "2 rows".
std::string counted(Index number, const std::string& noun);
/// The first `limit` of some names, as people may see them, with commas between them, and how many more there
/// are.
std::string listed(const std::vector<std::string>& texts, std::size_t limit);

/// A text in lines of at most `width` characters, broken at blanks.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

/// A table of names and numbers, as people may see them: the first column flush left, the others flush right,
/// widths as needed.
class TextTable {
public:
  explicit TextTable(const std::vector<std::string>& header) { add(header); }
  void add(const std::vector<std::string>& row);
  std::string text() const;

private:
  std::vector<std::vector<std::string>> rows_;
};

} // namespace lacuna::cli
