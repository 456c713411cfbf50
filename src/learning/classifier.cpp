#include "lacuna/learning/classifier.hpp"

#include <algorithm>
#include <cmath>

#include "core/index.hpp"
#include "core/parallel.hpp"
#include "core/pass_place.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/data/dataset.hpp"
#include "learning/block_scorer.hpp"
#include "learning/evidence.hpp"
#include "learning/stacked_scorer.hpp"

namespace lacuna {

Scores GenerativeClassifier::room_for(MatrixView rows) const {
  if (rows.n_cols != n_features())
    throw Error(ErrorKind::data, "the rows have " + std::to_string(rows.n_cols) +
                                     " features, the model was fitted with " + std::to_string(n_features()));
  if (!handles_missing_values()) require_complete(rows, {}, 0, "the density of this model");
  Scores scores;
  scores.prediction.resize(at(rows.n_rows));
  scores.error_probability.resize(at(rows.n_rows));
  scores.log_ratio.resize(at(rows.n_rows));
  scores.informative.resize(at(rows.n_rows));
  if (parts_.stacked != nullptr) scores.log_share.resize(at(rows.n_rows));
  scores.posterior = Matrix(rows.n_rows, n_classes());
  return scores;
}

std::vector<Anatomy> GenerativeClassifier::dissect(MatrixView rows) const {
  Scores scores = room_for(rows);
  std::vector<Anatomy> found(at(rows.n_rows));
  if (parts_.stacked != nullptr)
    score_stacked(parts_, rows, 0, scores, found);
  else
    BlockScorer(parts_, rows, 0, scores).score_rows(found);
  return found;
}

Scores GenerativeClassifier::score(MatrixView rows, int threads) const {
  Scores scores = room_for(rows);
  const Index block_rows = PassesAt::place() == PassPlace::kernels ? evidence_block_rows : rows_per_journey;
  const Index n_blocks = (rows.n_rows + block_rows - 1) / block_rows;
  parallel_for(n_blocks, threads, [&](Index block) {
    const Index first = block * block_rows;
    const MatrixView part = rows.middle_rows(first, std::min(block_rows, rows.n_rows - first));
    if (parts_.stacked != nullptr) {
      score_stacked(parts_, part, first, scores);
      return;
    }
    BlockScorer(parts_, part, first, scores).score_rows();
  });
  for (Index i = 0; i < rows.n_rows; ++i)
    if (std::isnan(scores.error_probability[at(i)]) || std::isnan(scores.log_ratio[at(i)]))
      throw Error(ErrorKind::data, "the densities or classifiers of the model give no numbers for row " +
                                       std::to_string(i + 1) +
                                       " of a block: the model is damaged, or the rows "
                                       "changed while they were scored");
  return scores;
}

bool GenerativeClassifier::handles_missing_values() const {
  const auto can = [](const std::shared_ptr<const Density>& density) {
    return density == nullptr || density->handles_missing_values();
  };
  const auto all_can = [&](const ClassModel& model) {
    return std::all_of(model.density.begin(), model.density.end(), can);
  };
  return can(parts_.uninformative) && can(parts_.initial_unlabeled) && all_can(parts_.initial) &&
         std::all_of(parts_.draws.begin(), parts_.draws.end(), all_can);
}

bool GenerativeClassifier::is_region_by_classifier() const {
  return parts_.stacked != nullptr && parts_.stacked->ratio.is_by_classifier();
}

Index GenerativeClassifier::n_features() const {
  for (const auto& density : parts_.initial.density)
    if (density != nullptr) return density->n_features();
  return 0;
}

} // namespace lacuna
