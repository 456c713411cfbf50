#pragma once

#include <optional>
#include <vector>

#include "data/whole_table.hpp"
#include "density/column_shapes.hpp"
#include "lacuna/data/row_source.hpp"

namespace lacuna {

/// Rows as shapes see them.
struct SeenRows {
  Matrix features;
  std::vector<double> log_jacobian; ///< one per row
};
SeenRows see_rows(const ColumnShapes& shapes, MatrixView rows, int threads);

/// The rows of a larger table that have no label, in the order of the table; with shapes, as these see them.
/// Borrows all.
class UnlabeledRows : public RowSource {
public:
  UnlabeledRows(const WholeTable& table, const ColumnShapes* shapes, int threads, Observer& observer)
      : table_(table), shapes_(shapes), threads_(threads), observer_(observer) {}
  void rewind() override {
    next_ = 0;
    ++pass_;
  }
  std::optional<WeightedRows> next() override;

private:
  const WholeTable& table_;
  const ColumnShapes* shapes_; ///< may be null
  int threads_;
  Observer& observer_; ///< sees how far a pass is
  int pass_ = 0;
  Index next_ = 0; ///< number of the first row of the next block
  Matrix block_;
};

} // namespace lacuna
