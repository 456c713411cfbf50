#include "conditional/boosting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "conditional/boosted_trees.hpp"
#include "conditional/labeled_rows.hpp"
#include "conditional/xgboost_booster.hpp"
#include "core/index.hpp"
#include "core/spare_memory.hpp"
#include "lacuna/core/errors.hpp"

namespace lacuna {

namespace {

/// Margins from which the trees start: the shares of the classes, as BoostedTrees reads them.
std::vector<double> starting_margins(const LabeledRows& labeled) {
  const std::vector<double> weights = labeled.class_weights();
  if (weights.size() == 2) return {std::log(weights[1] / weights[0])};
  std::vector<double> starts;
  for (const double weight : weights) starts.push_back(std::log(weight / labeled.total_weight));
  return starts;
}

/// Few labels cannot tell what a large tree would say (docs/math/conditional.md, eq. 3).
int count_leaves(const LabeledRows& labeled) {
  const double rows = 2.0 * labeled.total_weight / static_cast<double>(labeled.classes.size());
  return static_cast<int>(std::clamp(std::floor(std::log2(rows / 25.0)), 4.0, 15.0));
}

/// Trees that other versions of XGBoost describe in another way must not pass for what it fitted.
void compare_margins(const TreeEnsemble& trees, const XgboostMatrix& matrix, const XgboostBooster& booster,
                     const std::vector<float>& starts) {
  const std::span<const float> theirs = booster.margins(matrix);
  const std::size_t n_features = at(trees.n_features);
  const std::size_t n_rows = std::min<std::size_t>(64, matrix.n_rows());
  for (std::size_t i = 0; i < n_rows; ++i) {
    std::vector<float> ours = starts;
    trees.add_margins(matrix.cells().subspan(i * n_features, n_features), ours);
    for (std::size_t k = 0; k < ours.size(); ++k)
      if (!(std::abs(ours[k] - theirs[i * ours.size() + k]) <= 1e-4F * (1.0F + std::abs(ours[k]))))
        throw Error(ErrorKind::internal, "the trees of XGBoost " + xgboost_library().version +
                                             " mean something else than lacuna reads; version 1.7 is known "
                                             "to work (Debian package libxgboost-dev)");
  }
}

/// What XGBoost takes for a fit, on the generous side: cells, cut points of every column, and for each node
/// of a tree and each column the sums of up to 256 bins. Where it is refused memory it ends the process.
std::size_t memory_of_fit(std::size_t n_rows, std::size_t n_features, int n_leaves) {
  constexpr std::size_t fixed = std::size_t{4} << 20U;
  constexpr std::size_t per_cell = 32;
  constexpr std::size_t per_column = std::size_t{8} << 10U;
  constexpr std::size_t per_bin = 32;
  const std::size_t n_bins = std::min<std::size_t>(n_rows + 1, 256);
  const std::size_t n_nodes = 2 * static_cast<std::size_t>(n_leaves) - 1;
  return fixed + n_features * (per_column + n_rows * per_cell + n_bins * n_nodes * per_bin);
}

TreeEnsemble boost(const DatasetView& data, const LabeledRows& labeled, const ColumnScales& scales,
                   const std::vector<double>& starts, std::optional<int> n_rounds,
                   const ConditionalFitContext& context) {
  const std::vector<float> margins(starts.begin(), starts.end());
  const int n_leaves = count_leaves(labeled);
  const SpareMemory spare(memory_of_fit(labeled.size(), at(data.n_features()), n_leaves));
  const XgboostMatrix matrix(data, labeled, scales, margins);
  XgboostBooster booster(matrix, labeled.classes.size(), n_leaves, context.seed);
  for (int round = 0; round < n_rounds.value_or(13 * n_leaves); ++round) {
    if (context.observer != nullptr) stop_if_cancelled(*context.observer);
    booster.add_round(round, matrix);
  }
  TreeEnsemble trees = booster.trees(data.n_features());
  compare_margins(trees, matrix, booster, margins);
  return trees;
}

} // namespace

std::shared_ptr<const Conditional> BoostingFamily::fit(const DatasetView& data,
                                                       const ConditionalFitContext& context) const {
  const LabeledRows labeled = labeled_rows(data);
  BoostedTrees::Parts parts;
  parts.scales = ColumnScales::fit(data, labeled);
  parts.classes = labeled.classes;
  parts.starts = starting_margins(labeled);
  parts.trees = TreeEnsemble{data.n_features(), 1, {}, {0}, {}, {0}, {}};
  if (labeled.classes.size() > 1) // else there is nothing to tell apart
    parts.trees = boost(data, labeled, parts.scales, parts.starts, n_rounds_, context);
  return std::make_shared<BoostedTrees>(
      ConditionalFacts{BoostedTrees::name, data.n_features(), data.n_classes()}, std::move(parts));
}

} // namespace lacuna
