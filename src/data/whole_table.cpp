#include "data/whole_table.hpp"

#include <algorithm>
#include <utility>

namespace lacuna {

WholeTable::WholeTable(std::shared_ptr<const RowSpool> rows, std::vector<Index> kept,
                       std::vector<Index> labeled)
    : rows_(std::move(rows)), kept_(std::make_shared<const std::vector<Index>>(std::move(kept))),
      labeled_(std::make_shared<const std::vector<Index>>(std::move(labeled))) {}

std::shared_ptr<const WholeTable> WholeTable::mapped(Map map) const {
  auto other = std::make_shared<WholeTable>(*this);
  other->map_ = std::move(map);
  return other;
}

std::span<const Index> WholeTable::labeled_among(Index first, Index n) const {
  const auto begin = std::ranges::lower_bound(*labeled_, first);
  return {begin, std::lower_bound(begin, labeled_->end(), first + n)};
}

Index WholeTable::rows_per_block() const {
  constexpr Index values = 512L * 1024L;
  return std::clamp<Index>(values / rows_->n_columns(), 1024, 65536);
}

void WholeTable::read(Index first, Index n, Matrix& into) const {
  if (!map_) {
    rows_->read(first, n, into);
    return;
  }
  Matrix columns;
  rows_->read(first, n, columns);
  into = map_(columns.view(), first);
}

void WholeTable::require_complete(const std::vector<std::string>& names, const std::string& user) const {
  const std::optional<Index> gap = rows_->first_gap();
  if (!gap) return;
  Matrix row;
  rows_->read(*gap, 1, row);
  lacuna::require_complete(row.view(), names, *gap, user);
}

void for_each_block(const DatasetView& data, const Observer& observer,
                    const std::function<void(const PassingRows& block)>& visit) {
  if (data.whole == nullptr) {
    visit({0, data.features, data.weights});
    return;
  }
  const WholeTable& table = *data.whole;
  Matrix rows;
  for (Index first = 0; first < table.n_rows(); first += table.rows_per_block()) {
    stop_if_cancelled(observer);
    table.read(first, std::min(table.rows_per_block(), table.n_rows() - first), rows);
    visit({first, rows.view(), {}});
  }
}

void require_complete(const DatasetView& data, const std::vector<std::string>& names,
                      const std::string& user) {
  if (data.whole != nullptr) data.whole->require_complete(names, user);
  require_complete(data.features, names, 0, user);
}

} // namespace lacuna
