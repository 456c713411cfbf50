#include "text.hpp"

#include <algorithm>

#include "core/escapes.hpp"

namespace lacuna::cli {

namespace {

// How wide a text is on screen: UTF-8 continuation bytes take no place of their own.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

} // namespace

std::string shown(std::string_view text) {
  return escaped(text, "\n\t");
}

std::string shown_name(std::string_view name) {
  return escaped(name);
}

std::string grouped(Index number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    const bool starts_group = i > 0 && (digits.size() - i) % 3 == 0 && digits[i - 1] != '-';
    if (starts_group) text += ',';
    text += digits[i];
  }
  return text;
}

std::string counted(Index number, const std::string& noun) {
  return grouped(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& texts, std::size_t limit) {
  std::string result;
  for (std::size_t i = 0; i < std::min(limit, texts.size()); ++i)
    result += (i == 0 ? "" : ", ") + shown_name(texts[i]);
  if (texts.size() > limit) result += " and " + std::to_string(texts.size() - limit) + " more";
  return result;
}

std::vector<std::string> wrapped(const std::string& text, std::size_t width) {
  std::vector<std::string> lines(1);
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t stop = std::min(text.find(' ', start), text.size());
    const std::string word = text.substr(start, stop - start);
    if (!lines.back().empty() && lines.back().size() + 1 + word.size() > width) lines.emplace_back();
    lines.back() += (lines.back().empty() ? "" : " ") + word;
    start = stop + 1;
  }
  return lines;
}

void TextTable::add(const std::vector<std::string>& row) {
  rows_.emplace_back();
  for (const std::string& cell : row) rows_.back().push_back(shown_name(cell));
}

std::string TextTable::text() const {
  std::vector<std::size_t> widths;
  for (const auto& row : rows_) {
    widths.resize(std::max(widths.size(), row.size()));
    for (std::size_t column = 0; column < row.size(); ++column)
      widths[column] = std::max(widths[column], width_of(row[column]));
  }
  std::string result;
  for (const auto& row : rows_) {
    std::string line;
    for (std::size_t column = 0; column < row.size(); ++column) {
      const std::string padding(widths[column] - width_of(row[column]), ' ');
      line += column == 0 ? row[column] + padding : "  " + padding + row[column];
    }
    line.erase(line.find_last_not_of(' ') + 1);
    result += line + "\n";
  }
  return result;
}

} // namespace lacuna::cli
