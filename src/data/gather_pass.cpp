#include "data/gather_pass.hpp"

#include <utility>

#include "core/archive_checks.hpp"

namespace lacuna {

void GatherPass::add(const PassingRows& rows, int /*threads*/, const Observer& /*observer*/) {
  n_columns_ = rows.rows.n_features();
  const Index end = rows.first + rows.rows.size();
  for (Index number = (rows.first + step_ - 1) / step_ * step_; number < end; number += step_) {
    const double* const row = rows.rows.row(number - rows.first);
    values_.insert(values_.end(), row, row + n_columns_);
  }
}

Matrix GatherPass::take() {
  const Index n = n_columns_ == 0 ? 0 : static_cast<Index>(values_.size()) / n_columns_;
  return {n, n_columns_, std::move(values_)};
}

void GatherPass::save(Archive& archive, const std::string& prefix) const {
  archive.put(prefix + "step", static_cast<double>(step_));
}

std::unique_ptr<RowPass> GatherPass::load(const Archive& archive, const std::string& prefix) {
  return std::make_unique<GatherPass>(archive.integer(prefix + "step", 1, largest_saved_count));
}

void GatherPass::save_counts(Archive& archive) const {
  archive.put("n_columns", static_cast<double>(n_columns_));
  if (!values_.empty()) archive.put("values", values_);
}

void GatherPass::add_counts(const Archive& archive) {
  const Index n_columns = archive.integer("n_columns", 0, largest_saved_features);
  if (!archive.has("values")) return;
  const std::vector<double>& values = archive.tensor("values").values;
  if ((n_columns_ != 0 && n_columns != n_columns_) || n_columns == 0 ||
      static_cast<Index>(values.size()) % n_columns != 0)
    fail_damaged("values", "are rows of other columns");
  n_columns_ = n_columns;
  values_.insert(values_.end(), values.begin(), values.end());
}

} // namespace lacuna
