#include "data/row_rule.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <string_view>

#include <fmt/format.h>

#include "data/messages.hpp"
#include "data/row_encoder.hpp"
#include "data/table_source.hpp"

namespace lacuna {

namespace {

constexpr const char* option_name = "rule";
constexpr const char* grammar = "conditions such as age < 38 or job = clerk, with and and or between them";

struct Condition {
  std::size_t column = 0;
  std::string sign;
  std::string text;             ///< what the cell is compared with
  std::optional<double> number; ///< the same, where it is one
};

/// Any of the inner lists holds when all of its conditions do.
using Rule = std::vector<std::vector<Condition>>;

[[noreturn]] void refuse_rule(const std::string& rule, const std::string& why) {
  ErrorParts parts;
  parts.option = option_name;
  parts.statement = why;
  parts.found = in_quotes(rule);
  parts.expected = grammar;
  throw Error(ErrorKind::usage, std::move(parts));
}

/// A word of a rule; `is_quoted`: it stood in quotes, so it is no `and`, `or` or sign.
struct Word {
  std::string text;
  bool is_quoted = false;
};

bool is_sign_letter(char c) {
  return c == '<' || c == '>' || c == '=' || c == '!';
}

std::vector<Word> words_of(const std::string& rule) {
  std::vector<Word> words;
  for (std::size_t at = 0; at < rule.size();) {
    const char c = rule[at];
    std::size_t end = at;
    if (c == ' ' || c == '\t') {
      ++at;
      continue;
    }
    if (c == '"' || c == '\'') {
      end = rule.find(c, at + 1);
      if (end == std::string::npos) refuse_rule(rule, "a quote is never closed");
      words.push_back({rule.substr(at + 1, end - at - 1), true});
      at = end + 1;
      continue;
    }
    while (end < rule.size() && rule[end] != ' ' && rule[end] != '\t' &&
           is_sign_letter(rule[end]) == is_sign_letter(c))
      ++end;
    words.push_back({rule.substr(at, end - at), false});
    at = end;
  }
  return words;
}

Condition condition_of(const std::string& rule, const Word& column, const Word& sign, const Word& value,
                       const TableSource& table, const std::string& label) {
  constexpr std::array<std::string_view, 7> signs{"<", "<=", ">", ">=", "=", "==", "!="};
  if (sign.is_quoted || std::ranges::find(signs, sign.text) == signs.end())
    refuse_rule(rule, fmt::format("{} is no sign of a comparison", in_quotes(sign.text)));
  if (column.text == label && !label.empty())
    refuse_rule(rule,
                fmt::format("{} is the label; a rule is about features, or labels would not be missing at "
                            "random",
                            in_quotes(label)));
  Condition condition;
  const std::vector<std::string>& names = table.column_names();
  const auto found = std::ranges::find(names, column.text);
  if (found == names.end()) {
    const std::string hint = nearest_name_hint(column.text, names);
    refuse_rule(rule, fmt::format("the table has no column {}{}", in_quotes(column.text),
                                  hint.empty() ? "" : "; " + hint));
  }
  condition.column = static_cast<std::size_t>(found - names.begin());
  condition.sign = sign.text == "==" ? "=" : sign.text;
  condition.text = std::string(canonical_text(value.text));
  const Number number = parse_number(value.text);
  if (!value.is_quoted && number.kind == NumberKind::finite) condition.number = number.value;
  if (!condition.number && condition.sign != "=" && condition.sign != "!=")
    refuse_rule(rule, fmt::format("{} is no number to compare with", in_quotes(value.text)));
  return condition;
}

Rule parse_rule(const std::string& rule, const TableSource& table, const std::string& label) {
  const std::vector<Word> words = words_of(rule);
  Rule result(1);
  for (std::size_t at = 0;; ++at) {
    if (at + 3 > words.size()) refuse_rule(rule, "a condition is not complete");
    result.back().push_back(condition_of(rule, words[at], words[at + 1], words[at + 2], table, label));
    at += 3;
    if (at == words.size()) return result;
    if (words[at].is_quoted || (words[at].text != "and" && words[at].text != "or"))
      refuse_rule(rule, fmt::format("{} stands where and or or belongs", in_quotes(words[at].text)));
    if (words[at].text == "or") result.emplace_back();
  }
}

bool compare(double cell, const std::string& sign, double value) {
  if (sign == "<") return cell < value;
  if (sign == "<=") return cell <= value;
  if (sign == ">") return cell > value;
  if (sign == ">=") return cell >= value;
  return (cell == value) == (sign == "=");
}

bool holds(const Condition& condition, const TableSource& table) {
  const std::string_view text = table.text(condition.column);
  const Number number = table.number(condition.column);
  if (number.kind == NumberKind::missing) return false;
  if (condition.number && number.kind == NumberKind::finite)
    return compare(number.value, condition.sign, *condition.number);
  if (condition.sign == "=" || condition.sign == "!=")
    return (canonical_text(text) == condition.text) == (condition.sign == "=");
  ErrorParts parts = bad_number(cell_place(table, condition.column), number.kind, text);
  parts.expected += fmt::format(" to compare with {}", condition.text);
  throw Error(ErrorKind::data, std::move(parts));
}

bool holds(const Rule& rule, const TableSource& table) {
  return std::ranges::any_of(rule, [&](const std::vector<Condition>& conditions) {
    return std::ranges::all_of(conditions, [&](const Condition& each) { return holds(each, table); });
  });
}

} // namespace

std::vector<char> rows_by_rule(const std::string& path, const TableOptions& options, const std::string& rule,
                               Observer& observer) {
  const std::unique_ptr<TableSource> table =
      open_table(path, text_format(options, [&](double) { stop_if_cancelled(observer); }));
  const Rule parsed = parse_rule(rule, *table, options.label);
  std::vector<char> rows;
  while (table->next()) rows.push_back(holds(parsed, *table) ? 1 : 0);
  return rows;
}

} // namespace lacuna
