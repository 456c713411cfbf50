#include "lacuna/pipeline/explain.hpp"

#include <algorithm>
#include <functional>
#include <memory>

#include <fmt/format.h>

#include "core/index.hpp"
#include "data/standard_input.hpp"
#include "data/table_rows.hpp"
#include "pipeline/column_effects.hpp"
#include "pipeline/explanation_words.hpp"
#include "pipeline/labeled_blocks.hpp"
#include "pipeline/mapped_rows.hpp"
#include "pipeline/nearest_labeled.hpp"

namespace lacuna {

namespace {

using Training = std::function<std::unique_ptr<LabeledBlocks>()>;

/// `columns` is one row, `number` its place in its table.
Explanation explain_row(const Model& model, MatrixView columns, Index number, const Training& training,
                        Observer& observer) {
  Explanation found;
  found.row = number;
  {
    const MappedRows mapped(model, columns, {.first_row = number, .threads = 1});
    const Scores scores = model.classifier.score(mapped.features(), 1);
    found.classes = model.class_names();
    found.posterior.assign(scores.posterior.row(0), scores.posterior.row(0) + scores.posterior.n_cols());
    found.prediction = found.classes[at(scores.prediction[0])];
    found.error_probability = scores.error_probability[0];
    found.log_ratio = scores.log_ratio[0];
    found.is_informative = scores.informative[0] != 0;
    found.kappa = model.classifier.parts().kappa;
    found.anatomy = std::move(model.classifier.dissect(mapped.features()).front());
  }
  tell_columns(model, columns.row(0), found);
  if (training) found.nearest = nearest_labeled(model, columns.row(0), training, observer);
  found.words = words_of(found);
  return found;
}

[[noreturn]] void refuse_row(Index row, Index n_rows, const std::string& where) {
  ErrorParts parts;
  parts.option = "row";
  parts.found = std::to_string(row);
  parts.expected = fmt::format("a row of {}: it has {}", where, n_rows);
  throw Error(ErrorKind::usage, std::move(parts));
}

/// The row of a table, encoded. Rows behind it are not read.
Matrix read_row(const Model& model, const ExplainRequest& request, Observer& observer) {
  TableOptions options = request;
  options.label.clear();
  options.labels.clear();
  options.missing_label.clear();
  TableBlocks blocks(request.path, model.schema, options, model.class_names(), {}, observer);
  TableBlock block;
  Index n_rows = 0;
  while (blocks.next(block, 1024, observer)) {
    n_rows = block.first_row + block.features.n_rows();
    if (n_rows < request.row) continue;
    const double* const row = block.features.row(request.row - 1 - block.first_row);
    return {1, block.features.n_cols(), std::vector<double>(row, row + block.features.n_cols())};
  }
  refuse_row(request.row, n_rows, "'" + request.path + "'");
}

} // namespace

const OptionTable<ExplainRequest>& ExplainRequest::table() {
  using R = ExplainRequest;
  static const OptionTable<R> rows = [] {
    OptionTable<R> all{
        option("row", &R::row, "K", "The row of DATA to explain, from 1; the header does not count",
               {.low = 1})
            .in_group("Data"),
        option("train", &R::train, "TRAIN",
               "The table of the fit, to find the nearest labeled rows; the model has none")
            .in_group("Data"),
        option("train_labels", &R::train_labels, "FILE", "Its labels, where the fit had them from a file")
            .in_group("Data")};
    for (Option<R>& row :
         table_rows<R>({"label", "labels", "drop", "categorical", "missing_value", "weights"},
                       {{"missing_label",
                         "One more token for a missing label in TRAIN, beside the empty cell, NA, NaN and ?"},
                        {"no_header", "The first line of DATA and TRAIN is data"}}))
      all.push_back(std::move(row));
    return all;
  }();
  return rows;
}

Explanation explain(const Model& model, MatrixView columns, Index row,
                    const std::optional<TrainingRows>& training, Observer& observer) {
  if (row < 0 || row >= columns.n_rows) refuse_row(row, columns.n_rows, "the rows, from 0");
  Training blocks;
  if (training) blocks = [&] { return std::make_unique<MemoryBlocks>(training->columns, training->labels); };
  return explain_row(model, columns.middle_rows(row, 1), row, blocks, observer);
}

Explanation explain_table(const Model& model, const ExplainRequest& request, Observer& observer) {
  check_options(request);
  const bool has_own_labels = model.schema.label_column.empty();
  if (!request.train.empty() && has_own_labels == request.train_labels.empty()) {
    ErrorParts parts;
    parts.option = "train_labels";
    parts.statement = has_own_labels
                          ? "the model had its labels from a file, so TRAIN has none; name that file"
                          : "the model had its labels from a column of TRAIN; leave it out";
    throw Error(ErrorKind::usage, std::move(parts));
  }
  Training training;
  if (!request.train.empty()) {
    require_rereadable(request.train, "the table of the fit is read twice", observer);
    training = [&] {
      TableOptions options = request;
      options.label = model.schema.label_column;
      options.labels = request.train_labels;
      return std::make_unique<TableBlocks>(request.train, model.schema, options, model.class_names(),
                                           ColumnsBeside{}, observer);
    };
  }
  const Matrix row = read_row(model, request, observer);
  return explain_row(model, row.view(), request.row - 1, training, observer);
}

} // namespace lacuna
