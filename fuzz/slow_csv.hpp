#pragma once

#include <string>
#include <string_view>
#include <vector>

/// What a text holds as CSV, read byte by byte, as RFC 4180 and docs say: a second opinion about CsvParser.
struct SlowCsv {
  std::vector<std::vector<std::string>> records; ///< those before the first error
  bool is_sound = true;                          ///< false: an error follows them
};

inline SlowCsv read_slowly(std::string_view text, bool keep_blank_lines) {
  SlowCsv result;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  enum class State { start, plain, quoted, closed } state = State::start;
  std::vector<std::string> record;
  std::string field;
  bool is_blank = true; // nothing of the record was seen
  const auto end_record = [&] {
    record.push_back(field);
    if (!is_blank || keep_blank_lines) result.records.push_back(record);
    record.clear();
    field.clear();
    is_blank = true;
    state = State::start;
  };
  const auto fail = [&] {
    result.is_sound = false;
    return result;
  };
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\0') return fail();
    if (state == State::quoted) {
      if (c == '"')
        state = State::closed;
      else
        field += c;
    } else if (c == '"' && state == State::start) {
      is_blank = false;
      state = State::quoted;
    } else if (c == '"' && state == State::closed) { // it was doubled
      field += c;
      state = State::quoted;
    } else if (c == ',') {
      is_blank = false;
      record.push_back(field);
      field.clear();
      state = State::start;
    } else if (c == '\r') {
      if (i + 1 < text.size() && text[i + 1] != '\n') return fail();
      if (i + 1 < text.size()) ++i;
      end_record();
    } else if (c == '\n') {
      end_record();
    } else {
      if (state == State::closed) return fail();
      is_blank = false;
      state = State::plain;
      field += c;
    }
  }
  if (state == State::quoted) return fail();
  if (state != State::start || !record.empty()) end_record();
  return result;
}
