#include "pipeline/tables.hpp"

#include "lacuna/core/errors.hpp"

namespace lacuna {

void for_each_block(TableReader& reader, Observer& observer,
                    const std::function<void(const TableBlock&)>& work) {
  TableBlock block;
  stop_if_cancelled(observer);
  while (reader.next(block, rows_per_block)) {
    stop_if_cancelled(observer);
    work(block);
    observer.progress("scoring", reader.position(), 1.0);
    stop_if_cancelled(observer);
  }
  if (const Index n = reader.n_unseen_categories(); n > 0)
    observer.warning(std::to_string(n) + (n == 1 ? " cell holds a category" : " cells hold categories") +
                     " that the training table did not have; they count as unknown");
}

void require_one_label_source(const std::string& label_column, const TableOptions& table) {
  if (label_column.empty() == table.labels_path.empty())
    throw Error(ErrorKind::usage, "where are the labels? Give either --label COLUMN, for a column of the "
                                  "table, or --labels FILE, for a file with one label per row");
}

} // namespace lacuna
