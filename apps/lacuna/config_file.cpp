#include "config_file.hpp"

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fstream>
#include <iterator>

#include "lacuna/core/errors.hpp"

namespace lacuna::cli {

namespace {

constexpr std::size_t max_file_size = 1 << 20; // a configuration is a page, not a data file

class Parser {
public:
  Parser(std::string path, std::string text) : path_(std::move(path)), text_(std::move(text)) {
    if (text_.starts_with("\xEF\xBB\xBF")) at_ = 3;
  }

  std::vector<ConfigItem> items() {
    std::vector<ConfigItem> result;
    for (skip_blank(true); !at_end(); skip_blank(true)) {
      if (peek() == '[') fail("sections are not used here; write plain 'key = value' lines");
      ConfigItem item = read_item();
      const auto same = [&](const ConfigItem& other) { return other.key == item.key; };
      if (std::any_of(result.begin(), result.end(), same))
        fail("the key '" + item.key + "' stands here twice");
      result.push_back(std::move(item));
      skip_blank(false);
      if (!at_end() && peek() != '\n') fail("expected the end of the line after the value");
    }
    return result;
  }

private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Error(ErrorKind::config, "'" + path_ + "', line " + std::to_string(line_) + ": " + what);
  }

  bool at_end() const { return at_ >= text_.size(); }
  char peek() const { return at_end() ? '\0' : text_[at_]; }
  char take() {
    if (peek() == '\n') ++line_;
    return text_[at_++];
  }

  // Blanks and comments; line ends too where those mean nothing.
  void skip_blank(bool over_lines) {
    while (!at_end()) {
      if (peek() == '#')
        while (!at_end() && peek() != '\n') ++at_;
      else if (peek() == ' ' || peek() == '\t' || peek() == '\r' || (over_lines && peek() == '\n'))
        take();
      else
        return;
    }
  }

  static bool is_bare(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
  }

  ConfigItem read_item() {
    ConfigItem item;
    item.line = line_;
    if (peek() == '"' || peek() == '\'') {
      item.key = read_string();
    } else {
      while (is_bare(peek())) item.key += take();
      if (item.key.empty()) fail("expected 'key = value'");
    }
    skip_blank(false);
    if (peek() != '=') fail("expected '=' after the key '" + item.key + "'");
    take();
    skip_blank(false);
    item.is_array = peek() == '[';
    if (item.is_array)
      item.values = read_array();
    else
      item.values.push_back(read_value());
    return item;
  }

  std::vector<std::string> read_array() {
    std::vector<std::string> values;
    take();
    for (skip_blank(true); peek() != ']'; skip_blank(true)) {
      values.push_back(read_value());
      skip_blank(true);
      if (peek() == ',')
        take();
      else if (peek() != ']')
        fail("expected ',' or ']' in the array");
    }
    take();
    return values;
  }

  std::string read_value() { return peek() == '"' || peek() == '\'' ? read_string() : read_bare_value(); }

  std::string read_string() {
    const char quote = take();
    std::string value;
    while (peek() != quote) {
      if (at_end() || peek() == '\n') fail("the string is not closed");
      value += quote == '"' && peek() == '\\' ? read_escape() : std::string(1, take());
    }
    take();
    return value;
  }

  std::string read_escape() {
    take();
    switch (at_end() ? '\0' : take()) {
    case '"': return "\"";
    case '\\': return "\\";
    case 't': return "\t";
    case 'n': return "\n";
    case 'r': return "\r";
    default: fail("unknown escape in the string; write '...' for a string without escapes");
    }
  }

  // A number or a boolean. Everything else wants quotes, as TOML says.
  std::string read_bare_value() {
    std::string value;
    while (is_bare(peek()) || peek() == '.' || peek() == '+' || peek() == ':') value += take();
    if (value == "true" || value == "false") return value;
    std::string number = value;
    std::erase(number, '_');
    if (number.starts_with('+')) number.erase(0, 1);
    double parsed = 0.0;
    const char* end = number.data() + number.size();
    const auto [stop, status] = std::from_chars(number.data(), end, parsed);
    if (number.empty() || stop != end || status == std::errc::invalid_argument)
      fail("expected a number, true, false, an array or a quoted string" +
           (value.empty() ? std::string() : "; got " + value + " without quotes"));
    return number;
  }

  std::string path_;
  std::string text_;
  std::size_t at_ = 0;
  int line_ = 1;
};

} // namespace

std::vector<ConfigItem> read_config(const std::string& path) {
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(ErrorKind::no_input, "cannot open '" + path + "': " + std::strerror(errno));
  std::string text(max_file_size + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (file.bad()) throw Error(ErrorKind::no_input, "cannot read '" + path + "'");
  text.resize(static_cast<std::size_t>(file.gcount()));
  if (text.size() > max_file_size)
    throw Error(ErrorKind::config, "'" + path + "' is larger than a megabyte; is it a configuration file?");
  return Parser(path, std::move(text)).items();
}

} // namespace lacuna::cli
