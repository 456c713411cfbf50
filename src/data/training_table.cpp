#include <algorithm>
#include <cmath>
#include <filesystem>
#include <new>
#include <optional>
#include <stdexcept>

#include <fmt/format.h>

#include "data/column_profile.hpp"
#include "data/labels.hpp"
#include "data/messages.hpp"
#include "data/row_encoder.hpp"
#include "data/schema_inference.hpp"
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

void check_source(const std::string& path) {
  std::error_code ignored;
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_directory(path, ignored) &&
      !std::filesystem::is_regular_file(path, ignored)) {
    ErrorParts parts;
    parts.place = in_file(path);
    parts.statement = "it is a pipe or a device, but a table for fitting is read twice";
    parts.remedy = "save it to a file first";
    throw Error(ErrorKind::no_input, std::move(parts));
  }
}

/// The first pass over the table.
class FirstPass {
public:
  FirstPass(TableSource& table, const TableOptions& options, Observer& observer)
      : table_(table), options_(options), watch_(watch_pass(0.0, observer)), reading_(options.missing_label) {
    check_names("drop", options.drop);
    check_names("categorical", options.categorical);
    if (!options.label.empty()) label_place_ = find_column(table, "label column", options.label);
    if (!options.labels.empty())
      label_file_.emplace(options.labels, [&observer](double) { stop_if_cancelled(observer); });
  }

  void run() {
    if (!next())
      fail_data(in_file(table_.path()),
                fmt::format("it has {} but no row", table_.has_names() ? "a header" : "a shape"));
    make_profiles();
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

  void labels(const Names& classes, Dataset& data, Names& notes) {
    labels_.add_classes(classes, reading_);
    labels_.finish(data.class_names, data.labels);
    // An array of whole numbers has no other way to say that there is no label.
    const TableSource& source = label_file_ ? label_file_->table() : table_;
    if (source.is_numeric() && contains(data.class_names, "-1") && !contains(classes, "-1"))
      notes.push_back(
          fmt::format("-1 among the labels of {} is taken for a class; if it marks rows without a "
                      "label, say so with {} -1",
                      in_quotes(source.path()), mention("missing_label")));
  }

private:
  void check_names(const char* option, const Names& asked) {
    for (const std::string& name : asked) {
      if (!contains(table_.column_names(), name))
        fail_option(option,
                    fmt::format("{} has no column {}; it has {}", in_quotes(table_.path()), in_quotes(name),
                                name_list(table_.column_names())),
                    nearest_name_hint(name, table_.column_names()));
      if (name == options_.label) fail_option(option, in_quotes(name) + " is the label column");
      if (contains(options_.drop, name) && contains(options_.categorical, name))
        fail_option(option, fmt::format("column {} is named in both {} and {}", in_quotes(name),
                                        mention("drop"), mention("categorical")));
    }
  }

  /// Called when a row is there: columns that a file only claims to have ask for no memory.
  void make_profiles() {
    const Names& names = table_.column_names();
    for (std::size_t j = 0; j < names.size(); ++j)
      if (names[j] != options_.label && !contains(options_.drop, names[j]))
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
  std::vector<ColumnProfile> profiles_;
  bool may_have_index_ = false;
  bool is_whole_ = true;
};

Matrix allocate(Index n_rows, Index n_features, const std::string& path) {
  try {
    return {n_rows, n_features};
  } catch (const std::exception&) { // bad_alloc or length_error
    ErrorParts parts;
    parts.place = in_file(path);
    parts.statement = fmt::format("its {} rows of {} features do not fit into memory", n_rows, n_features);
    parts.remedy = "leave columns out with " + mention("drop");
    throw Error(ErrorKind::no_resources, std::move(parts));
  }
}

/// The second pass: the size is known now, so the features are stored once and nothing is copied.
Matrix read_features(TableSource& table, const TableSchema& schema, Index n_rows, const ReadingWatch& watch) {
  RowEncoder encoder(schema, table);
  Matrix features = allocate(n_rows, encoder.n_features(), table.path());
  while (table.next()) {
    if (table.row() > n_rows) fail_changed(table.path());
    encoder.encode(table, features.row(table.row() - 1));
    if (is_time_to_look(table)) watch(table.position());
  }
  if (table.row() != n_rows || encoder.n_unseen_categories() > 0) fail_changed(table.path());
  return features;
}

} // namespace

TrainingTable read_training_table(const std::string& path, const std::vector<std::string>& classes,
                                  const TableOptions& options, Observer& observer) {
  require_label_source(options);
  check_source(path);
  const auto open_watched = [&](const ReadingWatch& watch) {
    return open_table(path, {.has_header = !options.no_header, .watch = watch});
  };
  TrainingTable result;
  Index n_rows = 0;
  {
    const std::unique_ptr<TableSource> table = open_watched(watch_pass(0.0, observer));
    FirstPass pass(*table, options, observer);
    pass.run();
    result.schema.columns = pass.columns(result.notes);
    result.schema.label_column = options.label;
    pass.labels(classes, result.data, result.notes);
    n_rows = table->row();
  }
  const ReadingWatch watch = watch_pass(1.0, observer);
  result.data.features = read_features(*open_watched(watch), result.schema, n_rows, watch);
  result.data.feature_names = result.schema.feature_names();
  result.data.levels = result.schema.levels();
  observer.progress(stage, 2.0, 2.0);
  return result;
}

} // namespace lacuna
