#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lacuna/data/table.hpp"

namespace LACUNA_API lacuna {

/// A CSV cell (RFC 4180): in quotes where it would otherwise be read as something else, or not at all.
std::string csv_cell(std::string_view text);
/// The same, and nothing at all for a text that is empty.
std::string csv_cell_or_nothing(std::string_view text);

/// The names of a table's columns.
std::vector<std::string> table_columns(const std::string& path, const TableOptions& options);

/// Some rows of a table as lines of a CSV file, without the ends of lines.
struct CopiedRows {
  std::string header; ///< the names of all columns
  std::vector<std::string> lines;
};
/// Those rows, by their numbers from 0, in the order in which they are asked for. Throws Error(data) when the
/// table does not have them.
CopiedRows copy_rows(const std::string& path, const TableOptions& options, const std::vector<Index>& rows,
                     Observer& observer);

/// What a copy of a table changes, by row.
struct TableChanges {
  std::span<const char> keeps_label;   ///< otherwise the label's cell becomes empty
  std::string new_column;              ///< the name of a column that is appended
  std::span<const std::string> values; ///< its cells
};

/// Hands the changed table to `write` as CSV; it has a header when the original has one. The labels are in
/// the column `options.label`. Throws Error(data) when the table already has a column of the new name, or
/// another number of rows than the changes.
void copy_table(const std::string& path, const TableOptions& options, const TableChanges& changes,
                const std::function<void(std::string_view)>& write, Observer& observer);

} // namespace lacuna
