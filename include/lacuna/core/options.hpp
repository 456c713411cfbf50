#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "lacuna/core/errors.hpp"
#include "lacuna/core/matrix.hpp"

/// Options as data. A struct of options has one table, `static const OptionTable<S>& S::table()`, with a row
/// per field: name, field, one sentence, limits. Checks, flags, help, configuration files, the record inside
/// a model, the reference and the Python package are all made from it, so that they cannot drift apart.

namespace LACUNA_API lacuna {

/// One value of an enumeration and its name at every border. Beside each enumeration of options stands
/// `constexpr auto choice_names(Enum)`, which returns an array of these.
template <class Choice>
struct ChoiceName {
  Choice value;
  std::string_view name;
};
template <class Choice>
ChoiceName(Choice, const char*) -> ChoiceName<Choice>;

template <class Choice>
concept NamedChoice = std::is_enum_v<Choice> && requires(Choice choice) {
  choice_names(choice);
};

template <NamedChoice Choice>
std::string to_string(Choice choice) {
  for (const auto& known : choice_names(choice))
    if (known.value == choice) return std::string(known.name);
  throw Error(ErrorKind::internal, "an option has a value without a name");
}

template <NamedChoice Choice>
std::optional<Choice> find_choice(std::string_view name) {
  for (const auto& known : choice_names(Choice{}))
    if (known.name == name) return known.value;
  return std::nullopt;
}

/// The value of an option as records keep it.
using OptionValue = std::variant<bool, Index, std::uint64_t, double, std::string, std::vector<std::string>,
                                 std::vector<Index>>;
/// As a reader would type it; lists with commas.
std::string to_string(const OptionValue& value);

/// Which values an option may have, beside those of its type.
struct Limits {
  std::optional<double> low = {};   ///< at least
  std::optional<double> above = {}; ///< more than
  std::optional<double> high = {};  ///< at most
  std::optional<double> below = {}; ///< less than
  std::string unset = {};           ///< for a field that may be empty: the word for that
  std::size_t most_values = 0;      ///< for lists; 0: any number
};

enum class OptionKind { flag, whole, number, choice, text, texts, wholes };

/// An option without its struct: what help, references and other languages need to know.
struct OptionInfo {
  std::string name;       ///< "max_iterations": field, Python parameter; flag and key write "max-iterations"
  std::string value_name; ///< "N" in "--max-iterations N"; empty for a flag
  std::string help;       ///< one sentence; it mentions other options by mention()
  OptionKind kind = OptionKind::text;
  std::string expected;              ///< "1 to 1000": the limits in words
  std::vector<std::string> choices;  ///< the names of an enumeration's values
  std::string unset;                 ///< the word that empties the field; empty: it always has a value
  std::string group;                 ///< its heading in the help
  std::vector<std::string> families; ///< the density families that have it; empty: it is not a family's
  std::string feature_map;           ///< the feature map that has it; empty: it is not a map's
  bool is_recorded = true;           ///< whether the record inside a model tells it

  bool is_list() const { return kind == OptionKind::texts || kind == OptionKind::wholes; }
};

/// A row of an option table.
template <class Options>
struct Option : OptionInfo {
  /// Takes "true" or "false" for a flag, any number of texts for a list, one for others. Throws Error(usage).
  std::function<void(Options&, const std::vector<std::string>& texts)> set;
  std::function<OptionValue(const Options&)> get;
  std::function<void(const Options&, OptionChecks&)> check;

  Option in_group(std::string heading) && {
    group = std::move(heading);
    return std::move(*this);
  }
  /// For what says nothing about the result: threads, places of files.
  Option unrecorded() && {
    is_recorded = false;
    return std::move(*this);
  }
};

template <class Options>
using OptionTable = std::vector<Option<Options>>;

template <class Options>
concept HasOptionTable = requires {
  { Options::table() } -> std::convertible_to<const OptionTable<Options>&>;
};

namespace detail {

[[noreturn]] void refuse(const OptionInfo& info, const std::string& text);
void parse_option(const OptionInfo& info, const std::string& text, bool& value);
void parse_option(const OptionInfo& info, const std::string& text, int& value);
void parse_option(const OptionInfo& info, const std::string& text, Index& value);
void parse_option(const OptionInfo& info, const std::string& text, std::uint64_t& value);
void parse_option(const OptionInfo& info, const std::string& text, double& value);

/// The word for an empty field as a value: a number when the word is one.
OptionValue word_value(const OptionInfo& info);

std::string limits_text(const Limits& limits, OptionKind kind);
bool within(const Limits& limits, double value);

template <class Value>
struct OptionField {
  using Single = Value;
  static constexpr OptionKind kind = std::same_as<Value, bool>                       ? OptionKind::flag
                                     : std::floating_point<Value>                    ? OptionKind::number
                                     : std::integral<Value>                          ? OptionKind::whole
                                     : NamedChoice<Value>                            ? OptionKind::choice
                                     : std::same_as<Value, std::string>              ? OptionKind::text
                                     : std::same_as<Value, std::vector<std::string>> ? OptionKind::texts
                                                                                     : OptionKind::wholes;

  static Value parse(const OptionInfo& info, const std::vector<std::string>& texts) {
    if constexpr (kind == OptionKind::texts) {
      return texts;
    } else if constexpr (kind == OptionKind::wholes) {
      Value values;
      for (const std::string& text : texts) parse_option(info, text, values.emplace_back());
      return values;
    } else if constexpr (kind == OptionKind::choice) {
      const std::optional<Value> found = find_choice<Value>(texts.at(0));
      if (!found) refuse(info, texts.at(0));
      return *found;
    } else if constexpr (kind == OptionKind::text) {
      return texts.at(0);
    } else {
      Value value{};
      parse_option(info, texts.at(0), value);
      return value;
    }
  }

  static OptionValue value(const OptionInfo& /*info*/, const Value& value) {
    if constexpr (kind == OptionKind::choice)
      return to_string(value);
    else if constexpr (std::same_as<Value, int>)
      return static_cast<Index>(value);
    else
      return value;
  }

  static void check(const OptionInfo& info, const Limits& limits, const Value& value, OptionChecks& checks) {
    if constexpr (kind == OptionKind::number || kind == OptionKind::whole) {
      checks.require(within(limits, static_cast<double>(value)), info.name,
                     to_string(OptionField::value(info, value)), info.expected);
    } else if constexpr (kind == OptionKind::wholes) {
      bool holds = limits.most_values == 0 || value.size() <= limits.most_values;
      for (const Index each : value) holds = holds && within(limits, static_cast<double>(each));
      checks.require(holds, info.name, to_string(OptionField::value(info, value)), info.expected);
    }
  }
};

/// A field that may be empty, for which there is a word.
template <class Value>
struct OptionField<std::optional<Value>> {
  using Inner = OptionField<Value>;
  using Single = Value;
  static constexpr OptionKind kind = Inner::kind;

  static std::optional<Value> parse(const OptionInfo& info, const std::vector<std::string>& texts) {
    if (texts.at(0) == info.unset) return std::nullopt;
    const Value value = Inner::parse(info, texts);
    // "0.0" where the word is "0".
    if (to_string(Inner::value(info, value)) == info.unset) return std::nullopt;
    return value;
  }
  static OptionValue value(const OptionInfo& info, const std::optional<Value>& value) {
    return value ? Inner::value(info, *value) : word_value(info);
  }
  static void check(const OptionInfo& info, const Limits& limits, const std::optional<Value>& value,
                    OptionChecks& checks) {
    if (value) Inner::check(info, limits, *value, checks);
  }
};

} // namespace detail

/// A row of a table: a field of `Options`, what it is for in one sentence, and its limits.
template <class Options, class Value>
Option<Options> option(std::string name, Value Options::*field, std::string value_name, std::string help,
                       Limits limits = {}) {
  using Field = detail::OptionField<Value>;
  Option<Options> row;
  row.name = std::move(name);
  row.value_name = std::move(value_name);
  row.help = std::move(help);
  row.kind = Field::kind;
  row.unset = limits.unset;
  row.expected = detail::limits_text(limits, row.kind);
  if constexpr (NamedChoice<typename Field::Single>) {
    for (const auto& known : choice_names(typename Field::Single{})) {
      row.choices.emplace_back(known.name);
      row.expected += (row.expected.empty() ? "one of " : ", ") + std::string(known.name);
    }
  }
  const OptionInfo info = row;
  row.set = [info, field](Options& options, const std::vector<std::string>& texts) {
    options.*field = Field::parse(info, texts);
  };
  row.get = [info, field](const Options& options) { return Field::value(info, options.*field); };
  row.check = [info, limits, field](const Options& options, OptionChecks& checks) {
    Field::check(info, limits, options.*field, checks);
  };
  return row;
}

/// A row for a field with a spelling of its own: `parse` makes a value of a text or throws Error(usage),
/// `print` is the way back, `holds` its limits, `expected` both in words.
template <class Options, class Value>
Option<Options> option(std::string name, Value Options::*field, std::string value_name, std::string help,
                       std::string expected, std::function<std::optional<Value>(const std::string&)> parse,
                       std::function<std::string(const Value&)> print,
                       std::function<bool(const Value&)> holds) {
  Option<Options> row;
  row.name = std::move(name);
  row.value_name = std::move(value_name);
  row.help = std::move(help);
  row.expected = std::move(expected);
  const OptionInfo info = row;
  row.set = [info, field, parse](Options& options, const std::vector<std::string>& texts) {
    std::optional<Value> value = parse(texts.at(0));
    if (!value) detail::refuse(info, texts.at(0));
    options.*field = std::move(*value);
  };
  row.get = [field, print](const Options& options) -> OptionValue { return print(options.*field); };
  row.check = [info, field, print, holds](const Options& options, OptionChecks& checks) {
    checks.require(holds(options.*field), info.name, print(options.*field), info.expected);
  };
  return row;
}

/// The row of a part of `Options`, for the table of the whole; `part` leads from a whole to its part.
template <class Options, class Part, class Projection>
Option<Options> row_of(const Option<Part>& inner, Projection part) {
  Option<Options> row;
  static_cast<OptionInfo&>(row) = inner;
  row.set = [inner, part](Options& options, const std::vector<std::string>& texts) {
    inner.set(part(options), texts);
  };
  row.get = [inner, part](const Options& options) { return inner.get(part(options)); };
  row.check = [inner, part](const Options& options, OptionChecks& checks) {
    inner.check(part(options), checks);
  };
  return row;
}

/// The rows of a member of `Options`.
template <class Options, class Part>
OptionTable<Options> rows_of(Part Options::*member) {
  OptionTable<Options> rows;
  for (const Option<Part>& inner : Part::table())
    rows.push_back(row_of<Options>(
        inner, [member](auto& options) -> auto& { return options.*member; }));
  return rows;
}

/// The rows of a base of `Options`.
template <class Options, class Base>
requires std::derived_from<Options, Base> OptionTable<Options> rows_of() {
  OptionTable<Options> rows;
  for (const Option<Base>& inner : Base::table())
    rows.push_back(row_of<Options>(
        inner, [](auto& options) -> auto& { return options; }));
  return rows;
}

/// Notes every option outside its limits. A struct with limits that concern several fields has
/// `void check_together(OptionChecks&) const`.
template <HasOptionTable Options>
void check_options(const Options& options, OptionChecks& checks) {
  for (const Option<Options>& row : Options::table()) row.check(options, checks);
  if constexpr (requires { options.check_together(checks); }) options.check_together(checks);
}

/// Throws Error(usage) that lists every option outside its limits.
template <HasOptionTable Options>
void check_options(const Options& options) {
  OptionChecks checks;
  check_options(options, checks);
  checks.throw_if_any();
}

} // namespace lacuna
