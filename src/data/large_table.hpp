#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lacuna/data/table.hpp"

namespace LACUNA_API lacuna {

/// A draw among the rows without a label: the `most` rows whose keys are smallest. Which these are depends on
/// the seed and the rows' numbers alone.
struct RowDraw {
  std::uint64_t seed = 0;
  Index most = 0;
};
/// The key of a row in draws of this seed.
std::uint64_t draw_key(std::uint64_t seed, Index number);

/// What is known of a table before its rows are kept.
struct TableSize {
  Index n_rows = 0;
  Index n_labeled = 0;
  Index n_features = 0;
};
/// Says what stays in memory: nothing for all rows, or those with a label and those that some draws take.
using RowChoice = std::function<std::optional<std::vector<RowDraw>>(const TableSize& size)>;

/// Hears how many columns hold features, as soon as a row is there: to read all of them may take long.
using ColumnCount = std::function<void(Index n_columns)>;

/// The same as read_training_table for a table that may be larger than memory. Where rows are left out, the
/// data set has a WholeTable, and memory does not grow with the rows that have no label.
TrainingTable read_training_table(const std::string& path, const std::vector<std::string>& classes,
                                  const TableOptions& options, const RowChoice& choose,
                                  const ColumnCount& tell, Observer& observer);

} // namespace lacuna
