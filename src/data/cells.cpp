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

} // namespace

Number judge_number(double value) {
  if (std::abs(value) <= largest_feature) return {NumberKind::finite, value};
  if (std::isnan(value)) return {NumberKind::missing, value};
  return {std::isinf(value) ? NumberKind::infinite : NumberKind::too_large, value};
}

Number parse_number(std::string_view cell) {
  if (cell.empty()) return {NumberKind::missing, 0.0};
  if (const std::optional<double> count = parse_count(cell)) return {NumberKind::finite, *count};
  std::string_view digits = cell;
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  const char* end = digits.data() + digits.size();
  double value = 0.0;
  const auto result = std::from_chars(digits.data(), end, value);
  if (result.ptr == end && result.ec == std::errc{}) return judge_number(value);
  if (result.ptr == end && result.ec == std::errc::result_out_of_range)
    return {rounds_to_zero(digits) ? NumberKind::finite : NumberKind::too_large, 0.0};
  return {is_missing_token(cell) ? NumberKind::missing : NumberKind::text, 0.0};
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
