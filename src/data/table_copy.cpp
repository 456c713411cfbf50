#include "data/table_copy.hpp"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "data/messages.hpp"
#include "data/table_source.hpp"

namespace lacuna {

namespace {

constexpr std::size_t bytes_per_write = 1 << 16;

std::string header_line(const TableSource& table, const std::string& new_column) {
  std::string line;
  for (std::size_t j = 0; j < table.column_names().size(); ++j)
    line += (j == 0 && table.is_first_name_empty() ? "" : csv_cell(table.column_names()[j])) + ",";
  return line + csv_cell(new_column) + "\n";
}

} // namespace

std::string csv_cell(std::string_view text) {
  if (!text.empty() && text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

std::string csv_cell_or_nothing(std::string_view text) {
  return text.empty() ? std::string() : csv_cell(text);
}

std::vector<std::string> table_columns(const std::string& path, const TableOptions& options) {
  return open_table(path, text_format(options, {}))->column_names();
}

CopiedRows copy_rows(const std::string& path, const TableOptions& options, const std::vector<Index>& rows,
                     Observer& observer) {
  const std::unique_ptr<TableSource> table =
      open_table(path, text_format(options, [&](double) { stop_if_cancelled(observer); }));
  const std::size_t n_columns = table->column_names().size();
  CopiedRows copied;
  for (std::size_t j = 0; j < n_columns; ++j)
    copied.header += (j > 0 ? "," : "") + csv_cell_or_nothing(table->column_names()[j]);
  std::unordered_map<Index, std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) places.emplace(rows[i], i);
  copied.lines.resize(rows.size());
  while (!places.empty() && table->next()) {
    const auto found = places.find(table->row() - 1);
    if (found == places.end()) continue;
    std::string& line = copied.lines[found->second];
    for (std::size_t j = 0; j < n_columns; ++j) {
      if (j > 0) line += ',';
      line += csv_cell_or_nothing(table->text(j));
    }
    places.erase(found);
  }
  if (!places.empty()) fail_changed(path);
  return copied;
}

void copy_table(const std::string& path, const TableOptions& options, const TableChanges& changes,
                const std::function<void(std::string_view)>& write, Observer& observer) {
  const std::unique_ptr<TableSource> table =
      open_table(path, text_format(options, [&](double) { stop_if_cancelled(observer); }));
  const std::size_t label_place = find_column(*table, "label column", options.label);
  if (std::ranges::find(table->column_names(), changes.new_column) != table->column_names().end())
    fail_data(in_file(path), fmt::format("it already has a column {}", in_quotes(changes.new_column)),
              "rename it");
  std::string text = table->has_names() ? header_line(*table, changes.new_column) : std::string();
  while (table->next()) {
    const auto i = static_cast<std::size_t>(table->row() - 1);
    if (i >= changes.keeps_label.size()) fail_changed(path);
    for (std::size_t j = 0; j < table->column_names().size(); ++j) {
      if (j != label_place || changes.keeps_label[i]) text += csv_cell_or_nothing(table->text(j));
      text += ',';
    }
    text += csv_cell(changes.values[i]) + "\n";
    if (text.size() < bytes_per_write) continue;
    stop_if_cancelled(observer);
    write(text);
    text.clear();
  }
  if (table->row() != static_cast<Index>(changes.keeps_label.size())) fail_changed(path);
  write(text);
}

} // namespace lacuna
