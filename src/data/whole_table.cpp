#include "data/whole_table.hpp"

#include <algorithm>
#include <utility>

namespace lacuna {

SpooledTable::SpooledTable(std::shared_ptr<const RowSpool> rows, std::vector<Index> kept,
                           std::vector<Index> labeled)
    : WholeTable(rows->n_rows(), std::move(kept), std::move(labeled)), rows_(std::move(rows)) {}

void SpooledTable::show(RowPass& pass, int threads, const Observer& observer) const {
  Matrix block;
  const Index step = passing_block_rows(rows_->n_columns());
  auto labeled_here = labeled().begin();
  for (Index first = 0; first < n_rows(); first += step) {
    stop_if_cancelled(observer);
    const Index n = std::min(step, n_rows() - first);
    rows_->read(first, n, block);
    const auto end = std::lower_bound(labeled_here, labeled().end(), first + n);
    pass.add({.rows = WeightedRows(block.view()),
              .first = first,
              .labeled = {labeled_here, end},
              .n_labeled_before = labeled_here - labeled().begin()},
             threads, observer);
    labeled_here = end;
  }
}

void SpooledTable::require_complete(const std::vector<std::string>& names, const std::string& user) const {
  const std::optional<Index> gap = rows_->first_gap();
  if (!gap) return;
  Matrix row;
  rows_->read(*gap, 1, row);
  lacuna::require_complete(row.view(), names, *gap, user);
}

Index passing_block_rows(Index n_columns) {
  constexpr Index values = 512L * 1024L;
  return std::clamp<Index>(values / n_columns, 1024, 65536);
}

void show_all(const DatasetView& data, RowPass& pass, int threads, const Observer& observer) {
  if (data.whole != nullptr) {
    data.whole->show(pass, threads, observer);
    return;
  }
  std::vector<Index> labeled;
  for (Index i = 0; i < data.n_rows(); ++i)
    if (data.is_labeled(i)) labeled.push_back(i);
  pass.add({.rows = WeightedRows(data.features, data.weights), .labeled = labeled}, threads, observer);
}

void require_complete(const DatasetView& data, const std::vector<std::string>& names,
                      const std::string& user) {
  if (data.whole != nullptr) data.whole->require_complete(names, user);
  require_complete(data.features, names, 0, user);
}

} // namespace lacuna
