#include <algorithm>
#include <cmath>
#include <new>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "data/column_profile.hpp"
#include "data/kept_rows.hpp"
#include "data/label_notes.hpp"
#include "data/labels.hpp"
#include "data/large_table.hpp"
#include "data/messages.hpp"
#include "data/row_encoder.hpp"
#include "data/schema_inference.hpp"
#include "data/standard_input.hpp"
#include "data/whole_table.hpp"
#include "lacuna/core/errors.hpp"
#include "lacuna/data/table.hpp"

namespace lacuna {

namespace {

constexpr const char* stage = "reading the table";

using Names = std::vector<std::string>;

bool contains(const Names& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

/// Both passes are one stage of two steps to the user. Bytes are counted, not rows: a row may have 5,000
/// columns, and what unpacks to blank lines has none.
ReadingWatch watch_pass(double n_passes_done, Observer& observer) {
  return [n_passes_done, &observer](double position) {
    stop_if_cancelled(observer);
    observer.progress(stage, n_passes_done + position, 2.0);
  };
}

/// The first pass over the table.
class FirstPass {
public:
  FirstPass(TableSource& table, const TableOptions& options, Observer& observer)
      : table_(table), options_(options), watch_(watch_pass(0.0, observer)), reading_(options.missing_label) {
    check_names("drop", options.drop);
    check_names("categorical", options.categorical);
    if (!options.weights.empty()) check_weights_column();
    if (!options.label.empty()) label_place_ = find_column(table, "label column", options.label);
    if (!options.labels.empty())
      label_file_.emplace(options.labels, [&observer](double) { stop_if_cancelled(observer); });
  }

  void run(const ColumnCount& tell) {
    if (!next())
      fail_data(in_file(table_.name()),
                fmt::format("it has {} but no row", table_.has_names() ? "a header" : "a shape"));
    make_profiles();
    if (tell) tell(static_cast<Index>(profiles_.size()));
    do {
      for (ColumnProfile& profile : profiles_) profile.add(table_);
      if (may_have_index_ && is_whole_) check_index();
      if (is_time_to_look(table_)) watch_(table_.position());
    } while (next());
  }

  std::vector<TableColumn> columns(Names& notes) {
    if (may_have_index_ && is_whole_) {
      profiles_.erase(profiles_.begin());
      notes.push_back(
          "the first column has no name and holds whole numbers, so it is taken for an index: left out");
    } else if (may_have_index_) {
      const std::string& name = table_.column_names()[0];
      notes.push_back(
          fmt::format("the first column has no name and is called {0}; if it is an index, leave it out "
                      "with {1} {0}",
                      in_quotes(name), mention("drop")));
    }
    return infer_columns(profiles_, table_, options_, notes);
  }

  TableLabels labels(const Names& classes) {
    labels_.add_classes(classes, reading_);
    TableLabels labels = labels_.finish();
    const TableSource& source = label_file_ ? label_file_->table() : table_;
    label_notes_ = label_notes(labels, table_.row(), source, classes);
    return labels;
  }

  /// Of labels(), which comes before.
  Names take_label_notes() { return std::move(label_notes_); }

private:
  void check_names(const char* option, const Names& asked) {
    for (const std::string& name : asked) {
      if (!contains(table_.column_names(), name))
        fail_option(option,
                    fmt::format("{} has no column {}; it has {}", in_quotes(table_.name()), in_quotes(name),
                                name_list(table_.column_names())),
                    nearest_name_hint(name, table_.column_names()));
      if (name == options_.label) fail_option(option, in_quotes(name) + " is the label column");
      if (contains(options_.drop, name) && contains(options_.categorical, name))
        fail_option(option, fmt::format("column {} is named in both {} and {}", in_quotes(name),
                                        mention("drop"), mention("categorical")));
    }
  }

  void check_weights_column() const {
    find_column(table_, "column of weights", options_.weights);
    if (options_.weights == options_.label)
      fail_option("weights", in_quotes(options_.weights) + " is the label column");
    if (contains(options_.drop, options_.weights) || contains(options_.categorical, options_.weights))
      fail_option("weights", in_quotes(options_.weights) + " is named as a feature or left out as well");
  }

  /// Called when a row is there: columns that a file only claims to have ask for no memory.
  void make_profiles() {
    const Names& names = table_.column_names();
    for (std::size_t j = 0; j < names.size(); ++j)
      if (names[j] != options_.label && names[j] != options_.weights && !contains(options_.drop, names[j]))
        profiles_.emplace_back(j, contains(options_.categorical, names[j]), table_.is_numeric(),
                               options_.code_categories);
    may_have_index_ = table_.is_first_name_empty() && !profiles_.empty() && profiles_[0].column() == 0 &&
                      !contains(options_.categorical, names[0]);
  }

  /// The next row and its label.
  bool next() {
    if (!next_together(table_, label_file_)) return false;
    const TableSource& source = label_file_ ? label_file_->table() : table_;
    labels_.add(reading_(source.text(label_place_)), source, label_place_);
    return true;
  }

  void check_index() {
    const Number number = table_.number(0);
    // Whole numbers in any order: a split or a shuffle leaves them so.
    is_whole_ =
        number.kind == NumberKind::finite && number.value >= 0.0 && number.value == std::floor(number.value);
  }

  TableSource& table_;
  const TableOptions& options_;
  ReadingWatch watch_;
  LabelReading reading_;
  std::size_t label_place_ = 0;
  std::optional<LabelFile> label_file_;
  LabelCollector labels_;
  Names label_notes_;
  std::vector<ColumnProfile> profiles_;
  bool may_have_index_ = false;
  bool is_whole_ = true;
};

/// What a cell says about how much its row counts.
double read_weight(const TableSource& table, std::size_t column) {
  const Number number = table.number(column);
  if (number.kind != NumberKind::finite || number.value < 0.0 || number.value > largest_weight)
    fail_value(cell_place(table, column), in_quotes(table.text(column)),
               fmt::format("a weight, a number from 0 to {:g}", largest_weight),
               "mend the cell, or leave the row out");
  return number.value;
}

Matrix allocate(Index n_rows, Index n_features, const std::string& path) {
  try {
    return {n_rows, n_features};
  } catch (const std::exception&) { // bad_alloc or length_error
    ErrorParts parts;
    parts.place = in_file(path);
    parts.statement = fmt::format("its {} rows of {} features do not fit into memory", n_rows, n_features);
    parts.remedy = "let unlabeled rows pass by with " + mention("memory") + ", or leave columns out with " +
                   mention("drop");
    throw Error(ErrorKind::no_resources, std::move(parts));
  }
}

/// The second pass: the size is known now, so the features are stored once and nothing is copied. `weights`
/// is the column of these; empty: there is none.
void read_rows(TableSource& table, const TableSchema& schema, Index n_rows, const std::string& weights,
               const ReadingWatch& watch, Dataset& data) {
  RowEncoder encoder(schema, table);
  Matrix features = allocate(n_rows, encoder.n_features(), table.name());
  std::optional<std::size_t> weight_place;
  if (!weights.empty()) weight_place = find_column(table, "column of weights", weights);
  while (table.next()) {
    if (table.row() > n_rows) fail_changed(table.name());
    encoder.encode(table, features.row(table.row() - 1));
    if (weight_place) data.weights.push_back(read_weight(table, *weight_place));
    if (is_time_to_look(table)) watch(table.position());
  }
  if (table.row() != n_rows || encoder.n_unseen_categories() > 0) fail_changed(table.name());
  if (weight_place && std::ranges::all_of(data.weights, [](double weight) { return weight == 0.0; }))
    fail_data(in_column(table.name(), weights), "all weights are zero", "some row has to count");
  data.features = std::move(features);
}

std::vector<int> labels_of_all(const TableLabels& labels, Index n_rows) {
  std::vector<int> all(static_cast<std::size_t>(n_rows), missing_label);
  for (std::size_t i = 0; i < labels.rows.size(); ++i)
    all[static_cast<std::size_t>(labels.rows[i])] = labels.classes[i];
  return all;
}

/// The second pass where not all rows stay in memory: all go to a temporary file.
void read_part(TableSource& table, const TableSchema& schema, Index n_rows, TableLabels labels,
               const std::vector<RowDraw>& draws, const ReadingWatch& watch, Observer& observer,
               Dataset& data) {
  std::vector<Index> kept = kept_rows(draws, labels.rows, n_rows, observer);
  RowEncoder encoder(schema, table);
  const auto spool = std::make_shared<RowSpool>(n_rows, encoder.n_features());
  data.features = allocate(static_cast<Index>(kept.size()), encoder.n_features(), table.name());
  data.labels.assign(kept.size(), missing_label);
  std::vector<double> row(static_cast<std::size_t>(encoder.n_features()));
  Index n_kept = 0;
  std::size_t n_labeled = 0;
  while (table.next()) {
    if (table.row() > n_rows) fail_changed(table.name());
    encoder.encode(table, row.data());
    spool->add(row.data());
    if (is_time_to_look(table)) watch(table.position());
    const Index number = table.row() - 1;
    if (n_kept == data.features.n_rows() || kept[static_cast<std::size_t>(n_kept)] != number) continue;
    std::ranges::copy(row, data.features.row(n_kept));
    if (n_labeled < labels.rows.size() && labels.rows[n_labeled] == number)
      data.labels[static_cast<std::size_t>(n_kept)] = labels.classes[n_labeled++];
    ++n_kept;
  }
  if (table.row() != n_rows || encoder.n_unseen_categories() > 0) fail_changed(table.name());
  spool->finish();
  data.whole = std::make_shared<SpooledTable>(spool, std::move(kept), std::move(labels.rows));
}

} // namespace

TrainingTable read_training_table(const std::string& path, const std::vector<std::string>& classes,
                                  const TableOptions& options, Observer& observer) {
  return read_training_table(path, classes, options, {}, {}, observer);
}

TrainingTable read_training_table(const std::string& path, const std::vector<std::string>& classes,
                                  const TableOptions& options, const RowChoice& choose,
                                  const ColumnCount& tell, Observer& observer) {
  require_label_source(options);
  require_rereadable(path, "a table for fitting is read twice", observer);
  const auto open_watched = [&](const ReadingWatch& watch) {
    return open_table(path, text_format(options, watch));
  };
  TrainingTable result;
  TableLabels labels;
  Index n_rows = 0;
  {
    const std::unique_ptr<TableSource> table = open_watched(watch_pass(0.0, observer));
    FirstPass pass(*table, options, observer);
    pass.run(tell);
    result.schema.columns = pass.columns(result.notes);
    result.schema.label_column = options.label;
    result.schema.missing_values = options.missing_value;
    if (const std::string words = table->style_words(); !words.empty())
      result.notes.push_back(fmt::format("found in {}: {}", in_quotes(table->name()), words));
    labels = pass.labels(classes);
    result.label_notes = pass.take_label_notes();
    n_rows = table->row();
  }
  const ReadingWatch watch = watch_pass(1.0, observer);
  const std::unique_ptr<TableSource> table = open_watched(watch);
  result.data.class_names = labels.class_names;
  const TableSize size{n_rows, static_cast<Index>(labels.rows.size()), result.schema.n_features()};
  if (const auto draws = choose ? choose(size) : std::nullopt) {
    if (!options.weights.empty())
      fail_option("weights", "rows that pass by have no weights",
                  "give all rows room in memory, without " + mention("memory"));
    read_part(*table, result.schema, n_rows, std::move(labels), *draws, watch, observer, result.data);
  } else {
    result.data.labels = labels_of_all(labels, n_rows);
    read_rows(*table, result.schema, n_rows, options.weights, watch, result.data);
  }
  result.data.feature_names = result.schema.feature_names();
  result.data.levels = result.schema.levels();
  observer.progress(stage, 2.0, 2.0);
  return result;
}

} // namespace lacuna
