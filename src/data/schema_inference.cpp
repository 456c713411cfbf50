#include "data/schema_inference.hpp"

#include <string_view>
#include <unordered_set>

#include <fmt/format.h>

#include "data/messages.hpp"
#include "data/row_encoder.hpp"

namespace lacuna {

namespace {

using Names = std::vector<std::string>;

bool has_bad_numbers(const ColumnProfile& profile) {
  return !profile.is_categorical() && !profile.is_empty() && profile.n_bad() > 0;
}

/// How to leave a column out.
std::string drop_words(const std::string& name) {
  return mention("drop") + " " + shell_word(name);
}

/// Tells of one bad cell, and how far the trouble goes.
void check_numbers(const std::vector<ColumnProfile>& profiles, const Names& names) {
  const ColumnProfile* first = nullptr;
  Names others;
  for (const ColumnProfile& profile : profiles) {
    if (!has_bad_numbers(profile)) continue;
    if (first != nullptr) others.push_back(names[profile.column()]);
    if (first == nullptr) first = &profile;
  }
  if (first == nullptr) return;
  const ColumnProfile::BadCell& cell = *first->worst_cell();
  ErrorParts parts = bad_number(cell.place, cell.kind, cell.value);
  std::string& remedy = parts.remedy;
  if (!remedy.empty()) remedy += "; ";
  if (cell.kind == NumberKind::text) {
    parts.expected += " as in most cells of this column";
    remedy +=
        fmt::format("mend the cell, take it for a missing value with {} {}, take the column as categories "
                    "with {} {}, or leave it out with {}",
                    mention("missing_value"), shell_word(cell.value), mention("categorical"),
                    shell_word(names[first->column()]), drop_words(names[first->column()]));
  } else {
    remedy += "mend the cell, or leave the column out with " + drop_words(names[first->column()]);
  }
  if (first->n_bad() > 1) remedy += fmt::format(" ({} cells of this column cannot be used)", first->n_bad());
  if (!others.empty()) remedy += "; such cells are also in " + name_list(others);
  throw Error(ErrorKind::data, std::move(parts));
}

void check_categories(const ColumnProfile& profile, const TableSource& table) {
  const std::string& name = table.column_names()[profile.column()];
  if (profile.has_too_many_categories())
    fail_data(in_column(table.name(), name),
              fmt::format("it has more than {} different categories, so it looks like an identifier",
                          max_categories),
              "leave it out with " + drop_words(name));
  if (profile.foreign_text_place())
    fail_data(*profile.foreign_text_place(), "the cell is not text in UTF-8", convert_remedy);
}

[[noreturn]] void fail_dates(const ColumnProfile& profile, const std::string& name) {
  const ColumnProfile::BadCell& cell = *profile.worst_cell();
  ErrorParts parts;
  parts.place = cell.place;
  parts.statement = "the column holds dates";
  parts.found = in_quotes(cell.value);
  parts.expected = "a number or a category";
  parts.remedy = fmt::format("make numbers of them, such as days since the first one, months or weekdays; or "
                             "leave the column out with {}; with {} {} each date is a category of its own",
                             drop_words(name), mention("categorical"), shell_word(name));
  throw Error(ErrorKind::data, std::move(parts));
}

void note_categories(const std::string& name, std::size_t n_categories, bool is_coded, Index n_rows,
                     Names& notes) {
  std::string note = fmt::format("column {} holds {}{} categories", in_quotes(name),
                                 is_coded ? "" : "text: one feature for each of its ", n_categories);
  if (n_categories > 10 && 2 * static_cast<Index>(n_categories) > n_rows)
    note += ", almost as many as rows; if it is an identifier, leave it out with " + drop_words(name);
  notes.push_back(note);
}

void note_gaps(const std::vector<ColumnProfile>& profiles, const Names& names,
               const std::vector<TableColumn>& columns, Names& notes) {
  Names with_gaps;
  Index n_missing = 0;
  std::unordered_set<std::string_view> with_values; // looked up, not searched: there may be many thousand
  for (const TableColumn& column : columns)
    if (!column.is_categorical || column.is_coded) with_values.insert(column.name);
  for (const ColumnProfile& profile : profiles) {
    const std::string& name = names[profile.column()];
    if (profile.n_missing() == 0 || !with_values.contains(name)) continue;
    with_gaps.push_back(name);
    n_missing += profile.n_missing();
  }
  if (!with_gaps.empty())
    notes.push_back(fmt::format("{} feature {} missing, in {}", n_missing,
                                n_missing == 1 ? "cell is" : "cells are", name_list(with_gaps)));
}

void note_left_out(const Names& names, const std::string& why, Names& notes) {
  if (names.size() == 1) notes.push_back(fmt::format("column {} {}: left out", in_quotes(names[0]), why));
  if (names.size() > 1)
    notes.push_back(fmt::format("{} columns {}: left out {}", names.size(), why, name_list(names)));
}

} // namespace

std::vector<TableColumn> infer_columns(const std::vector<ColumnProfile>& profiles, const TableSource& table,
                                       const TableOptions& options, std::vector<std::string>& notes) {
  const Names& names = table.column_names();
  check_numbers(profiles, names);
  std::vector<TableColumn> columns;
  Names empty;
  Names constant;
  for (const ColumnProfile& profile : profiles) {
    const std::string& name = names[profile.column()];
    const bool is_number = !profile.is_categorical() && !profile.is_empty();
    if (profile.is_constant() && !(options.keep_constant && is_number)) {
      constant.push_back(name);
    } else if (profile.is_empty()) {
      empty.push_back(name);
    } else if (profile.is_categorical()) {
      if (profile.holds_dates()) fail_dates(profile, name);
      check_categories(profile, table);
      columns.push_back({name, true, profile.categories(), options.code_categories});
      note_categories(name, columns.back().categories.size(), options.code_categories, table.row(), notes);
    } else {
      columns.push_back({name, false, {}});
    }
  }
  note_gaps(profiles, names, columns, notes);
  note_left_out(constant, "the same in every row", notes);
  note_left_out(empty, "without any value", notes);
  if (columns.empty())
    fail_data(
        in_file(table.name()),
        fmt::format("it has no feature column: of its {} columns {} hold the same value in every row and "
                    "{} are empty; the others are the label or left out",
                    names.size(), constant.size(), empty.size()));
  return columns;
}

} // namespace lacuna
