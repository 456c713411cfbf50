#include "pipeline/mapped_table.hpp"

#include <utility>

namespace lacuna {

void MappedPass::add(const PassingRows& rows, int threads, const Observer& observer) {
  const Matrix mapped = maps_.apply(rows.rows.features(), {.first_row = rows.first, .threads = threads});
  PassingRows seen = rows;
  seen.rows = WeightedRows(mapped.view());
  show(seen, threads, observer);
}

std::unique_ptr<RowPass> MappedPass::load(const Archive& archive, const std::string& prefix,
                                          std::unique_ptr<RowPass> behind) {
  return std::unique_ptr<RowPass>(new MappedPass(FeatureChain::load(archive, prefix), std::move(behind)));
}

void MappedTable::show(RowPass& pass, int threads, const Observer& observer) const {
  MappedPass mapped(maps_, pass);
  table_.show(mapped, threads, observer);
}

} // namespace lacuna
