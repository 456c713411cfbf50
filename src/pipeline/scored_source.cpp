#include "pipeline/scored_source.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "core/index.hpp"
#include "lacuna/core/errors.hpp"
#include "pipeline/mapped_rows.hpp"

namespace lacuna {

namespace {

// As for tables of probabilities: sums that are farther from one are a mistake, not rounding.
constexpr double sum_tolerance = 1e-6;

void check_size(std::size_t found, std::size_t expected, const char* what) {
  if (found != expected)
    throw Error(ErrorKind::data,
                fmt::format("found {} {}, expected {}, one per label", found, what, expected));
}

void check_sizes(const LabeledRows& rows, const Predictions& predictions) {
  const std::size_t n_rows = rows.labels.size();
  check_size(at(predictions.probabilities.n_rows), n_rows, "rows of probabilities");
  if (at(predictions.probabilities.n_cols) != rows.class_names.size())
    throw Error(ErrorKind::data, fmt::format("found probabilities of {} classes, expected {}",
                                             predictions.probabilities.n_cols, rows.class_names.size()));
  if (!predictions.prediction.empty()) check_size(predictions.prediction.size(), n_rows, "predictions");
  if (!predictions.error_probability.empty())
    check_size(predictions.error_probability.size(), n_rows, "error probabilities");
  if (!rows.strata.empty()) check_size(rows.strata.size(), n_rows, "strata");
}

void check_probabilities(Index row, std::span<const double> probabilities, const LabeledRows& rows) {
  double sum = 0.0;
  for (std::size_t k = 0; k < probabilities.size(); ++k) {
    const double p = probabilities[k];
    if (!(p >= 0.0 && p <= 1.0))
      throw Error(ErrorKind::data,
                  fmt::format("probabilities[{}]: that of class '{}' is {}, expected a number "
                              "from 0 to 1",
                              row, rows.class_names[k], p));
    sum += p;
  }
  if (!(std::abs(sum - 1.0) <= sum_tolerance))
    throw Error(
        ErrorKind::data,
        fmt::format("probabilities[{}]: those of the {} classes add up to {:.10g}, expected 1 within {:g}",
                    row, probabilities.size(), sum, sum_tolerance));
}

int checked_prediction(Index row, int prediction, std::size_t n_classes) {
  if (prediction < 0 || at(prediction) >= n_classes)
    throw Error(ErrorKind::data, fmt::format("prediction[{}] is {}, expected the number of a class, 0 to {}",
                                             row, prediction, n_classes - 1));
  return prediction;
}

/// The likeliest class of probabilities, and what it leaves.
Verdict likeliest(std::span<double> probabilities) {
  const auto best = std::ranges::max_element(probabilities);
  // One minus, not the sum of the others: rows that tie must not part by rounding.
  return {static_cast<int>(best - probabilities.begin()), 1.0 - *best, probabilities};
}

} // namespace

Index ModelSource::for_each(const std::function<void(ScoredRow&)>& use, Observer& observer) {
  Index n_unlabeled = 0;
  std::vector<Verdict> verdicts(n_contenders());
  blocks_->for_each(
      [&](const LabeledBlock& block) {
        const MappedRows mapped(*models_.front(), block.columns,
                                {.first_row = block.first_row, .threads = threads_});
        std::vector<Scores> scores;
        for (const Model* model : models_)
          scores.push_back(model->classifier.score(mapped.features(), threads_));
        if (promises_ != nullptr) promises_->add(scores.back(), block.labels);
        std::vector<Matrix> plain;
        for (const PlainModel& model : plain_)
          plain.push_back(model.probabilities(mapped.features(), threads_));
        for (Index row = 0; row < block.columns.n_rows; ++row) {
          const std::size_t i = at(row);
          if (block.labels[i] == missing_label) {
            ++n_unlabeled;
            continue;
          }
          for (std::size_t m = 0; m < models_.size(); ++m)
            verdicts[m] = {scores[m].prediction[i], scores[m].error_probability[i],
                           std::span(scores[m].posterior.row(row), at(scores[m].posterior.n_cols()))};
          for (std::size_t p = 0; p < plain.size(); ++p)
            verdicts[models_.size() + p] = likeliest({plain[p].row(row), at(plain[p].n_cols())});
          ScoredRow scored{block.labels[i],
                           block.strata.empty() ? nullptr : &block.strata[i],
                           verdicts,
                           block.columns.row(row),
                           mapped.features().row(row),
                           scores.back().log_ratio[i]};
          use(scored);
        }
      },
      observer);
  return n_unlabeled;
}

Index ProbabilitySource::for_each(const std::function<void(ScoredRow&)>& use, Observer& observer) {
  Index n_unlabeled = 0;
  ProbabilityBlock block;
  Verdict verdict;
  stop_if_cancelled(observer);
  while (reader_.next(block, rows_per_block)) {
    stop_if_cancelled(observer);
    for (std::size_t i = 0; i < block.labels.size(); ++i) {
      if (block.labels[i] == missing_label) {
        ++n_unlabeled;
        continue;
      }
      verdict = {block.predictions[i], block.error_probability[i],
                 std::span(block.probabilities.row(static_cast<Index>(i)), at(block.probabilities.n_cols()))};
      ScoredRow scored;
      scored.label = block.labels[i];
      scored.stratum = block.strata.empty() ? nullptr : &block.strata[i];
      scored.verdicts = {&verdict, 1};
      use(scored);
    }
    observer.progress("reading", reader_.position(), 1.0);
  }
  return n_unlabeled;
}

PredictionSource::PredictionSource(const LabeledRows& rows, const Predictions& predictions)
    : rows_(rows), predictions_(predictions) {
  check_sizes(rows, predictions);
}

Index PredictionSource::for_each(const std::function<void(ScoredRow&)>& use, Observer& observer) {
  Index n_unlabeled = 0;
  const MatrixView all = predictions_.probabilities;
  std::vector<double> probabilities(at(all.n_cols));
  Verdict verdict;
  for (Index row = 0; row < all.n_rows; ++row) {
    if (row % rows_per_block == 0) stop_if_cancelled(observer);
    const std::size_t i = at(row);
    std::copy_n(all.row(row), all.n_cols, probabilities.begin());
    check_probabilities(row, probabilities, rows_);
    if (rows_.labels[i] == missing_label) {
      ++n_unlabeled;
      continue;
    }
    verdict = likeliest(probabilities);
    if (!predictions_.prediction.empty()) {
      verdict.prediction = checked_prediction(row, predictions_.prediction[i], probabilities.size());
      verdict.error_probability = 1.0 - probabilities[at(verdict.prediction)];
    }
    if (!predictions_.error_probability.empty())
      verdict.error_probability = predictions_.error_probability[i];
    ScoredRow scored;
    scored.label = rows_.labels[i];
    if (!rows_.strata.empty()) scored.stratum = &rows_.stratum_names.at(at(rows_.strata[i]));
    scored.verdicts = {&verdict, 1};
    use(scored);
  }
  return n_unlabeled;
}

} // namespace lacuna
