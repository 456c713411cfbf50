#include "pipeline/tables.hpp"

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

} // namespace lacuna
