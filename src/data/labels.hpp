#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/table_source.hpp"
#include "data/text_map.hpp"

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
  explicit LabelFile(const std::string& path);
  bool next() { return table_->next(); }
  const TableSource& table() const { return *table_; }

private:
  std::unique_ptr<TableSource> table_;
};

/// Throws Error(data) with both counts unless table and label file both ended after `n_rows` rows. To be
/// called when one of them is at its end.
void check_same_length(TableSource& table, LabelFile& labels, bool table_ended, bool labels_ended);

/// Goes to the next row of a table and, where there is one, of its label file; false at the end. Throws
/// Error(data) with both counts when one of them ends before the other.
bool next_together(TableSource& table, std::optional<LabelFile>& labels);

/// Numbers labels as they come, and sorts the classes at the end.
class LabelCollector {
public:
  /// The label of the next row, empty when missing. `table` and `column` say where it stands.
  void add(std::string_view label, const TableSource& table, std::size_t column);
  /// Adds classes that may have no labeled row. Throws Error(usage) when one means "missing".
  void add_classes(const std::vector<std::string>& classes, const LabelReading& reading);
  /// Class names in order, and for every row its class number or missing_label.
  void finish(std::vector<std::string>& class_names, std::vector<int>& labels);

private:
  int number_of(std::string_view label);

  TextMap<int> numbers_;
  std::vector<std::string> names_;
  std::vector<int> labels_;
};

} // namespace lacuna
