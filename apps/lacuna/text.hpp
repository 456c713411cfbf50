#pragma once

#include <string>
#include <vector>

#include "lacuna/core/matrix.hpp"

namespace lacuna::cli {

/// 1234567 as "1,234,567".
std::string grouped(Index number);
/// "1 row", "2 rows".
std::string counted(Index number, const std::string& noun);
/// The first `limit` of some texts with commas between them, and how many more there are.
std::string listed(const std::vector<std::string>& texts, std::size_t limit);

/// A text in lines of at most `width` characters, broken at blanks.
std::vector<std::string> wrapped(const std::string& text, std::size_t width);

/// A table of texts: the first column flush left, the others flush right, widths as needed.
class TextTable {
public:
  explicit TextTable(std::vector<std::string> header) { rows_.push_back(std::move(header)); }
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  std::string text() const;

private:
  std::vector<std::vector<std::string>> rows_;
};

} // namespace lacuna::cli
