#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/probability_table.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/pipeline/evaluate.hpp"
#include "pipeline/labeled_blocks.hpp"
#include "pipeline/plain_models.hpp"
#include "pipeline/promise_tally.hpp"

namespace LACUNA_API lacuna {

/// What one contender says about a row.
struct Verdict {
  int prediction = 0;
  double error_probability = 0.0;
  std::span<double> probabilities;
};

/// A row with a label, scored by every contender.
struct ScoredRow {
  int label = 0;
  const std::string* stratum = nullptr; ///< null when strata were not asked for
  std::span<Verdict> verdicts;
  // Of models' rows only:
  const double* columns = nullptr;  ///< the table's columns, encoded
  const double* features = nullptr; ///< what the densities see
  double log_ratio = 0.0;           ///< of the last model, whose region is shown
};

/// Where scored rows come from.
class ScoredSource {
public:
  virtual ~ScoredSource() = default;
  virtual std::vector<std::string> class_names() const = 0;
  virtual std::size_t n_contenders() const { return 1; }
  /// Hands every row with a label to `use`; returns the number of rows without one.
  virtual Index for_each(const std::function<void(ScoredRow&)>& use, Observer& observer) = 0;
};

/// Rows scored by models of one fit, which share their maps, and by plain models; models and what counts
/// promises are borrowed.
class ModelSource : public ScoredSource {
public:
  ModelSource(std::vector<const Model*> models, std::unique_ptr<LabeledBlocks> blocks, int threads,
              std::span<const PlainModel> plain = {}, PromiseTally* promises = nullptr)
      : models_(std::move(models)), plain_(plain), blocks_(std::move(blocks)), threads_(threads),
        promises_(promises) {}
  std::vector<std::string> class_names() const override { return models_.front()->class_names(); }
  std::size_t n_contenders() const override { return models_.size() + plain_.size(); }
  Index for_each(const std::function<void(ScoredRow&)>& use, Observer& observer) override;

private:
  std::vector<const Model*> models_;
  std::span<const PlainModel> plain_;
  std::unique_ptr<LabeledBlocks> blocks_;
  int threads_;
  PromiseTally* promises_; ///< of the last model; may be null
};

/// A table of probabilities that any tool may have written.
class ProbabilitySource : public ScoredSource {
public:
  explicit ProbabilitySource(ProbabilityReader reader) : reader_(std::move(reader)) {}
  std::vector<std::string> class_names() const override { return reader_.class_names(); }
  Index for_each(const std::function<void(ScoredRow&)>& use, Observer& observer) override;

private:
  ProbabilityReader reader_;
};

/// Probabilities in memory. Throws Error(data) when sizes disagree or numbers are no probabilities.
class PredictionSource : public ScoredSource {
public:
  PredictionSource(const LabeledRows& rows, const Predictions& predictions);
  std::vector<std::string> class_names() const override { return rows_.class_names; }
  Index for_each(const std::function<void(ScoredRow&)>& use, Observer& observer) override;

private:
  const LabeledRows& rows_;
  const Predictions& predictions_;
};

} // namespace lacuna
