#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lacuna/core/observer.hpp"
#include "lacuna/data/table.hpp"

namespace LACUNA_API lacuna {

/// Large enough to keep threads busy, small enough to need no memory to speak of.
inline constexpr Index rows_per_block = 16384;

/// Some rows, encoded as a schema says, with what is known about them.
struct LabeledBlock {
  Index first_row = 0; ///< number of the first in its table, from 0
  MatrixView columns;
  std::span<const int> labels;         ///< class number or missing_label; empty unless labels are there
  std::span<const std::string> strata; ///< empty unless strata are there
};

/// Rows that pass by in blocks, from a file or from memory.
class LabeledBlocks {
public:
  virtual ~LabeledBlocks() = default;
  /// Hands every block to `work`, with progress and cancellation. To be called once.
  virtual void for_each(const std::function<void(const LabeledBlock&)>& work, Observer& observer) = 0;
};

/// A table on disk, whose reading is watched, too. Notes how its text is written where that is not as in most
/// files. Warns at the end when categories turned up that the fit
/// had not seen.
class TableBlocks : public LabeledBlocks {
public:
  TableBlocks(const std::string& path, const TableSchema& schema, const TableOptions& options,
              const std::vector<std::string>& class_names, const ColumnsBeside& beside, Observer& observer);
  void for_each(const std::function<void(const LabeledBlock&)>& work, Observer& observer) override;
  /// For who keeps several blocks at once: the next one, or false at the end; with progress and cancellation.
  bool next(TableBlock& block, Index max_rows, Observer& observer);

private:
  TableReader reader_;
};

/// Rows in memory, which are borrowed.
class MemoryBlocks : public LabeledBlocks {
public:
  MemoryBlocks(MatrixView columns, std::span<const int> labels, std::span<const std::string> strata = {})
      : columns_(columns), labels_(labels), strata_(strata) {}
  void for_each(const std::function<void(const LabeledBlock&)>& work, Observer& observer) override;

private:
  MatrixView columns_;
  std::span<const int> labels_;
  std::span<const std::string> strata_;
};

} // namespace lacuna
