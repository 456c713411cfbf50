#include "learning/cross_fit.hpp"

#include <algorithm>

#include "core/index.hpp"
#include "lacuna/core/random.hpp"
#include "learning/evidence.hpp"

namespace lacuna {

namespace {

/// Deals the labeled rows of every class out to the folds, as evenly as they go.
std::vector<int> deal_folds(const std::vector<RowList>& labeled, Index n_rows, Index n_folds,
                            std::uint64_t seed) {
  std::vector<int> fold(at(n_rows), -1);
  for (const RowList& rows : labeled) {
    std::vector<std::pair<std::uint64_t, Index>> shuffled;
    for (const Index row : rows.rows)
      shuffled.emplace_back(derive_seed(seed, RandomPurpose::fold, static_cast<std::uint64_t>(row)), row);
    std::sort(shuffled.begin(), shuffled.end());
    for (std::size_t rank = 0; rank < shuffled.size(); ++rank)
      fold[at(shuffled[rank].second)] = static_cast<int>(static_cast<Index>(rank) % n_folds);
  }
  return fold;
}

/// The labeled rows outside a fold by class, and those in it.
struct FoldRows {
  std::vector<RowList> kept;
  RowList held_out;
};

FoldRows split_fold(const std::vector<RowList>& labeled, const std::vector<int>& fold_of, Index fold) {
  FoldRows rows;
  rows.kept.resize(labeled.size());
  for (std::size_t y = 0; y < labeled.size(); ++y)
    for (std::size_t i = 0; i < labeled[y].rows.size(); ++i) {
      const Index row = labeled[y].rows[i];
      if (fold_of[at(row)] != fold)
        rows.kept[y].add(row, labeled[y].weights[i]);
      else if (labeled[y].rows.size() > 1)
        rows.held_out.add(row, labeled[y].weights[i]);
    }
  return rows;
}

} // namespace

Matrix gather_rows(const DatasetView& data, const std::vector<Index>& rows) {
  Matrix gathered(static_cast<Index>(rows.size()), data.n_features());
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::copy_n(data.features.row(rows[i]), data.n_features(), gathered.row(static_cast<Index>(i)));
  return gathered;
}

const HeldOutRows& CrossFit::held_out() {
  if (is_fitted_) return held_out_;
  const DatasetView& data = fitter_.data();
  const std::vector<RowList> labeled = fitter_.labeled_rows();
  const std::vector<int> fold_of = deal_folds(labeled, data.n_rows(), n_folds_, seed_);
  std::vector<double> log_density;
  std::vector<double> log_joint;
  for (Index fold = 0; fold < n_folds_; ++fold) {
    const FoldRows fold_rows = split_fold(labeled, fold_of, fold);
    if (fold_rows.held_out.empty()) continue;
    const ClassModel model = fitter_.fit_classes(
        fold_rows.kept, derive_seed(seed_, RandomPurpose::fold, static_cast<std::uint64_t>(fold)));
    const Matrix rows = gather_rows(data, fold_rows.held_out.rows);
    ClassEvidence evidence(model, rows.n_rows());
    evidence.evaluate(rows.view());
    for (Index i = 0; i < rows.n_rows(); ++i) {
      held_out_.label.push_back(data.labels[at(fold_rows.held_out.rows[at(i)])]);
      for (Index y = 0; y < fitter_.n_classes(); ++y) {
        log_density.push_back(evidence.log_density(y, i));
        log_joint.push_back(evidence.log_joint(y, i));
      }
    }
    held_out_.rows.append(fold_rows.held_out);
  }
  const auto n = static_cast<Index>(held_out_.rows.rows.size());
  held_out_.log_density = Matrix(n, fitter_.n_classes(), std::move(log_density));
  held_out_.log_joint = Matrix(n, fitter_.n_classes(), std::move(log_joint));
  is_fitted_ = true;
  return held_out_;
}

} // namespace lacuna
