#pragma once

#include <string_view>

namespace lacuna {

/// What a cell is when it is read as a feature.
enum class NumberKind {
  finite,    ///< a number one can work with
  missing,   ///< empty, NA, <NA>, ? or NaN
  infinite,  ///< inf
  too_large, ///< beyond largest_feature
  text,      ///< anything else
};

struct Number {
  NumberKind kind = NumberKind::missing;
  double value = 0.0;
};

/// Without spaces and tabs at either end.
inline std::string_view trim(std::string_view text) {
  const auto is_space = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// Reads a trimmed cell; a leading '+' is fine.
Number parse_number(std::string_view cell);

/// The same judgement for a value that is a number already.
Number judge_number(double value);

/// Empty, NA, NaN, nan, <NA> or ?.
bool is_missing_token(std::string_view cell);

/// Whole numbers written as floats become integers ("1.0" -> "1"): pandas writes integer columns with gaps
/// that way. Everything else stays as it is. The result points into `cell` or to a literal.
std::string_view canonical_text(std::string_view cell);

} // namespace lacuna
