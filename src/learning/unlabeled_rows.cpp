#include "learning/unlabeled_rows.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "core/index.hpp"
#include "core/parallel.hpp"

namespace lacuna {

SeenRows see_rows(const ColumnShapes& shapes, MatrixView rows, int threads) {
  constexpr Index rows_per_task = 4096;
  SeenRows seen{Matrix(rows.n_rows, shapes.n_seen()), std::vector<double>(at(rows.n_rows))};
  parallel_for((rows.n_rows + rows_per_task - 1) / rows_per_task, threads, [&](Index task) {
    const Index end = std::min(rows.n_rows, (task + 1) * rows_per_task);
    for (Index i = task * rows_per_task; i < end; ++i)
      seen.log_jacobian[at(i)] = shapes.see(rows.row(i), seen.features.row(i));
  });
  return seen;
}

std::optional<WeightedRows> UnlabeledRows::next() {
  Index n = 0;
  while (n == 0) { // a block may hold labeled rows only
    if (next_ == table_.n_rows()) return std::nullopt;
    const Index n_read = std::min(table_.rows_per_block(), table_.n_rows() - next_);
    table_.read(next_, n_read, block_);
    Index first = 0; // of the rows between two labeled ones
    const auto move_up = [&](Index end) {
      if (n < first) std::copy(block_.row(first), block_.row(end), block_.row(n));
      n += end - first;
      first = end + 1;
    };
    for (const Index labeled : table_.labeled_among(next_, n_read)) move_up(labeled - next_);
    move_up(n_read);
    next_ += n_read;
    observer_.progress(fmt::format("mixture of the unlabeled rows: pass {}", pass_),
                       static_cast<double>(next_), static_cast<double>(table_.n_rows()));
  }
  const MatrixView rows = block_.view().middle_rows(0, n);
  if (shapes_ == nullptr) return WeightedRows(rows);
  block_ = see_rows(*shapes_, rows, threads_).features;
  return WeightedRows(block_.view());
}

} // namespace lacuna
