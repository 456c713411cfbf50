#include "data/table_source.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "data/foreign_files.hpp"
#include "data/messages.hpp"
#include "data/table_files.hpp"

namespace lacuna {

namespace {

bool is_idx(std::string_view head) {
  constexpr std::string_view types = "\x08\x09\x0B\x0C\x0D\x0E";
  return head.size() >= 4 && head[0] == '\0' && head[1] == '\0' && types.find(head[2]) != types.npos;
}

} // namespace

Place TableSource::place() const {
  Place place = in_file(path());
  place.row = row_in_file();
  place.line = line();
  return place;
}

void FileTable::fail_after_row(const Error& error) const {
  ErrorParts parts = error.parts();
  parts.place.row = row();
  parts.statement += row() > 0 ? "; this is the last row that could be read" : "; no row could be read";
  throw Error(error.kind(), std::move(parts));
}

Number TableSource::without_missing(Number number, std::size_t column) const {
  const bool is_missing = number.kind == NumberKind::finite ? missing_values_.contains(number.value)
                                                            : missing_values_.contains(text(column));
  return is_missing ? Number{NumberKind::missing, 0.0} : number;
}

void TableSource::set_named_columns(std::vector<std::string> names, bool is_first_name_empty) {
  column_names_ = std::move(names);
  has_names_ = true;
  is_first_name_empty_ = is_first_name_empty;
}

void TableSource::set_numbered_columns(std::size_t n_columns) {
  column_names_.clear();
  column_names_.reserve(n_columns);
  for (std::size_t j = 0; j < n_columns; ++j) column_names_.push_back(fmt::format("c{}", j));
}

void TableSource::take_columns_of(const TableSource& other) {
  column_names_ = other.column_names_;
  has_names_ = other.has_names_;
  is_first_name_empty_ = other.is_first_name_empty_;
}

std::unique_ptr<TableSource> open_table(const std::string& path, const TextFormat& format) {
  std::vector<std::string> paths = table_files(path);
  std::unique_ptr<TableSource> table = paths.size() > 1 ? open_joined_table(path, std::move(paths), format)
                                                        : open_table_file(paths.front(), format);
  table->missing_values_ = MissingValues(format.missing_values);
  return table;
}

std::unique_ptr<TableSource> open_table_file(const std::string& path, const TextFormat& format) {
  auto bytes = std::make_unique<ByteSource>(path, format.watch);
  const std::string head(bytes->peek(16));
  if (head.empty()) fail_data(in_file(bytes->path()), "the file is empty");
  if (head.starts_with("\x93NUMPY")) return open_npy_table(std::move(bytes));
  if (is_idx(head)) return open_idx_table(std::move(bytes));
  refuse_foreign(bytes->path(), head);
  return open_csv_table(std::move(bytes), format);
}

std::size_t find_column(const TableSource& table, const std::string& role, const std::string& name) {
  const std::vector<std::string>& names = table.column_names();
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  const bool is_other_format = names.size() == 1 && names[0].find_first_of(";\t") != std::string::npos;
  fail_data(in_file(table.name()),
            fmt::format("it has no column {}, asked for as the {}; it has {}", in_quotes(name), role,
                        name_list(names)),
            is_other_format ? "if cells are separated by another character than a comma, name it with " +
                                  mention("separator")
                            : nearest_name_hint(name, names));
}

bool is_time_to_look(const TableSource& table) {
  constexpr Index cells_between_looks = 65536;
  constexpr Index most_rows = 4096;
  const auto n_columns = static_cast<Index>(table.column_names().size());
  return table.row() % std::clamp<Index>(cells_between_looks / std::max<Index>(1, n_columns), 1, most_rows) ==
         0;
}

Place cell_place(const TableSource& table, std::size_t column) {
  Place place = in_column(table.path(), table.column_names()[column]);
  place.row = table.row_in_file();
  place.line = table.line();
  return place;
}

std::string_view checked_text(const TableSource& table, std::size_t column) {
  const std::string_view text = table.text(column);
  if (!is_valid_utf8(text))
    fail_data(cell_place(table, column), "the cell is not text in UTF-8", convert_remedy);
  return text;
}

} // namespace lacuna
