#include "data/cells.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "lacuna/data/dataset.hpp"

namespace lacuna {

namespace {

/// Whether a number beyond the range of double is out on the small side ("1e-400").
bool rounds_to_zero(std::string_view text) {
  const std::size_t e = text.find_first_of("eE");
  const std::string_view mantissa = text.substr(0, e);
  long exponent = 0;
  if (e != std::string_view::npos) {
    std::string_view digits = text.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    int parsed = 0;
    const auto result = std::from_chars(digits.data(), digits.data() + digits.size(), parsed);
    if (result.ec == std::errc::result_out_of_range) return digits.starts_with('-');
    exponent = parsed;
  }
  const std::size_t leading = mantissa.find_first_of("123456789");
  if (leading == std::string_view::npos) return true;
  const auto point = static_cast<long>(std::min(mantissa.find('.'), mantissa.size()));
  return point - static_cast<long>(leading) + exponent <= 0;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// Short whole numbers without a sign: most cells of coded columns, and much quicker than the general way.
std::optional<double> parse_count(std::string_view cell) {
  if (cell.size() > 15) return std::nullopt; // beyond 2^53 digits would get lost
  std::int64_t value = 0;
  for (const char c : cell) {
    if (!is_digit(c)) return std::nullopt;
    value = 10 * value + (c - '0');
  }
  return static_cast<double>(value);
}

constexpr Number no_number{NumberKind::text, 0.0};

/// A cell that is not empty, as a number with a decimal point and without thousands; or it is text.
[[gnu::always_inline]] inline Number parse_plain(std::string_view cell) {
  if (const std::optional<double> count = parse_count(cell)) return {NumberKind::finite, *count};
  std::string_view digits = cell;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  const char* end = digits.data() + digits.size();
  double value = 0.0;
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ptr == end && result.ec == std::errc{}) return judge_number(value);
  if (result.ptr == end && result.ec == std::errc::result_out_of_range)
    return {rounds_to_zero(digits) ? NumberKind::finite : NumberKind::too_large, 0.0};
  return no_number;
}

bool is_number(const Number& number) {
  return number.kind != NumberKind::text;
}

constexpr std::string_view no_break_space = "\xC2\xA0";
constexpr std::string_view narrow_space = "\xE2\x80\xAF";

/// What stands between thousands at the start of `text`; empty where nothing does.
std::string_view thousands_mark(std::string_view text, char decimal) {
  for (const std::string_view mark : {std::string_view("."), std::string_view(","), std::string_view(" "),
                                      std::string_view("'"), no_break_space, narrow_space})
    if (text.starts_with(mark) && mark[0] != decimal) return mark;
  return {};
}

/// A number as its parts: "-1.234,5e3" with a decimal comma.
struct NumberParts {
  std::string plain;     ///< "-1234.5e3"
  std::string_view mark; ///< between its thousands; empty: they are not set apart
  int n_marks = 0;
  bool has_decimal = false;
};

/// Nothing where the text is no number whose decimal mark is this one.
std::optional<NumberParts> take_apart(std::string_view text, char decimal) {
  constexpr std::size_t longest = 200;
  if (text.size() > longest) return std::nullopt;
  NumberParts parts;
  if (!text.empty() && (text[0] == '-' || text[0] == '+')) {
    if (text[0] == '-') parts.plain += '-';
    text.remove_prefix(1);
  }
  const auto take_digits = [&] {
    std::size_t n = 0;
    while (n < text.size() && is_digit(text[n])) ++n;
    parts.plain += text.substr(0, n);
    text.remove_prefix(n);
    return n;
  };
  const bool may_have_thousands = !text.empty() && text[0] >= '1' && text[0] <= '9';
  std::size_t n_digits = take_digits();
  for (bool is_short = n_digits <= 3 && may_have_thousands; is_short;) {
    const std::string_view mark = thousands_mark(text, decimal);
    if (mark.empty() || (parts.n_marks > 0 && mark != parts.mark)) break;
    parts.mark = mark;
    ++parts.n_marks;
    text.remove_prefix(mark.size());
    if (take_digits() != 3) return std::nullopt;
  }
  if (!text.empty() && text[0] == decimal) {
    parts.has_decimal = true;
    parts.plain += '.';
    text.remove_prefix(1);
    n_digits += take_digits();
  }
  if (n_digits == 0) return std::nullopt;
  if (!text.empty() && (text[0] == 'e' || text[0] == 'E') && parts.n_marks == 0) {
    parts.plain += text;
    text = {};
  }
  if (!text.empty()) return std::nullopt;
  return parts;
}

/// The cell read with this decimal mark; text where it is no number then, ambiguous where the other mark may
/// be the decimal one.
Number parse_with(std::string_view cell, char decimal, Mark other) {
  const std::optional<NumberParts> parts = take_apart(cell, decimal);
  if (!parts) return no_number;
  if (parts->n_marks == 1 && !parts->has_decimal && other != Mark::thousands) {
    if (parts->mark == "." || parts->mark == ",") return {NumberKind::ambiguous, 0.0};
    if (parts->mark == " " || parts->mark == "'") return no_number; // "110 001" may be a code
  }
  return parse_plain(parts->plain);
}

/// Where nobody knows what marks are: as both readings agree, and ambiguous where they do not.
Number parse_unsure(std::string_view cell) {
  const Number with_point = parse_with(cell, '.', Mark::unknown);
  const Number with_comma = parse_with(cell, ',', Mark::unknown);
  if (!is_number(with_point)) return with_comma;
  if (!is_number(with_comma) || with_comma.kind == with_point.kind) return with_point;
  return {NumberKind::ambiguous, 0.0};
}

Number parse_percent(std::string_view cell, const NumberStyle& style) {
  if (!cell.ends_with('%')) return no_number;
  cell.remove_suffix(1);
  for (const std::string_view space : {no_break_space, narrow_space})
    if (cell.ends_with(space)) cell.remove_suffix(space.size());
  Number number = parse_number(trim(cell), {style.point, style.comma});
  if (number.kind == NumberKind::missing) return no_number;
  number.value /= 100.0;
  return number;
}

} // namespace

Number judge_number(double value) {
  if (std::abs(value) <= largest_feature) return {NumberKind::finite, value};
  if (std::isnan(value)) return {NumberKind::missing, value};
  return {std::isinf(value) ? NumberKind::infinite : NumberKind::too_large, value};
}

Number parse_number(std::string_view cell) {
  if (cell.empty()) return {NumberKind::missing, 0.0};
  const Number number = parse_plain(cell);
  if (is_number(number)) return number;
  if (is_missing_token(cell)) return {NumberKind::missing, 0.0};
  return parse_with(cell, '.', Mark::unknown);
}

Number parse_number(std::string_view cell, const NumberStyle& style) {
  if (is_missing_token(cell)) return {NumberKind::missing, 0.0};
  if (style.is_percent) return parse_percent(cell, style);
  if (style.point == Mark::decimal || cell.find('.') == std::string_view::npos) {
    const Number number = parse_plain(cell);
    if (is_number(number)) return number;
  }
  if (style.point == Mark::decimal) return parse_with(cell, '.', style.comma);
  if (style.comma == Mark::decimal) return parse_with(cell, ',', style.point);
  return parse_unsure(cell);
}

MissingValues::MissingValues(const std::vector<std::string>& words) {
  for (const std::string& word : words) {
    texts_.emplace_back(canonical_text(trim(word)));
    const Number number = parse_number(texts_.back());
    if (number.kind == NumberKind::finite) numbers_.push_back(number.value);
  }
}

bool MissingValues::contains(std::string_view cell) const {
  if (std::ranges::find(texts_, canonical_text(cell)) != texts_.end()) return true;
  if (numbers_.empty()) return false;
  const Number number = parse_number(cell);
  return number.kind == NumberKind::finite && contains(number.value);
}

bool MissingValues::contains(double value) const {
  return std::ranges::find(numbers_, value) != numbers_.end();
}

bool is_missing_token(std::string_view cell) {
  return cell.empty() || cell == "NA" || cell == "NaN" || cell == "nan" || cell == "<NA>" || cell == "?";
}

std::string_view canonical_text(std::string_view cell) {
  const std::size_t point = cell.find('.');
  if (point == std::string_view::npos) return cell;
  const std::string_view whole = cell.substr(0, point);
  const std::string_view digits = whole.starts_with('-') ? whole.substr(1) : whole;
  if (digits.empty() || !std::ranges::all_of(digits, is_digit)) return cell;
  if (!std::ranges::all_of(cell.substr(point + 1), [](char c) { return c == '0'; })) return cell;
  return whole == "-0" ? std::string_view("0") : whole;
}

} // namespace lacuna
