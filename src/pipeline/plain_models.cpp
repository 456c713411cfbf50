#include "pipeline/plain_models.hpp"

#include <algorithm>
#include <cmath>

#include "conditional/boosting.hpp"
#include "conditional/logistic.hpp"
#include "conditional/xgboost_library.hpp"
#include "core/index.hpp"
#include "core/parallel.hpp"
#include "data/folds.hpp"
#include "lacuna/core/random.hpp"
#include "pipeline/mapped_rows.hpp"

namespace lacuna {

namespace {

constexpr Index n_folds = 5;

/// Rows whose labels a fit did not see, and what it says about them.
struct HeldOutFold {
  std::vector<Index> rows;
  Matrix probability;
};

Matrix ask(const Conditional& fitted, MatrixView rows) {
  Matrix answers(rows.n_rows, fitted.n_classes());
  fitted.log_probability(rows, answers.values());
  for (double& value : answers.values()) value = std::exp(value);
  return answers;
}

/// Empty where no label is left to learn from.
HeldOutFold hold_out(const ConditionalFamily& family, DatasetView data, const std::vector<int>& fold_of,
                     int fold, const ConditionalFitContext& context) {
  HeldOutFold held_out;
  std::vector<int> labels(data.labels.begin(), data.labels.end());
  bool is_any_left = false;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    is_any_left = is_any_left || (fold_of[i] >= 0 && fold_of[i] != fold);
    if (fold_of[i] != fold) continue;
    labels[i] = missing_label;
    held_out.rows.push_back(static_cast<Index>(i));
  }
  if (!is_any_left || held_out.rows.empty()) return {};
  Matrix asked(static_cast<Index>(held_out.rows.size()), data.n_features());
  for (std::size_t i = 0; i < held_out.rows.size(); ++i)
    std::copy_n(data.features.row(held_out.rows[i]), data.n_features(), asked.row(static_cast<Index>(i)));
  data.labels = labels;
  held_out.probability = ask(*family.fit(data, context), asked.view());
  return held_out;
}

ClassIsotonic calibrate(const DatasetView& data, const std::vector<HeldOutFold>& folds) {
  std::vector<double> cells;
  std::vector<int> labels;
  std::vector<double> weights;
  for (const HeldOutFold& fold : folds) {
    const auto values = fold.probability.values();
    cells.insert(cells.end(), values.begin(), values.end());
    for (const Index row : fold.rows) {
      labels.push_back(data.labels[at(row)]);
      weights.push_back(data.weight(row));
    }
  }
  const Matrix probability(static_cast<Index>(labels.size()), data.n_classes(), std::move(cells));
  return ClassIsotonic({probability.view(), labels, weights});
}

/// The family as it is, and calibrated. The fits run side by side, each on one thread.
std::vector<PlainModel> fit_pair(const ConditionalFamily& family, const DatasetView& data, std::uint64_t seed,
                                 int threads, Observer& observer) {
  const std::vector<int> fold_of = deal_folds(data, n_folds, seed);
  std::vector<HeldOutFold> folds(at(n_folds));
  std::shared_ptr<const Conditional> fitted;
  parallel_for(n_folds + 1, threads, [&](Index task) {
    const ConditionalFitContext context{
        derive_seed(seed, RandomPurpose::conditional, static_cast<std::uint64_t>(task)), 1, &observer};
    if (task == n_folds)
      fitted = family.fit(data, context);
    else
      folds[at(task)] = hold_out(family, data, fold_of, static_cast<int>(task), context);
  });
  return {{family.name(), fitted}, {family.name() + "-isotonic", fitted, calibrate(data, folds)}};
}

} // namespace

Matrix PlainModel::probabilities(MatrixView features, int threads) const {
  constexpr Index block_rows = 1024;
  Matrix answers(features.n_rows, fitted->n_classes());
  parallel_for((features.n_rows + block_rows - 1) / block_rows, threads, [&](Index block) {
    const Index first = block * block_rows;
    Matrix part = ask(*fitted, features.middle_rows(first, std::min(block_rows, features.n_rows - first)));
    for (Index i = 0; i < part.n_rows(); ++i) {
      isotonic.apply({part.row(i), at(part.n_cols())});
      std::copy_n(part.row(i), part.n_cols(), answers.row(first + i));
    }
  });
  return answers;
}

PlainModels fit_plain_models(const Model& like, DatasetView data, int threads, Observer& observer) {
  const MappedRows mapped(like, data.features, {.threads = threads});
  data.features = mapped.features();
  PlainModels plain;
  const auto add = [&](const ConditionalFamily& family) {
    observer.progress("fitting plain models", static_cast<double>(plain.models.size()), 4.0);
    for (PlainModel& model : fit_pair(family, data, like.record.seed, threads, observer))
      plain.models.push_back(std::move(model));
  };
  add(LogisticFamily());
  if (xgboost_problem().empty())
    add(BoostingFamily());
  else
    plain.left_out = "boosting and boosting-isotonic are left out: " + xgboost_problem();
  return plain;
}

Matrix plain_probabilities(const PlainModel& plain, const Model& like, MatrixView columns,
                           const ApplyOptions& how) {
  const MappedRows mapped(like, columns, how);
  return plain.probabilities(mapped.features(), how.threads);
}

} // namespace lacuna
