#include "pipeline/labeled_blocks.hpp"

#include <algorithm>

#include "core/index.hpp"

namespace lacuna {

namespace {

constexpr const char* scoring_stage = "scoring";

} // namespace

TableBlocks::TableBlocks(const std::string& path, const TableSchema& schema, const TableOptions& options,
                         const std::vector<std::string>& class_names, const ColumnsBeside& beside,
                         Observer& observer)
    : reader_(path, schema, options, class_names, beside, [&observer](double position) {
        stop_if_cancelled(observer);
        observer.progress(scoring_stage, position, 1.0);
      }) {
  if (const std::string words = reader_.style_words(); !words.empty())
    observer.note("found in " + (path == "-" ? "standard input" : "'" + path + "'") + ": " + words);
}

void TableBlocks::for_each(const std::function<void(const LabeledBlock&)>& work, Observer& observer) {
  TableBlock block;
  while (next(block, rows_per_block, observer))
    work({block.first_row, block.features.view(), block.labels, block.strata});
}

bool TableBlocks::next(TableBlock& block, Index max_rows, Observer& observer) {
  stop_if_cancelled(observer);
  const bool has_rows = reader_.next_sound(block, max_rows);
  stop_if_cancelled(observer);
  observer.progress(scoring_stage, reader_.position(), 1.0);
  if (const Index n = reader_.n_unseen_categories(); !has_rows && n > 0)
    observer.warning(std::to_string(n) + (n == 1 ? " cell holds a category" : " cells hold categories") +
                     " that the training table did not have; they count as unknown");
  return has_rows;
}

void MemoryBlocks::for_each(const std::function<void(const LabeledBlock&)>& work, Observer& observer) {
  for (Index first = 0; first < columns_.n_rows; first += rows_per_block) {
    stop_if_cancelled(observer);
    const Index n = std::min(rows_per_block, columns_.n_rows - first);
    work({first, columns_.middle_rows(first, n), labels_.subspan(at(first), at(n)),
          strata_.empty() ? strata_ : strata_.subspan(at(first), at(n))});
  }
}

} // namespace lacuna
