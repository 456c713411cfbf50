#pragma once

#include <optional>
#include <string>

#include "lacuna/core/matrix.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/data/table.hpp"

namespace LACUNA_API lacuna {

class RowPass; // src/data/row_pass.hpp

/// All rows of a fit, wherever they lie.
class AllRows {
public:
  virtual ~AllRows() = default;
  /// Every row passes by once. Returns how many there were.
  virtual Index show(RowPass& pass, int threads, const Observer& observer) = 0;
};

/// Rows that come block by block and can be read again: a file, a database cursor, anything that need not fit
/// into memory.
class RowSource : public AllRows {
public:
  /// Starts over: the same rows come again in the same order. Called before the first block, too.
  virtual void rewind() = 0;
  /// The next rows, valid until the next call; nothing at the end.
  virtual std::optional<WeightedRows> next() = 0;

  Index show(RowPass& pass, int threads, const Observer& observer) override;
};

/// The rows of a table file, each with weight one.
class TableRows : public RowSource {
public:
  /// Blocks have up to `block_rows` rows. Throws as TableReader does.
  TableRows(std::string path, TableSchema schema, TableOptions options, Index block_rows = 65536);
  void rewind() override;
  std::optional<WeightedRows> next() override;

private:
  std::string path_;
  TableSchema schema_;
  TableOptions options_;
  Index rows_per_block_;
  std::optional<TableReader> reader_;
  TableBlock block_;
};

} // namespace lacuna
