#include "data/moments_pass.hpp"

#include <fmt/format.h>

#include "core/archive_checks.hpp"

namespace lacuna {

namespace {

constexpr const char* counts = "moments/";

} // namespace

void MomentsPass::add(const PassingRows& rows, int /*threads*/, const Observer& /*observer*/) {
  if (!sum_) sum_.emplace(rows.rows.n_features());
  if (rows.rows.n_features() != sum_->n_features())
    throw Error(ErrorKind::data,
                fmt::format("the block from row {} on has {} columns, the first one {}; all must agree",
                            rows.first + 1, rows.rows.n_features(), sum_->n_features()));
  sum_->add(rows.rows);
}

void MomentsPass::save_counts(Archive& archive) const {
  if (sum_) sum_->save(archive, counts);
}

void MomentsPass::add_counts(const Archive& archive) {
  if (!archive.has(std::string(counts) + "mean")) return; // of no rows
  const Index n = stored_length(archive, std::string(counts) + "mean");
  if (!sum_) sum_.emplace(n);
  sum_->add(RowMomentsSum::load(archive, counts, sum_->n_features()));
}

} // namespace lacuna
