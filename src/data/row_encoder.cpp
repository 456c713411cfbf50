#include "data/row_encoder.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "data/messages.hpp"
#include "data/text_map.hpp"

namespace lacuna {

namespace {

/// The number in a name like "c12", or nothing for a name that a user gave.
std::optional<std::size_t> numbered_column(const std::string& name) {
  std::size_t number = 0;
  const char* end = name.data() + name.size();
  if (name.size() < 2 || name[0] != 'c') return std::nullopt;
  const auto result = std::from_chars(name.data() + 1, end, number);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return number;
}

/// How many columns a table without names needs for the schema; nothing when the schema goes by real names.
std::optional<std::size_t> n_numbered_columns(const TableSchema& schema) {
  std::size_t n = 0;
  for (const TableColumn& column : schema.columns) {
    const std::optional<std::size_t> number = numbered_column(column.name);
    if (!number) return std::nullopt;
    n = std::max(n, *number + 1);
  }
  return n;
}

constexpr double missing_value = std::numeric_limits<double>::quiet_NaN();

/// The place of a cell's text among the categories of its column.
std::optional<std::size_t> find_category(const TableColumn& column, std::string_view text) {
  const std::string_view cell = canonical_text(text);
  const auto found = std::lower_bound(column.categories.begin(), column.categories.end(), cell);
  if (found == column.categories.end() || *found != cell) return std::nullopt;
  return static_cast<std::size_t>(found - column.categories.begin());
}

[[noreturn]] void fail_missing(const TableSchema& schema, const TableSource& table,
                               const std::vector<std::string>& missing) {
  const std::vector<std::string>& names = table.column_names();
  const std::optional<std::size_t> n_needed = n_numbered_columns(schema);
  if (!table.has_names() && n_needed)
    fail_data(in_file(table.name()),
              fmt::format("it has {} columns, but the model needs {}: it was fitted to a wider table",
                          names.size(), *n_needed));
  std::string remedy;
  if (n_needed)
    remedy = "the model was fitted to a table without column names: pass " + mention("no_header") +
             " if this one has none";
  else if (!table.has_names())
    remedy = "the model goes by names, and this table has none";
  else if (missing.size() == 1)
    remedy = nearest_name_hint(missing[0], names);
  fail_data(in_file(table.name()),
            fmt::format("it lacks {} that the model needs: {}; it has {}",
                        missing.size() == 1 ? "a column" : fmt::format("{} columns", missing.size()),
                        name_list(missing), name_list(names)),
            remedy);
}

} // namespace

ErrorParts bad_number(Place place, NumberKind kind, std::string_view cell) {
  ErrorParts parts;
  parts.place = std::move(place);
  parts.found = in_quotes(cell);
  switch (kind) {
  case NumberKind::infinite: parts.expected = "a finite value, or none"; break;
  case NumberKind::too_large:
    parts.statement = "the value is too large";
    parts.expected = fmt::format("a feature within +-{:g}", largest_feature);
    parts.remedy = "rescale the column";
    break;
  case NumberKind::ambiguous:
    parts.expected = "a number that can be read in one way only";
    parts.remedy = fmt::format("say whether the comma or the point is the decimal mark, with {0} , or {0} .",
                               mention("decimal"));
    break;
  default: parts.expected = "a number";
  }
  return parts;
}

RowEncoder::RowEncoder(const TableSchema& schema, const TableSource& table)
    : n_features_(schema.n_features()) {
  TextMap<std::size_t> places;
  for (std::size_t j = 0; j < table.column_names().size(); ++j) places.emplace(table.column_names()[j], j);
  std::vector<std::string> missing;
  for (const TableColumn& column : schema.columns) {
    const auto found = places.find(column.name);
    if (found == places.end()) {
      missing.push_back(column.name);
    } else {
      slots_.push_back({&column, found->second});
    }
  }
  if (!missing.empty()) fail_missing(schema, table, missing);
}

void RowEncoder::encode(const TableSource& table, double* features) {
  for (const Slot& slot : slots_) {
    if (slot.column->is_coded) {
      *features++ = category_code(table, slot);
      continue;
    }
    if (slot.column->is_categorical) {
      encode_category(table, slot, features);
      features += slot.column->categories.size();
      continue;
    }
    const Number number = table.number(slot.place);
    if (number.kind == NumberKind::missing) {
      *features++ = missing_value;
      continue;
    }
    if (number.kind != NumberKind::finite) {
      ErrorParts parts = bad_number(cell_place(table, slot.place), number.kind, table.text(slot.place));
      parts.remedy += (parts.remedy.empty() ? "" : "; ") + std::string("mend the cell or leave the row out");
      throw Error(ErrorKind::data, std::move(parts));
    }
    *features++ = number.value;
  }
}

double RowEncoder::category_code(const TableSource& table, const Slot& slot) {
  const std::string_view cell = table.text(slot.place);
  if (table.is_missing(cell)) return missing_value;
  if (const std::optional<std::size_t> place = find_category(*slot.column, cell))
    return static_cast<double>(*place);
  // What nobody has seen says nothing: no training row speaks for one class or another.
  ++n_unseen_categories_;
  return missing_value;
}

void RowEncoder::encode_category(const TableSource& table, const Slot& slot, double* features) {
  std::fill_n(features, slot.column->categories.size(), 0.0);
  if (const std::optional<std::size_t> place = find_category(*slot.column, table.text(slot.place)))
    features[*place] = 1.0;
  else
    ++n_unseen_categories_;
}

} // namespace lacuna
