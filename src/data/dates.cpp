#include "data/dates.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace lacuna {

namespace {

bool is_numeral(char c) {
  return c >= '0' && c <= '9';
}

/// The number of at most four digits that `text` begins with; takes it away.
struct Part {
  int value = 0;
  int n_digits = 0;
};

Part take_part(std::string_view& text) {
  Part part;
  while (!text.empty() && is_numeral(text[0]) && part.n_digits < 5) {
    part.value = 10 * part.value + (text[0] - '0');
    ++part.n_digits;
    text.remove_prefix(1);
  }
  return part;
}

bool takes(std::string_view& text, char c) {
  if (text.empty() || text[0] != c) return false;
  text.remove_prefix(1);
  return true;
}

bool is_day(const Part& part) {
  return part.n_digits >= 1 && part.n_digits <= 2 && part.value >= 1 && part.value <= 31;
}

bool is_month(const Part& part) {
  return is_day(part) && part.value <= 12;
}

bool is_year(const Part& part) {
  return part.n_digits == 4 || part.n_digits == 2;
}

/// "Mar" or "MARCH"; takes it away.
bool takes_month_name(std::string_view& text) {
  constexpr std::array<std::string_view, 12> months{"january",   "february", "march",    "april",
                                                    "may",       "june",     "july",     "august",
                                                    "september", "october",  "november", "december"};
  std::size_t n = 0;
  while (n < text.size() && std::isalpha(static_cast<unsigned char>(text[n])) != 0) ++n;
  const std::string_view word = text.substr(0, n);
  const bool is_name = n >= 3 && std::ranges::any_of(months, [&](std::string_view month) {
                         return (n == 3 || n == month.size()) &&
                                std::equal(word.begin(), word.end(), month.begin(), [](char a, char b) {
                                  return std::tolower(static_cast<unsigned char>(a)) == b;
                                });
                       });
  if (is_name) text.remove_prefix(n);
  return is_name;
}

/// Nothing, or a time behind a space or a T.
bool is_time_or_nothing(std::string_view text) {
  if (text.empty()) return true;
  if (!takes(text, ' ') && !takes(text, 'T')) return false;
  const Part hour = take_part(text);
  if (hour.n_digits == 0 || hour.n_digits > 2 || hour.value > 24 || !takes(text, ':')) return false;
  return take_part(text).n_digits == 2; // seconds and zones in any form
}

bool begins_with_year(std::string_view text) {
  const Part year = take_part(text);
  if (year.n_digits != 4 || text.empty() || std::string_view("-/.").find(text[0]) == std::string_view::npos)
    return false;
  const char mark = text[0];
  if (!takes(text, mark) || !is_month(take_part(text)) || !takes(text, mark)) return false;
  return is_day(take_part(text)) && is_time_or_nothing(text);
}

bool begins_with_day(std::string_view text) {
  const Part first = take_part(text);
  if (!is_day(first) || text.empty() || std::string_view("-/. ").find(text[0]) == std::string_view::npos)
    return false;
  const char mark = text[0];
  takes(text, mark);
  if (!takes_month_name(text)) {
    const Part second = take_part(text);
    if (mark == ' ' || !is_day(second) || (!is_month(first) && !is_month(second))) return false;
  }
  return takes(text, mark) && is_year(take_part(text)) && is_time_or_nothing(text);
}

bool begins_with_month_name(std::string_view text) {
  if (!takes_month_name(text) || !takes(text, ' ') || !is_day(take_part(text))) return false;
  takes(text, ',');
  return takes(text, ' ') && take_part(text).n_digits == 4 && is_time_or_nothing(text);
}

} // namespace

bool is_date(std::string_view cell) {
  return begins_with_year(cell) || begins_with_day(cell) || begins_with_month_name(cell);
}

} // namespace lacuna
