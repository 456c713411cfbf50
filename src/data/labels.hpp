#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/table_source.hpp"
#include "data/text_map.hpp"
#include "lacuna/data/table.hpp"

namespace lacuna {

/// Tells labels from cells that say there is none.
class LabelReading {
public:
  /// `missing_token` is the user's own word for "no label"; empty when there is none.
  explicit LabelReading(std::string_view missing_token);
  /// The label of a trimmed cell in its canonical form, empty when it is missing.
  std::string_view operator()(std::string_view cell) const;

private:
  std::string missing_token_;
};

/// A file with one label per row of a table.
class LabelFile {
public:
  explicit LabelFile(const std::string& path, ReadingWatch watch = {});
  bool next() { return table_->next(); }
  const TableSource& table() const { return *table_; }

private:
  std::unique_ptr<TableSource> table_;
};

/// Goes to the next row of a table and, where there is one, of its label file; false at the end. Throws
/// Error(data) with both counts when one of them ends before the other.
bool next_together(TableSource& table, std::optional<LabelFile>& labels);

/// The labels of a table as class numbers, row by row, from a column or from a file of their own.
class RowLabels {
public:
  /// Labels are where the options say; there are none when they say nothing. `table` must outlive this.
  RowLabels(TableSource& table, const TableOptions& options, const std::vector<std::string>& class_names,
            ReadingWatch watch = {});
  bool has_labels() const { return column_ || file_; }
  /// Goes to the next row of the table, and of its file of labels; as next_together.
  bool next() { return next_together(table_, file_); }
  /// The current row's class number or missing_label. Throws Error(data) for a label that is no class.
  int number() const;

private:
  [[noreturn]] void fail_unknown(std::string_view label) const;

  TableSource& table_;
  LabelReading reading_;
  std::optional<std::size_t> column_;
  std::optional<LabelFile> file_;
  std::vector<std::string> class_names_;
  TextMap<int> numbers_;
};

/// The labels of a table that holds many rows without one.
struct TableLabels {
  std::vector<std::string> class_names; ///< in their order
  std::vector<Index> rows;              ///< numbers of the rows that have a label, rising
  std::vector<int> classes;             ///< of these rows
};

/// Numbers labels as they come, and sorts the classes at the end.
class LabelCollector {
public:
  /// The label of the next row, empty when missing. `table` and `column` say where it stands.
  void add(std::string_view label, const TableSource& table, std::size_t column);
  /// Adds classes that may have no labeled row. Throws Error(usage) when one means "missing".
  void add_classes(const std::vector<std::string>& classes, const LabelReading& reading);
  TableLabels finish();

private:
  int number_of(std::string_view label);

  TextMap<int> numbers_;
  std::vector<std::string> names_;
  Index n_rows_ = 0;
  std::vector<Index> rows_; ///< that have a label
  std::vector<int> labels_; ///< of these
};

} // namespace lacuna
