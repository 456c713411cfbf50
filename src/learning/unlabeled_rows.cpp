#include "learning/unlabeled_rows.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "core/archive_checks.hpp"
#include "core/index.hpp"
#include "core/parallel.hpp"

namespace lacuna {

namespace {

void save_shapes(const ColumnShapes& shapes, Archive& archive, const std::string& prefix) {
  archive.put(prefix + "n_columns", static_cast<double>(shapes.n_columns()));
  shapes.save(archive, prefix + "shapes/");
}

std::shared_ptr<const ColumnShapes> load_shapes(const Archive& archive, const std::string& prefix) {
  return ColumnShapes::load(archive, prefix + "shapes/",
                            archive.integer(prefix + "n_columns", 1, largest_saved_features));
}

/// A copy without the labeled rows.
Matrix without_labeled(const PassingRows& rows) {
  const MatrixView all = rows.rows.features();
  Matrix left(all.n_rows - static_cast<Index>(rows.labeled.size()), all.n_cols);
  double* to = left.values().data();
  Index first = 0; // of the rows between two labeled ones
  const auto copy_until = [&](Index end) {
    to = std::copy(all.row(first), all.row(first) + (end - first) * all.n_cols, to);
    first = end + 1;
  };
  for (const Index labeled : rows.labeled) copy_until(labeled - rows.first);
  copy_until(all.n_rows);
  return left;
}

} // namespace

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

void SeenMomentsPass::add(const PassingRows& rows, int threads, const Observer& observer) {
  const SeenRows seen = see_rows(*shapes_, rows.rows.features(), threads);
  moments_.add({.rows = WeightedRows(seen.features.view()), .first = rows.first}, threads, observer);
  for (std::size_t b = 0; b < seen.log_jacobian.size(); ++b)
    if (!rows.is_labeled(rows.first + static_cast<Index>(b))) unlabeled_log_jacobian_ += seen.log_jacobian[b];
}

void SeenMomentsPass::save(Archive& archive, const std::string& prefix) const {
  save_shapes(*shapes_, archive, prefix);
}

std::unique_ptr<RowPass> SeenMomentsPass::load(const Archive& archive, const std::string& prefix) {
  return std::make_unique<SeenMomentsPass>(load_shapes(archive, prefix));
}

void SeenMomentsPass::save_counts(Archive& archive) const {
  moments_.save_counts(archive);
  archive.put("log_jacobian", unlabeled_log_jacobian_);
}

void SeenMomentsPass::add_counts(const Archive& archive) {
  moments_.add_counts(archive);
  unlabeled_log_jacobian_ += archive.number("log_jacobian");
}

void UnlabeledPass::show_progress(Observer& bar, std::string stage, Index n_rows) {
  bar_ = &bar;
  stage_ = std::move(stage);
  n_rows_ = n_rows;
}

void UnlabeledPass::add(const PassingRows& rows, int threads, const Observer& observer) {
  if (bar_ != nullptr) bar_->progress(stage_, static_cast<double>(rows.first), static_cast<double>(n_rows_));
  MatrixView unlabeled = rows.rows.features();
  Matrix left;
  if (!rows.labeled.empty()) {
    left = without_labeled(rows);
    unlabeled = left.view();
  }
  if (unlabeled.n_rows == 0) return;
  if (shapes_ != nullptr) {
    left = see_rows(*shapes_, unlabeled, threads).features;
    unlabeled = left.view();
  }
  show({.rows = WeightedRows(unlabeled), .first = rows.first - rows.n_labeled_before}, threads, observer);
}

void UnlabeledPass::save_lens(Archive& archive, const std::string& prefix) const {
  if (shapes_ != nullptr) save_shapes(*shapes_, archive, prefix);
}

std::unique_ptr<RowPass> UnlabeledPass::load(const Archive& archive, const std::string& prefix,
                                             std::unique_ptr<RowPass> behind) {
  std::shared_ptr<const ColumnShapes> shapes;
  if (archive.has(prefix + "n_columns")) shapes = load_shapes(archive, prefix);
  return std::unique_ptr<RowPass>(new UnlabeledPass(std::move(shapes), std::move(behind)));
}

Index UnlabeledRows::show(RowPass& pass, int threads, const Observer& observer) {
  UnlabeledPass unlabeled(shapes_, pass);
  unlabeled.show_progress(observer_, fmt::format("mixture of the unlabeled rows: pass {}", ++pass_),
                          table_.n_rows());
  table_.show(unlabeled, threads, observer);
  return table_.n_unlabeled();
}

} // namespace lacuna
