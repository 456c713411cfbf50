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

class ModelSource : public ScoredSource {
public:
  ModelSource(const Model& model, SourcePlace place, int threads)
      : model_(model), place_(std::move(place)), threads_(threads),
        reader_(place_.path, model.schema, place_.table, place_.label_column, place_.stratum_column),
        numbers_(model.classifier.parts().class_names, place_) {}

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
        const int label = numbers_.of(block, i);
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
  LabelNumbers numbers_;
};

class ProbabilitySource : public ScoredSource {
public:
  ProbabilitySource(const SourcePlace& place, const std::vector<std::string>& classes)
      : reader_(place.path, place.table, place.label_column, place.stratum_column, classes) {}

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

LabelNumbers::LabelNumbers(const std::vector<std::string>& class_names, SourcePlace place)
    : class_names_(class_names), place_(std::move(place)) {
  for (std::size_t y = 0; y < class_names.size(); ++y) number_[class_names[y]] = static_cast<int>(y);
}

int LabelNumbers::of(const TableBlock& block, std::size_t i) const {
  if (block.labels[i].empty()) return missing_label;
  const auto found = number_.find(block.labels[i]);
  if (found != number_.end()) return found->second;
  std::string known;
  for (const std::string& name : class_names_) known += (known.empty() ? "'" : ", '") + name + "'";
  const bool has_file = !place_.table.labels_path.empty();
  std::string where = fmt::format("'{}', row {}", has_file ? place_.table.labels_path : place_.path,
                                  block.first_row + static_cast<Index>(i) + 1);
  if (block.label_lines[i] > 0) where += fmt::format(" (line {})", block.label_lines[i]);
  if (!has_file) where += fmt::format(", column '{}'", place_.label_column);
  throw Error(ErrorKind::data,
              fmt::format("{}: the label '{}' is not a class of the model ({}); name it with --classes when "
                          "fitting, or empty the cell to leave the row out",
                          where, block.labels[i], known));
}

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
