#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

/// What a cell is when it is read as a feature.
enum class NumberKind {
  finite,    ///< a number one can work with
  missing,   ///< empty, NA, <NA>, ? or NaN
  infinite,  ///< inf
  too_large, ///< beyond largest_feature
  ambiguous, ///< 1,234, which may be 1234 or 1.234
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

/// What a point or a comma within a number is.
enum class Mark { decimal, thousands, unknown };

/// How a table writes its numbers. Where nobody knows what a mark is, numbers are read that can be meant in
/// one way only.
struct NumberStyle {
  Mark point = Mark::decimal;
  Mark comma = Mark::unknown;
  bool is_percent = false; ///< of a column: every number has a % behind it, and counts as a share

  bool operator==(const NumberStyle&) const = default;
};

/// Reads a trimmed cell; a leading '+' is fine.
Number parse_number(std::string_view cell);
/// The same for numbers in another style than `NumberStyle{}`, as which the first reads.
Number parse_number(std::string_view cell, const NumberStyle& style);

/// The user's own words for a missing value, beside those of is_missing_token.
class MissingValues {
public:
  explicit MissingValues(const std::vector<std::string>& words = {});
  bool empty() const { return texts_.empty(); }
  /// Numbers are the same however they are written.
  bool contains(std::string_view cell) const;
  bool contains(double value) const;

private:
  std::vector<std::string> texts_;
  std::vector<double> numbers_;
};

/// The same judgement for a value that is a number already.
Number judge_number(double value);

/// Empty, NA, NaN, nan, <NA> or ?.
bool is_missing_token(std::string_view cell);

/// Whole numbers written as floats become integers ("1.0" -> "1"): pandas writes integer columns with gaps
/// that way. Everything else stays as it is. The result points into `cell` or to a literal.
std::string_view canonical_text(std::string_view cell);

} // namespace lacuna
