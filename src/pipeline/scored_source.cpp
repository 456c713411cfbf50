#include "pipeline/scored_source.hpp"

#include <map>

#include <fmt/format.h>

#include "data/probability_table.hpp"
#include "lacuna/core/errors.hpp"
#include "pipeline/tables.hpp"

namespace lacuna {

namespace {

// More groups than this are hardly groups: the column was meant to be another one.
constexpr Index max_strata = 1000;

TableOptions with_label(const SourcePlace& place) {
  TableOptions options = place.table;
  options.label = place.label_column;
  return options;
}

class ModelSource : public ScoredSource {
public:
  ModelSource(const Model& model, SourcePlace place, int threads)
      : model_(model), place_(std::move(place)), threads_(threads),
        reader_(place_.path, model.schema, with_label(place_), model.classifier.parts().class_names,
                place_.stratum_column) {}

  const std::vector<std::string>& class_names() const override {
    return model_.classifier.parts().class_names;
  }

  Index for_each(const std::function<void(ScoredRow&)>& use, Observer& observer) override {
    Index n_unlabeled = 0;
    for_each_block(reader_, observer, [&](const TableBlock& block) {
      model_.check_missing_values(block.features.view(), block.first_row);
      const Matrix mapped = model_.features.empty()
                                ? Matrix()
                                : model_.features.apply(block.features.view(), block.first_row, threads_);
      const Matrix& features = model_.features.empty() ? block.features : mapped;
      Scores scores = model_.classifier.score(features.view(), threads_);
      for (Index row = 0; row < block.features.n_rows(); ++row) {
        const auto i = static_cast<std::size_t>(row);
        const int label = block.labels[i];
        if (label == missing_label) {
          ++n_unlabeled;
          continue;
        }
        ScoredRow scored{label,
                         scores.prediction[i],
                         scores.error_probability[i],
                         std::span(scores.posterior.row(row), class_names().size()),
                         block.strata.empty() ? nullptr : &block.strata[i],
                         block.features.row(row),
                         features.row(row),
                         scores.log_ratio[i]};
        use(scored);
      }
    });
    return n_unlabeled;
  }

private:
  const Model& model_;
  SourcePlace place_;
  int threads_;
  TableReader reader_;
};

class ProbabilitySource : public ScoredSource {
public:
  ProbabilitySource(const SourcePlace& place, const std::vector<std::string>& classes)
      : reader_(place.path, with_label(place), place.stratum_column, classes) {}

  const std::vector<std::string>& class_names() const override { return reader_.class_names(); }

  Index for_each(const std::function<void(ScoredRow&)>& use, Observer& observer) override {
    Index n_unlabeled = 0;
    ProbabilityBlock block;
    stop_if_cancelled(observer);
    while (reader_.next(block, rows_per_block)) {
      stop_if_cancelled(observer);
      for (std::size_t i = 0; i < block.labels.size(); ++i) {
        if (block.labels[i] == missing_label) {
          ++n_unlabeled;
          continue;
        }
        ScoredRow scored;
        scored.label = block.labels[i];
        scored.prediction = block.predictions[i];
        scored.error_probability = block.error_probability[i];
        scored.probabilities =
            std::span(block.probabilities.row(static_cast<Index>(i)), class_names().size());
        scored.stratum = block.strata.empty() ? nullptr : &block.strata[i];
        use(scored);
      }
      observer.progress("reading", reader_.position(), 1.0);
    }
    return n_unlabeled;
  }

private:
  ProbabilityReader reader_;
};

} // namespace

void add_row(Evaluator& evaluator, const ScoredRow& row, const SourcePlace& place) {
  if (row.stratum != nullptr && evaluator.n_strata() >= max_strata && !evaluator.has_stratum(*row.stratum))
    throw Error(
        ErrorKind::data,
        fmt::format("'{}': column '{}' has more than {} different values; --stratum wants a column with "
                    "a few group names",
                    place.path, place.stratum_column, max_strata));
  evaluator.add(row.label, row.prediction, row.error_probability, row.probabilities, row.stratum);
}

std::unique_ptr<ScoredSource> open_model_source(const Model& model, const SourcePlace& place, int threads) {
  return std::make_unique<ModelSource>(model, place, threads);
}

std::unique_ptr<ScoredSource> open_probability_source(const SourcePlace& place,
                                                      const std::vector<std::string>& classes) {
  return std::make_unique<ProbabilitySource>(place, classes);
}

} // namespace lacuna
