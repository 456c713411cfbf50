#include "data/table_style.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "data/messages.hpp"
#include "lacuna/core/options.hpp"

namespace lacuna {

namespace {

constexpr std::array<char, 4> separators{',', ';', '\t', '|'};

using Cells = std::vector<std::string_view>;

/// The complete records of a text, without blank lines; quotes are taken off, but not doubled ones. Text that
/// is not CSV is split somehow: whoever reads it says what is wrong with it.
std::vector<Cells> split_records(std::string_view text, bool is_whole, char separator) {
  std::vector<Cells> records;
  Cells cells;
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t end = 0;
    if (text[at] == '"') {
      std::size_t close = at + 1;
      for (; close < text.size(); ++close) {
        if (text[close] != '"') continue;
        if (close + 1 == text.size() || text[close + 1] != '"') break;
        ++close;
      }
      if (close >= text.size()) break; // it ends beyond the text
      cells.push_back(trim(text.substr(at + 1, close - at - 1)));
      end = close + 1;
      while (end < text.size() && text[end] != separator && text[end] != '\n') ++end;
    } else {
      end = at;
      while (end < text.size() && text[end] != separator && text[end] != '\n') ++end;
      std::string_view cell = text.substr(at, end - at);
      if (cell.ends_with('\r')) cell.remove_suffix(1);
      cells.push_back(trim(cell));
    }
    if (end == text.size() && !is_whole) break;
    at = end + 1;
    if (end < text.size() && text[end] == separator) {
      if (at < text.size()) continue;
      if (!is_whole) break;
      cells.emplace_back();
    }
    if (cells.size() > 1 || !cells[0].empty()) records.push_back(std::move(cells));
    cells.clear();
  }
  return records;
}

/// How the records of a text look when split at one separator.
struct Split {
  char separator = ',';
  std::vector<Cells> records;
  std::size_t n_cells = 0;    ///< in the first record
  std::size_t n_agreeing = 0; ///< records with as many

  bool is_table() const { return n_cells > 1 && n_agreeing == records.size(); }
};

Split split_at(std::string_view text, bool is_whole, char separator) {
  Split split{separator, split_records(text, is_whole, separator)};
  if (split.records.empty()) return split;
  split.n_cells = split.records[0].size();
  split.n_agreeing = static_cast<std::size_t>(std::ranges::count_if(
      split.records, [&](const Cells& cells) { return cells.size() == split.n_cells; }));
  return split;
}

bool is_number(const Number& number) {
  return number.kind != NumberKind::text && number.kind != NumberKind::missing;
}

/// What the first cells of a column tell.
struct ColumnSigns {
  bool has_value = false;
  bool can_have_points = true; ///< every cell is a number with a decimal point, or a whole one
  bool can_have_commas = true;
  bool shows_point = false; ///< some cell is a number only so
  bool shows_comma = false;
  bool is_percent = true;
  bool shows_thousands = false; ///< some cell has a mark between thousands, and can be read in one way only
};

constexpr NumberStyle with_points{Mark::decimal, Mark::unknown};
constexpr NumberStyle with_commas{Mark::unknown, Mark::decimal};

void look_at(std::string_view cell, ColumnSigns& signs) {
  if (is_missing_token(cell)) return;
  signs.has_value = true;
  const bool is_percent = cell.ends_with('%');
  signs.is_percent = signs.is_percent && is_percent;
  NumberStyle points = with_points;
  NumberStyle commas = with_commas;
  points.is_percent = commas.is_percent = is_percent;
  const Number as_point = parse_number(cell, points);
  const Number as_comma = parse_number(cell, commas);
  signs.can_have_points = signs.can_have_points && is_number(as_point);
  signs.can_have_commas = signs.can_have_commas && is_number(as_comma);
  signs.shows_point = signs.shows_point || !is_number(as_comma);
  signs.shows_comma = signs.shows_comma || !is_number(as_point);
  const char thousands = is_number(as_point) ? ',' : '.';
  signs.shows_thousands = signs.shows_thousands ||
                          (is_number(as_point) != is_number(as_comma) && cell.find(thousands) != cell.npos);
}

std::vector<ColumnSigns> signs_of(const Split& split, bool has_header) {
  std::vector<ColumnSigns> signs(split.n_cells);
  for (std::size_t i = has_header ? 1 : 0; i < split.records.size(); ++i) {
    const Cells& cells = split.records[i];
    if (cells.size() != split.n_cells) continue;
    for (std::size_t j = 0; j < cells.size(); ++j)
      if (signs[j].can_have_points || signs[j].can_have_commas) look_at(cells[j], signs[j]);
  }
  return signs;
}

std::string spelled(char separator) {
  return separator == '\t' ? "tab" : fmt::format("'{}'", separator);
}

[[noreturn]] void fail_separators(const std::string& path, char one, char other) {
  fail_data(in_file(path),
            fmt::format("cells may be separated by {} or by {}: its first lines can be read both ways",
                        separator_name(one), separator_name(other)),
            fmt::format("say which with {} {} or {} {}", mention("separator"), spelled(one),
                        mention("separator"), spelled(other)));
}

/// Without a header, 1,5;2,5 is three cells or two numbers.
bool has_decimal_commas_only(const Split& split) {
  bool shows = false;
  for (const ColumnSigns& column : signs_of(split, false)) {
    if (!column.has_value) continue;
    if (!column.can_have_commas) return false;
    shows = shows || column.shows_comma;
  }
  return shows;
}

Split find_split(std::string_view text, bool is_whole, const StyleWishes& wishes, const std::string& path) {
  if (wishes.separator) return split_at(text, is_whole, *wishes.separator);
  Split commas = split_at(text, is_whole, ',');
  if (commas.is_table() && wishes.has_header) return commas;
  std::optional<Split> best;
  for (const char separator : separators) {
    if (separator == ',') continue;
    Split other = split_at(text, is_whole, separator);
    const bool is_clear = other.is_table();
    const bool is_likely =
        other.n_cells > 1 && commas.n_cells == 1 && 2 * other.n_agreeing > other.records.size();
    if (!is_clear && !is_likely) continue;
    if (commas.is_table()) {
      if (is_clear && has_decimal_commas_only(other)) fail_separators(path, ',', separator);
      continue;
    }
    if (best && best->is_table() == is_clear) fail_separators(path, best->separator, separator);
    if (!best || is_clear) best = std::move(other);
  }
  return best ? std::move(*best) : std::move(commas);
}

[[noreturn]] void fail_decimals(const std::string& path) {
  fail_data(in_file(path), "some columns have decimal points and others decimal commas",
            fmt::format("say with {0} . or {0} , which of them numbers have; cells with the other are text",
                        mention("decimal")));
}

void find_numbers(const std::vector<ColumnSigns>& columns, const StyleWishes& wishes, const std::string& path,
                  TableStyle& style) {
  bool shows_point = false;
  bool shows_comma = false;
  bool shows_thousands = false;
  for (const ColumnSigns& column : columns) {
    if (!column.has_value) continue;
    const bool has_points = column.can_have_points && column.shows_point;
    const bool has_commas = column.can_have_commas && column.shows_comma;
    shows_point = shows_point || has_points;
    shows_comma = shows_comma || has_commas;
    shows_thousands = shows_thousands || ((has_points || has_commas) && column.shows_thousands);
  }
  if (wishes.decimal) {
    shows_comma = *wishes.decimal == ',';
    shows_point = !shows_comma;
    shows_thousands = true; // the other mark has no other meaning
  }
  const bool is_mixed = shows_point && shows_comma;
  const Mark other = shows_thousands && !is_mixed ? Mark::thousands : Mark::unknown;
  // What has commas between cells was always read with points where there are any.
  if (is_mixed && style.separator != ',') fail_decimals(path);
  if (shows_point)
    style.numbers = {Mark::decimal, other};
  else if (shows_comma)
    style.numbers = {other, Mark::decimal};
  else if (style.separator != ',')
    style.numbers = {Mark::unknown, Mark::unknown};
}

} // namespace

std::string separator_name(char separator) {
  switch (separator) {
  case ',': return "a comma";
  case ';': return "a semicolon";
  case '\t': return "a tab";
  case '|': return "a vertical bar";
  default: return fmt::format("'{}'", separator);
  }
}

std::string TableStyle::words() const {
  std::vector<std::string> found;
  if (separator != ',' && is_separator_found)
    found.push_back(fmt::format("cells are separated by {}", separator_name(separator)));
  if (numbers.comma == Mark::decimal && is_decimal_found)
    found.push_back(numbers.point == Mark::thousands ? "numbers look like 1.234,5"
                                                     : "numbers have decimal commas");
  if (numbers.comma == Mark::thousands && is_decimal_found) found.push_back("numbers look like 1,234.5");
  if (const auto n = std::ranges::count(is_percent, 1); n > 0)
    found.push_back(
        fmt::format("{} {} percentages, taken as shares", n, n == 1 ? "column holds" : "columns hold"));
  std::string words;
  for (std::size_t i = 0; i < found.size(); ++i)
    words += (i == 0 ? "" : i + 1 < found.size() ? ", " : " and ") + found[i];
  return words;
}

TableStyle find_style(std::string_view beginning, bool is_whole, const StyleWishes& wishes,
                      const std::string& path) {
  const Split split = find_split(beginning, is_whole, wishes, path);
  TableStyle style;
  style.separator = split.separator;
  style.is_separator_found = !wishes.separator;
  style.is_decimal_found = !wishes.decimal;
  const std::vector<ColumnSigns> columns = signs_of(split, wishes.has_header);
  find_numbers(columns, wishes, path, style);
  std::vector<char> is_percent;
  for (const ColumnSigns& column : columns)
    is_percent.push_back(column.has_value && column.is_percent &&
                         (column.can_have_points || column.can_have_commas));
  if (std::ranges::count(is_percent, 1) > 0) style.is_percent = std::move(is_percent);
  return style;
}

} // namespace lacuna
