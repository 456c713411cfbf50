#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lacuna/core/archive.hpp"
#include "lacuna/core/observer.hpp"
#include "lacuna/core/options.hpp"
#include "lacuna/data/dataset.hpp"

namespace LACUNA_API lacuna {

/// How a table on disk is read. The format follows the content: NPY and IDX by their magic bytes, everything
/// else is CSV; gzip is recognised in all of them.
struct TableOptions {
  std::string label;                    ///< the column with the labels
  std::string labels;                   ///< or a file with one label per row (CSV without header, NPY or IDX)
  std::string missing_label;            ///< one more token that means "no label", beside empty, NA, NaN and ?
  std::vector<std::string> drop;        ///< columns that are not features
  std::vector<std::string> categorical; ///< columns that hold categories although they look like numbers
  bool no_header = false; ///< CSV: the first record is data, and the columns are called c0, c1, ...
  std::optional<char> separator = {}; ///< CSV: between cells; empty: what the first lines show
  std::optional<char> decimal = {};   ///< CSV: ',' or '.', and the other between thousands; empty: the same
  std::vector<std::string> missing_value; ///< more tokens for a missing feature
  std::string weights;                    ///< for fits: the column with the weights of rows

  // What a fit decides about its own table; no options of the user.
  bool code_categories = false; ///< a column of categories becomes one feature, the category's number,
                                ///< not one feature per category; its missing cells become NaN
  bool keep_constant = false;   ///< keep columns of one number: a pixel has its place in an image

  bool has_labels() const { return !label.empty() || !labels.empty(); }
  static const OptionTable<TableOptions>& table();
};

/// Throws Error(usage) when labels are to come both from a column and from a file.
void check_label_source(const TableOptions& options);
/// Throws Error(usage) unless labels come from a column or from a file, and not from both.
void require_label_source(const TableOptions& options);

/// One column of the user's table and how it becomes features.
struct TableColumn {
  std::string name;
  bool is_categorical = false;
  std::vector<std::string> categories; ///< sorted; empty for a number
  bool is_coded = false; ///< one feature holds the place among the categories; otherwise one feature each
};

/// The mapping from a table's columns to features. Part of the model, so that predict repeats exactly what
/// fit did.
struct TableSchema {
  std::vector<TableColumn> columns;             ///< the feature columns, in the order of the features
  std::string label_column;                     ///< empty when labels came from a file of their own
  std::vector<std::string> missing_values = {}; ///< the user's own tokens for a missing feature

  /// "age", "job=clerk", "job=nurse", ...
  std::vector<std::string> feature_names() const;
  Index n_features() const;
  /// As Dataset::levels: empty when no column is coded.
  std::vector<Index> levels() const;
  void save(Archive& archive, const std::string& prefix) const;
  static TableSchema load(const Archive& archive, const std::string& prefix);
};

/// A whole table for fitting.
struct TrainingTable {
  Dataset data;
  TableSchema schema;
  std::vector<std::string>
      notes; ///< what was decided on the user's behalf ("column 'x' is constant: left out")
  std::vector<std::string> label_notes = {}; ///< what looks odd about the labels
};

/// Reads a table with missing labels; a pattern stands for its files. `classes` may have no labeled row.
TrainingTable read_training_table(const std::string& path, const std::vector<std::string>& classes,
                                  const TableOptions& options, Observer& observer);

/// A piece of a table, encoded as a schema says; a missing number is NaN.
struct TableBlock {
  Index first_row = 0; ///< number of the first row in the file, from 0, header not counted
  Matrix features;
  std::vector<int> labels;         ///< class number or missing_label; empty unless labels were asked for
  std::vector<std::string> strata; ///< empty unless a stratum column was asked for
  std::vector<std::string> kept;   ///< cells of kept columns as they are in the table, row after row
};

/// Columns that are read beside features and labels.
struct ColumnsBeside {
  std::string stratum = {};           ///< empty: none
  std::vector<std::string> kept = {}; ///< cells that only pass through
};

/// Streams a table block by block, so that it may be larger than memory.
class TableReader {
public:
  /// Columns are matched by name (by position for tables without names); those that are neither asked for nor
  /// in the schema are ignored. Labels are read where the options say where they are; a label that is not
  /// among `class_names` is refused by next(). `watch` is called with position() after every megabyte, also
  /// where no row ends; what it throws ends the reading.
  TableReader(const std::string& path, const TableSchema& schema, const TableOptions& options,
              const std::vector<std::string>& class_names, const ColumnsBeside& beside = {},
              const std::function<void(double)>& watch = {});
  ~TableReader();
  TableReader(TableReader&&) noexcept;
  TableReader& operator=(TableReader&&) noexcept;

  /// Fills `block` with up to `max_rows` rows; false at the end of the table. Throws Error(data) that names
  /// file, row, column and value.
  bool next(TableBlock& block, Index max_rows);
  /// The same, but where a row cannot be read, the call hands out the rows before it, and the next one
  /// throws.
  bool next_sound(TableBlock& block, Index max_rows);
  /// Share of the file read so far, 0 to 1, for progress.
  double position() const;
  /// How many cells held a category unseen at fit time; such a cell is a missing value in a coded column, and
  /// has zero in all features of any other.
  Index n_unseen_categories() const;
  /// How the text is written, as it was found: "cells are separated by a semicolon"; empty where it is as in
  /// most files.
  std::string style_words() const;

private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

} // namespace lacuna
