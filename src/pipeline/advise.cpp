#include "lacuna/pipeline/advise.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "core/index.hpp"
#include "core/interruption.hpp"
#include "data/standard_input.hpp"
#include "data/table_copy.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/core/random.hpp"
#include "learning/cover.hpp"
#include "pipeline/labeled_blocks.hpp"
#include "pipeline/mapped_rows.hpp"

namespace lacuna {

namespace {

/// Rows that stand for all others of their kind.
constexpr Index most_candidates = 2000;
constexpr Index most_labeled = 2000;

/// One row, and what the model says about it.
struct SeenRow {
  std::uint64_t lot = 0;
  Index row = 0;
  int prediction = 0;
  int second = 0;
  double error_probability = 0.0;
  bool is_informative = false;
  std::vector<double> features; ///< as the densities see them

  bool operator<(const SeenRow& other) const { return std::pair(lot, row) < std::pair(other.lot, other.row); }
};

/// The rows with the smallest lots.
class DrawnRows {
public:
  explicit DrawnRows(Index limit) : limit_(at(limit)) {}

  /// Whether a row with this lot may still be among them.
  bool wants(std::uint64_t lot) const { return lot <= largest_; }
  void add(SeenRow row) {
    rows_.push_back(std::move(row));
    if (rows_.size() >= 2 * limit_) shrink();
  }
  /// By rising number.
  std::vector<SeenRow> take() {
    shrink();
    std::ranges::sort(rows_, {}, &SeenRow::row);
    return std::move(rows_);
  }

private:
  void shrink() {
    if (rows_.size() <= limit_) return;
    std::nth_element(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(limit_) - 1, rows_.end());
    rows_.resize(limit_);
    largest_ = rows_.back().lot;
  }

  std::size_t limit_;
  std::uint64_t largest_ = ~std::uint64_t{0};
  std::vector<SeenRow> rows_;
};

int second_class(const Scores& scores, Index i) {
  const double* const p = scores.posterior.row(i);
  int second = -1;
  for (int y = 0; y < static_cast<int>(scores.posterior.n_cols()); ++y)
    if (y != scores.prediction[at(i)] && (second < 0 || p[y] > p[second])) second = y;
  return second;
}

SeenRow seen_row(const Scores& scores, MatrixView features, Index i, Index row, std::uint64_t lot) {
  const double* const values = features.row(i);
  return {lot,
          row,
          scores.prediction[at(i)],
          second_class(scores, i),
          scores.error_probability[at(i)],
          scores.informative[at(i)] != 0,
          {values, values + features.n_cols}};
}

Matrix features_of(const std::vector<SeenRow>& rows, Index n_features) {
  Matrix features(static_cast<Index>(rows.size()), n_features);
  for (std::size_t i = 0; i < rows.size(); ++i)
    std::ranges::copy(rows[i].features, features.row(static_cast<Index>(i)));
  return features;
}

/// How probable errors are where labels speak: what rows near a label come to.
double usual_error(const std::vector<SeenRow>& rows) {
  double sum = 0.0;
  double n_inside = 0.0;
  for (const SeenRow& row : rows)
    if (row.is_informative) {
      sum += row.error_probability;
      n_inside += 1.0;
    }
  return n_inside > 0.0 ? sum / n_inside : 0.0;
}

/// What the densities see of categories; maps make numbers of them.
std::vector<Index> levels_of(const Model& model) {
  return model.features.empty() ? model.schema.levels() : std::vector<Index>{};
}

Advice advise_rows(const Model& model, LabeledBlocks& blocks, const AdviseOptions& options,
                   Observer& observer) {
  const Interruptible interruptible(&observer);
  DrawnRows unlabeled(std::max(most_candidates, options.n));
  DrawnRows labeled(most_labeled);
  Advice advice;
  double sum = 0.0;
  blocks.for_each(
      [&](const LabeledBlock& block) {
        const MappedRows mapped(model, block.columns,
                                {.first_row = block.first_row, .threads = options.threads});
        const Scores scores = model.classifier.score(mapped.features(), options.threads);
        for (Index i = 0; i < block.columns.n_rows; ++i) {
          const bool is_labeled = !block.labels.empty() && block.labels[at(i)] != missing_label;
          (is_labeled ? advice.n_labeled : advice.n_unlabeled) += 1;
          if (!is_labeled) sum += scores.error_probability[at(i)];
          const Index row = block.first_row + i;
          const std::uint64_t lot =
              RandomStream(0, RandomPurpose::advice, static_cast<std::uint64_t>(row)).next();
          DrawnRows& drawn = is_labeled ? labeled : unlabeled;
          if (drawn.wants(lot)) drawn.add(seen_row(scores, mapped.features(), i, row, lot));
        }
      },
      observer);
  if (advice.n_unlabeled == 0) return advice;
  advice.mean_error_probability = sum / static_cast<double>(advice.n_unlabeled);

  const std::vector<SeenRow> rows = unlabeled.take();
  const Index n_features = model.classifier.n_features();
  const Matrix features = features_of(rows, n_features);
  const Matrix known = features_of(labeled.take(), n_features);
  const std::vector<Index> levels = levels_of(model);
  DatasetView candidates;
  candidates.features = features.view();
  candidates.levels = levels;
  std::vector<double> errors;
  for (const SeenRow& row : rows) errors.push_back(row.error_probability);
  const double usual = usual_error(rows);
  const double n_drawn = static_cast<double>(rows.size());
  const double scale = static_cast<double>(advice.n_unlabeled) / n_drawn;
  for (const CoverChoice& choice :
       choose_to_cover(candidates, known.view(), errors, options.n, options.threads)) {
    const SeenRow& row = rows[at(choice.point)];
    advice.rows.push_back({row.row, row.is_informative ? AdviceReason::uncertain : AdviceReason::unseen,
                           row.prediction, row.second, row.error_probability, choice.reach * scale,
                           std::max(0.0, choice.gain - usual * choice.reach) / n_drawn});
  }
  return advice;
}

std::string reason_text(const Model& model, const AdvisedRow& row) {
  const std::vector<std::string>& classes = model.class_names();
  if (row.reason == AdviceReason::unseen) return "labels say nothing about rows like this";
  return fmt::format("labels speak here, and it may be {} or {}", classes[at(row.prediction)],
                     classes[at(row.second)]);
}

} // namespace

Advice advise(const Model& model, MatrixView columns, std::span<const int> labels,
              const AdviseOptions& options, Observer& observer) {
  const std::vector<int> none(labels.empty() ? at(columns.n_rows) : 0, missing_label);
  MemoryBlocks blocks(columns, labels.empty() ? std::span<const int>(none) : labels);
  return advise_rows(model, blocks, options, observer);
}

Advice advise_table(const Model& model, const std::string& path, const TableOptions& table,
                    const AdviseOptions& options, Observer& observer) {
  require_rereadable(path, "a table for advice is read several times", observer);
  TableOptions with_labels = table;
  if (!table.has_labels() && std::ranges::count(table_columns(path, table), model.schema.label_column) == 1)
    with_labels.label = model.schema.label_column;
  TableBlocks blocks(path, model.schema, with_labels, model.class_names(), {}, observer);
  return advise_rows(model, blocks, options, observer);
}

void write_advice(const Model& model, const Advice& advice, const std::string& path,
                  const TableOptions& table, const std::function<void(std::string_view)>& write,
                  Observer& observer) {
  std::vector<Index> numbers;
  for (const AdvisedRow& row : advice.rows) numbers.push_back(row.row);
  const CopiedRows copied = copy_rows(path, table, numbers, observer);
  write("row,why,prediction,error_probability,stands_for,expected_drop," + copied.header + "\n");
  for (std::size_t i = 0; i < advice.rows.size(); ++i) {
    const AdvisedRow& row = advice.rows[i];
    write(fmt::format("{},{},{},{:.4g},{:.4g},{:.4g},{}\n", row.row + 1, csv_cell(reason_text(model, row)),
                      csv_cell(model.class_names()[at(row.prediction)]), row.error_probability,
                      row.stands_for, row.expected_drop, copied.lines[i]));
  }
}

} // namespace lacuna
