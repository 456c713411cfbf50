#include "lacuna/core/options.hpp"

#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "core/nearest_name.hpp"

namespace lacuna {

namespace {

// The whole text must be the number, never a part of it.
template <class Number>
void parse_whole_text(const OptionInfo& info, const std::string& text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc{} || stop != end) detail::refuse(info, text);
}

template <class Values>
std::string joined(const Values& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

} // namespace

std::string to_string(const OptionValue& value) {
  return std::visit(
      [](const auto& known) -> std::string {
        using Value = std::decay_t<decltype(known)>;
        if constexpr (std::same_as<Value, std::vector<std::string>> ||
                      std::same_as<Value, std::vector<Index>>)
          return joined(known);
        else
          return fmt::format("{}", known);
      },
      value);
}

namespace detail {

void refuse(const OptionInfo& info, const std::string& text) {
  ErrorParts parts;
  parts.option = info.name;
  parts.found = "'" + text + "'";
  parts.expected = info.expected;
  if (const std::string nearest = nearest_name(text, info.choices); !nearest.empty())
    parts.remedy = "did you mean " + nearest + "?";
  throw Error(ErrorKind::usage, std::move(parts));
}

void parse_option(const OptionInfo& info, const std::string& text, bool& value) {
  if (text != "true" && text != "false") refuse(info, text);
  value = text == "true";
}

void parse_option(const OptionInfo& info, const std::string& text, int& value) {
  parse_whole_text(info, text, value);
}

void parse_option(const OptionInfo& info, const std::string& text, Index& value) {
  parse_whole_text(info, text, value);
}

void parse_option(const OptionInfo& info, const std::string& text, std::uint64_t& value) {
  parse_whole_text(info, text, value);
}

void parse_option(const OptionInfo& info, const std::string& text, double& value) {
  parse_whole_text(info, text, value);
}

OptionValue word_value(const OptionInfo& info) {
  if (info.unset == "0") return info.kind == OptionKind::number ? OptionValue(0.0) : OptionValue(Index{0});
  return info.unset;
}

std::string limits_text(const Limits& limits, OptionKind kind) {
  if (kind == OptionKind::flag) return "true or false";
  if (kind != OptionKind::whole && kind != OptionKind::number && kind != OptionKind::wholes) return "";
  std::string text = kind == OptionKind::number  ? "a number"
                     : kind == OptionKind::whole ? "a whole number"
                                                 : "whole numbers";
  if (limits.low && limits.high)
    text += fmt::format(" from {} to {}", *limits.low, *limits.high);
  else if (limits.low)
    text += fmt::format(" of at least {}", *limits.low);
  else if (limits.above)
    text += fmt::format(" above {}", *limits.above);
  if (limits.high && !limits.low)
    text += fmt::format("{} at most {}", limits.above ? " and" : " of", *limits.high);
  if (limits.below) text += fmt::format(" and below {}", *limits.below);
  if (limits.most_values > 0) text += fmt::format(", at most {} of them", limits.most_values);
  if (!limits.unset.empty()) text += ", or " + limits.unset;
  return text;
}

bool within(const Limits& limits, double value) {
  return std::isfinite(value) && !(limits.low && value < *limits.low) &&
         !(limits.above && value <= *limits.above) && !(limits.high && value > *limits.high) &&
         !(limits.below && value >= *limits.below);
}

} // namespace detail

} // namespace lacuna
