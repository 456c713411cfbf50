#include "lacuna/data/row_source.hpp"

#include <utility>

#include "data/row_pass.hpp"

namespace lacuna {

Index RowSource::show(RowPass& pass, int threads, const Observer& observer) {
  rewind();
  Index first = 0;
  while (const std::optional<WeightedRows> block = next()) {
    stop_if_cancelled(observer);
    pass.add({.rows = *block, .first = first}, threads, observer);
    first += block->size();
  }
  return first;
}

TableRows::TableRows(std::string path, TableSchema schema, TableOptions options, Index block_rows)
    : path_(std::move(path)), schema_(std::move(schema)), options_(std::move(options)),
      rows_per_block_(block_rows) {
  options_.label.clear(); // rows without labels
  options_.labels.clear();
  rewind();
}

void TableRows::rewind() {
  reader_.emplace(path_, schema_, options_, std::vector<std::string>());
}

std::optional<WeightedRows> TableRows::next() {
  if (!reader_->next(block_, rows_per_block_)) return std::nullopt;
  return WeightedRows(block_.features.view());
}

} // namespace lacuna
