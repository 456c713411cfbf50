#pragma once

#include <vector>

#include "data/table_source.hpp"
#include "lacuna/data/table.hpp"

namespace lacuna {

/// Turns rows of one table into features as a schema says.
class RowEncoder {
public:
  /// Finds the schema's columns in the table by name; throws Error(data) that names all that are missing. The
  /// schema must outlive the encoder.
  RowEncoder(const TableSchema& schema, const TableSource& table);
  /// Writes the features of the table's current row, NaN where one is missing. Throws Error(data) for a cell
  /// that is no finite number.
  void encode(const TableSource& table, double* features);
  Index n_features() const { return n_features_; }
  Index n_unseen_categories() const { return n_unseen_categories_; }

private:
  struct Slot {
    const TableColumn* column;
    std::size_t place; ///< in the table
  };
  double category_code(const TableSource& table, const Slot& slot);
  void encode_category(const TableSource& table, const Slot& slot, double* features);

  std::vector<Slot> slots_;
  Index n_features_;
  Index n_unseen_categories_ = 0;
};

/// What is wrong with a cell in a column of numbers: found, expected, and a remedy where there is one.
ErrorParts bad_number(Place place, NumberKind kind, std::string_view cell);

} // namespace lacuna
