#include "learning/cross_fit.hpp"

#include <algorithm>

#include "core/index.hpp"
#include "core/parallel.hpp"
#include "data/folds.hpp"
#include "lacuna/core/random.hpp"
#include "learning/evidence.hpp"

namespace lacuna {

namespace {

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
  const std::vector<int> fold_of = deal_folds(data, n_folds_, seed_);
  struct Answers {
    RowList rows;
    std::vector<double> log_density;
    std::vector<double> log_joint;
  };
  std::vector<Answers> of_fold(at(n_folds_));
  parallel_for(n_folds_, fitter_.threads(), [&](Index fold) {
    const FoldRows fold_rows = split_fold(labeled, fold_of, fold);
    if (fold_rows.held_out.empty()) return;
    const ClassModel model = fitter_.fit_classes(
        fold_rows.kept, derive_seed(seed_, RandomPurpose::fold, static_cast<std::uint64_t>(fold)));
    const Matrix rows = gather_rows(data, fold_rows.held_out.rows);
    ClassEvidence evidence(model, rows.n_rows());
    evidence.evaluate(rows.view());
    Answers& answers = of_fold[at(fold)];
    for (Index i = 0; i < rows.n_rows(); ++i)
      for (Index y = 0; y < fitter_.n_classes(); ++y) {
        answers.log_density.push_back(evidence.log_density(y, i));
        answers.log_joint.push_back(evidence.log_joint(y, i));
      }
    answers.rows = fold_rows.held_out;
  });
  std::vector<double> log_density;
  std::vector<double> log_joint;
  for (const Answers& answers : of_fold) {
    for (const Index row : answers.rows.rows) held_out_.label.push_back(data.labels[at(row)]);
    log_density.insert(log_density.end(), answers.log_density.begin(), answers.log_density.end());
    log_joint.insert(log_joint.end(), answers.log_joint.begin(), answers.log_joint.end());
    held_out_.rows.append(answers.rows);
  }
  const auto n = static_cast<Index>(held_out_.rows.rows.size());
  held_out_.log_density = Matrix(n, fitter_.n_classes(), std::move(log_density));
  held_out_.log_joint = Matrix(n, fitter_.n_classes(), std::move(log_joint));
  is_fitted_ = true;
  return held_out_;
}

} // namespace lacuna
