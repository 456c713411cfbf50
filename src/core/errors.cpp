#include "lacuna/core/errors.hpp"

#include <algorithm>

#include "core/escapes.hpp"

namespace lacuna {

namespace {

// Stands before and after a mentioned option. A control character that no name of a file, column or class has
// any business to hold; where one does, it is not shown.
constexpr char mark = '\x1f';

std::string place_text(const Place& place) {
  std::string text;
  const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  if (!place.file.empty()) add("'" + escaped(place.file) + "'");
  if (place.row > 0)
    add("row " + std::to_string(place.row) +
        (place.line > 0 ? " (line " + std::to_string(place.line) + ")" : ""));
  else if (place.line > 0)
    add("line " + std::to_string(place.line));
  if (!place.column.empty()) add("column '" + escaped(place.column) + "'");
  return text;
}

std::string marked_text(const ErrorParts& parts) {
  std::string text = place_text(parts.place);
  const auto after_colon = [&](const std::string& part) {
    if (!part.empty()) text += (text.empty() ? "" : ": ") + part;
  };
  after_colon(parts.option.empty() ? "" : mention(parts.option));
  after_colon(parts.statement);
  std::string values = parts.found.empty() ? "" : "got " + parts.found;
  if (!parts.expected.empty()) values += (values.empty() ? "expected " : ", expected ") + parts.expected;
  if (!values.empty()) text += (text.empty() ? "" : parts.statement.empty() ? ": " : "; ") + values;
  if (!parts.remedy.empty()) text += "; " + parts.remedy;
  return text;
}

} // namespace

std::string mention(std::string_view option) {
  return mark + std::string(option) + mark;
}

std::string plain_style(std::string_view option) {
  return std::string(option);
}

std::string with_options(std::string_view text, OptionStyle style) {
  std::string result;
  while (!text.empty()) {
    const std::size_t first = text.find(mark);
    result += text.substr(0, first);
    if (first == std::string_view::npos) break;
    text.remove_prefix(first + 1);
    const std::size_t last = text.find(mark);
    if (last == std::string_view::npos) continue;
    result += style(text.substr(0, last));
    text.remove_prefix(last + 1);
  }
  // Whoever reads it as a C string would miss what follows a zero byte, as the name of a file may hold one.
  for (std::size_t zero = result.find('\0'); zero != std::string::npos; zero = result.find('\0', zero))
    result.replace(zero, 1, "\\x00");
  return result;
}

Error::Error(ErrorKind kind, const std::string& statement)
    : std::runtime_error(with_options(statement, plain_style)), kind_(kind) {
  parts_.statement = statement;
}

Error::Error(ErrorKind kind, ErrorParts parts)
    : std::runtime_error(with_options(marked_text(parts), plain_style)), kind_(kind),
      parts_(std::move(parts)) {}

std::string Error::text(OptionStyle style) const {
  return with_options(marked_text(parts_), style);
}

void OptionChecks::require(bool holds, const std::string& option, const std::string& found,
                           const std::string& expected, const std::string& remedy) {
  if (!holds)
    violations_.push_back({.place = {},
                           .option = option,
                           .statement = {},
                           .found = found,
                           .expected = expected,
                           .remedy = remedy});
}

void OptionChecks::throw_if_any() const {
  if (violations_.empty()) return;
  if (violations_.size() == 1) throw Error(ErrorKind::usage, violations_.front());
  std::string text = "options are outside their limits";
  for (const ErrorParts& violation : violations_) text += "\n  " + marked_text(violation);
  throw Error(ErrorKind::usage, text);
}

} // namespace lacuna
